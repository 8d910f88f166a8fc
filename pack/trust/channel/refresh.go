package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// maxNewRoots bounds the successors of the root that one refresh takes.
const maxNewRoots = 64

// update is one pass of the client workflow, TUF specification 5.3 to 5.7. Each
// step that teaches something which must not be unlearnt saves s. now is the
// clock for expiry; live says that it is a real one, which is then remembered.
func (c *Client) update(ctx context.Context, from Fetcher, s *state, now time.Time, live bool) (*Release, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, fmt.Errorf("not done after %s", c.o.Timeout))
	defer cancel()
	t, err := chain(c.o.Root, s)
	if err != nil {
		return nil, err
	}
	t.RefTime = now
	for _, step := range []func(context.Context, Fetcher, *trustedmetadata.TrustedMetadata, *state) error{
		c.roots, c.timestamp, c.snapshot,
	} {
		if err := step(ctx, from, t, s); err != nil {
			return nil, err
		}
	}
	g := &good{Timestamp: s.Timestamp, Snapshot: s.Snapshot}
	keys, err := c.targets(ctx, from, t, s, g)
	if err != nil {
		return nil, err
	}
	s.setKeys(keys) // whatever is wrong with what is offered
	r, offer := c.offer(ctx, from, t, s, g)
	if offer != nil && KindOf(offer) != KindNotOffered {
		return nil, errors.Join(offer, s.save(c.o.Dir))
	}
	s.Good = g
	if live {
		s.Seen = now
	}
	if err := s.save(c.o.Dir); err != nil {
		return nil, err
	}
	return r, offer
}

// roots follows the chain of roots to its end (5.3).
func (c *Client) roots(ctx context.Context, from Fetcher, t *trustedmetadata.TrustedMetadata, s *state) error {
	for n := 0; ; n++ {
		name := versioned(t.Root.Signed.Version+1, metadata.ROOT)
		data, err := fetch(ctx, from, name, maxRoot)
		if KindOf(err) == KindMissing {
			break
		}
		if err != nil {
			return err
		}
		if n == maxNewRoots || len(s.Roots) == maxRoots {
			return fail(KindTooLarge, name, "one root after another")
		}
		before := t.Root.Signed
		if err := nextRoot(t, data); err != nil {
			return explain(name, err)
		}
		s.Roots = append(s.Roots, data)
		if tookOut(&before, &t.Root.Signed) {
			s.Timestamp, s.Snapshot = nil, nil
		}
		if err := s.save(c.o.Dir); err != nil {
			return err
		}
	}
	return expired(fmt.Sprintf("%d.root.json", t.Root.Signed.Version), t.Root.Signed.Expires, t.RefTime)
}

// timestamp takes the newest timestamp, which is not older than the last (5.4).
func (c *Client) timestamp(ctx context.Context, from Fetcher, t *trustedmetadata.TrustedMetadata, s *state) error {
	const name = "metadata/timestamp.json"
	if len(s.Timestamp) > 0 {
		_ = setTimestamp(t, s.Timestamp) // the floor, expired or not; or signed by keys that are gone
	}
	data, err := fetch(ctx, from, name, maxTimestamp)
	if KindOf(err) == KindMissing {
		// Every repository has one and nothing signed says where: the address is
		// wrong, or what is between hands nothing out.
		return &Error{Kind: KindUnreachable, File: name, Err: err}
	}
	if err != nil {
		return err
	}
	switch err := setTimestamp(t, data); {
	case errors.Is(err, &metadata.ErrEqualVersionNumber{}): // the floor is the newest
	case err != nil:
		return explain(name, err)
	default:
		s.Timestamp = data
		if err := s.save(c.o.Dir); err != nil {
			return err
		}
	}
	return expired(name, t.Timestamp.Signed.Expires, t.RefTime)
}

// snapshot takes the snapshot that the timestamp names (5.5).
func (c *Client) snapshot(ctx context.Context, from Fetcher, t *trustedmetadata.TrustedMetadata, s *state) error {
	m := t.Timestamp.Signed.Meta["snapshot.json"]
	name := versioned(m.Version, metadata.SNAPSHOT)
	data := s.Snapshot
	if !matches(m.Length, m.Hashes, data) {
		if len(data) > 0 {
			setSnapshotFloor(t, data)
		}
		var err error
		if data, err = fetch(ctx, from, name, m.Length); err != nil {
			return err
		}
	}
	if err := setSnapshot(t, data); err != nil {
		return explain(name, err)
	}
	if bytes.Equal(s.Snapshot, data) {
		return nil
	}
	s.Snapshot = data
	return s.save(c.o.Dir)
}

// targets takes the top-level targets and the key list (5.6).
func (c *Client) targets(ctx context.Context, from Fetcher, t *trustedmetadata.TrustedMetadata, s *state, g *good) (*KeyList, error) {
	m := t.Snapshot.Signed.Meta["targets.json"]
	name := versioned(m.Version, metadata.TARGETS)
	if s.Good != nil && matches(m.Length, m.Hashes, s.Good.Targets) {
		g.Targets = s.Good.Targets
	} else {
		var err error
		if g.Targets, err = fetch(ctx, from, name, m.Length); err != nil {
			return nil, err
		}
	}
	if err := setTargets(t, g.Targets); err != nil {
		return nil, explain(name, err)
	}
	f, ok := t.Targets[metadata.TARGETS].Signed.Targets[KeysName]
	if !ok || f.Length > maxKeysFile {
		return nil, fail(KindMalformed, name, "no list of keys, or a large one")
	}
	if s.Good != nil && matches(f.Length, f.Hashes, s.Good.Keys) {
		g.Keys = s.Good.Keys
	} else {
		var err error
		if g.Keys, err = fetch(ctx, from, hashedPath(f, KeysName), f.Length); err != nil {
			return nil, err
		}
	}
	keys, err := keyList(&t.Targets[metadata.TARGETS].Signed, g.Keys)
	if err != nil {
		return nil, explain(KeysName, err)
	}
	return keys, nil
}

// offer takes the channel's metadata and its release for this platform.
func (c *Client) offer(ctx context.Context, from Fetcher, t *trustedmetadata.TrustedMetadata, s *state, g *good) (*Release, error) {
	m, err := c.roleMeta(t)
	if err != nil {
		return nil, err
	}
	o := &offered{Channel: c.o.Name, Host: c.o.Host}
	var old offered
	if s.Good != nil && s.Good.Offered != nil {
		old = *s.Good.Offered
	}
	name := versioned(m.Version, c.o.Name)
	if o.Role = old.Role; !matches(m.Length, m.Hashes, o.Role) {
		if o.Role, err = fetch(ctx, from, name, m.Length); err != nil {
			return nil, err
		}
	}
	role, err := c.setRole(t, o.Role)
	if err != nil {
		return nil, explain(name, err)
	}
	path := ReleasePath(c.o.Name, c.o.Host)
	f, ok := role.Targets[path]
	if !ok {
		return nil, fail(KindNotOffered, name, "nothing for %s", c.o.Host)
	}
	if f.Length > MaxRelease {
		return nil, fail(KindTooLarge, path, "%d bytes, more than %d", f.Length, MaxRelease)
	}
	if o.Release = old.Release; !matches(f.Length, f.Hashes, o.Release) {
		if o.Release, err = fetch(ctx, from, hashedPath(f, path), f.Length); err != nil {
			return nil, err
		}
	}
	r, err := c.release(t, role, o.Release)
	if err != nil {
		return nil, explain(path, err)
	}
	g.Offered = o
	return r, nil
}
