package channel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// Options of [Open].
type Options struct {
	Root    []byte           // trusted initial root.json
	Dir     string           // where what was learnt is kept; made with mode 0700
	Name    string           // of the channel, e.g. "stable"
	Host    string           // platform, e.g. "linux-amd64"; "" is this one
	Fetch   Fetcher          // may be nil where nothing is refreshed
	Now     func() time.Time // nil is time.Now
	Timeout time.Duration    // of a whole Refresh or Import; 0 is two minutes
}

// Client follows one channel. Its methods may be called from several goroutines
// at once, and several clients may share a directory: those that learn (Refresh,
// Import) wait for each other, those that read never wait. Only one process at a
// time may use a directory.
type Client struct {
	o Options
}

// learning holds a place for whoever changes the state of a directory.
var learning sync.Map // from cleaned path to chan struct{}

// lock waits for the place, or for ctx.
func (c *Client) lock(ctx context.Context) (unlock func(), err error) {
	dir, err := filepath.Abs(c.o.Dir)
	if err != nil {
		return nil, err
	}
	v, _ := learning.LoadOrStore(dir, make(chan struct{}, 1))
	place := v.(chan struct{})
	select {
	case place <- struct{}{}:
		return func() { <-place }, nil
	case <-ctx.Done():
		return nil, fail(KindUnreachable, "", "another look has not ended: %w", context.Cause(ctx))
	}
}

// Open makes a client. It reads nothing but o.Root, which must be a root that is
// signed by itself; its expiry does not matter as long as it has successors.
func Open(o Options) (*Client, error) {
	o.Host = cmp.Or(o.Host, runtime.GOOS+"-"+runtime.GOARCH)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := CheckNames(o.Name, o.Host); err != nil {
		return nil, fmt.Errorf("open update channel: %w", err)
	}
	if o.Dir == "" {
		return nil, errors.New("open update channel: no directory")
	}
	if _, err := chain(o.Root, &state{}); err != nil {
		return nil, fmt.Errorf("open update channel: the root: %w", err)
	}
	return &Client{o: o}, nil
}

// Refresh asks the repository what is current. An [Error] says why there is no
// answer; what was verified before it is kept. It keeps the key list even when
// the channel offers nothing for this platform ([KindNotOffered]).
func (c *Client) Refresh(ctx context.Context) (*Release, error) {
	if c.o.Fetch == nil {
		return nil, errors.New("refresh update channel: nothing to fetch with")
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, fmt.Errorf("not done after %s", c.o.Timeout))
	defer cancel()
	r, now, err := c.ask(ctx, c.o.Fetch)
	if m, ok := c.o.Fetch.(Mirrored); ok && spoilt(err) {
		r, now, err = c.alone(ctx, m, err)
	}
	if KindOf(err) == KindUnreachable {
		if known, lastErr := c.Last(); lastErr == nil && now.After(known.Expires) {
			err = &Error{Kind: KindStale, Err: err}
		}
	}
	return r, err
}

// ask is one question to one place. c is locked. now is the clock it was judged by.
func (c *Client) ask(ctx context.Context, from Fetcher) (r *Release, now time.Time, err error) {
	s, err := loadState(c.o.Dir)
	if err != nil {
		return nil, now, err
	}
	now = s.clock(c.o.Now().UTC())
	r, err = c.update(ctx, from, s, now, true)
	return r, now, err
}

// Import learns from a repository that came with an offline bundle. It verifies
// as [Client.Refresh] does, but for expiry, which says nothing about a file that
// lay in a drawer; nor can such a file know which keys were revoked since. A
// bundle older than what is known already is [KindRollback] and changes nothing.
func (c *Client) Import(ctx context.Context, f Fetcher) (*Release, error) {
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := loadState(c.o.Dir)
	if err != nil {
		return nil, err
	}
	return c.update(ctx, f, s, never, false)
}

// Last returns the newest release that was accepted, without a network; it may
// have expired ([Release].Expires). Without any it is [ErrNothingKnown].
func (c *Client) Last() (*Release, error) {
	t, g, err := known(c.o.Root, c.o.Dir)
	if err != nil {
		return nil, err
	}
	if g.Offered == nil || g.Offered.Channel != c.o.Name || g.Offered.Host != c.o.Host {
		return nil, ErrNothingKnown
	}
	role, err := c.setRole(t, g.Offered.Role)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNothingKnown, err)
	}
	r, err := c.release(t, role, g.Offered.Release)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNothingKnown, err)
	}
	return r, nil
}

// Keys returns the newest key list that was accepted from the repository that
// belongs to root, without a network: which keys may sign packs, which were revoked,
// and which versions were withdrawn. Without any it is an empty list.
//
// The list counts for as long as the root lets the keys of targets sign that
// signed it. A new key of timestamp or snapshot says nothing about it: these only
// tell what is newest, and this was accepted when it was.
func Keys(root []byte, dir string) (*KeyList, error) {
	s, err := loadState(dir)
	if err != nil {
		return nil, err
	}
	t, err := chain(root, s) // clears the state of another repository
	if err != nil {
		return nil, err
	}
	out := s.refusals()
	l, err := accepted(t, s.Good)
	if err != nil {
		return out, nil // nothing that verifies: no key is added, what was taken back stays so
	}
	for _, k := range l.Signing {
		if !slices.ContainsFunc(out.Revoked, func(r RevokedKey) bool { return r.ID == k.ID }) {
			out.Signing = append(out.Signing, k)
		}
	}
	return out, nil
}

// accepted verifies a key list that was accepted once against the targets that
// name it, and those against the root.
func accepted(t *trustedmetadata.TrustedMetadata, g *good) (*KeyList, error) {
	if g == nil {
		return nil, ErrNothingKnown
	}
	top, err := parseTargets(g.Targets)
	if err != nil {
		return nil, err
	}
	_, err = guard(func() (any, error) { return nil, t.Root.VerifyDelegate(metadata.TARGETS, top) })
	if err != nil {
		return nil, err
	}
	return keyList(&top.Signed, g.Keys)
}

// known verifies what is kept in dir, down to the targets, whatever the time.
func known(root []byte, dir string) (*trustedmetadata.TrustedMetadata, *good, error) {
	s, err := loadState(dir)
	if err != nil {
		return nil, nil, err
	}
	t, err := chain(root, s)
	if err != nil {
		return nil, nil, err
	}
	g := s.Good
	if g == nil {
		return nil, nil, ErrNothingKnown
	}
	t.RefTime = never
	if err := setTimestamp(t, g.Timestamp); err != nil {
		return nil, nil, fmt.Errorf("%w: timestamp.json: %w", ErrNothingKnown, err)
	}
	if err := setSnapshot(t, g.Snapshot); err != nil {
		return nil, nil, fmt.Errorf("%w: snapshot.json: %w", ErrNothingKnown, err)
	}
	if err := setTargets(t, g.Targets); err != nil {
		return nil, nil, fmt.Errorf("%w: targets.json: %w", ErrNothingKnown, err)
	}
	return t, g, nil
}
