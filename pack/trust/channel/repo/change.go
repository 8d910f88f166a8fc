package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/durable"
	"piwork/pack/trust/channel"
)

// SetKeyList replaces the list of keys that may sign packs.
func (r *Repo) SetKeyList(l channel.KeyList) error {
	data, err := channel.EncodeKeyList(l)
	if err != nil {
		return fmt.Errorf("set the key list: %w", err)
	}
	top, err := r.edit(metadata.TARGETS)
	if err != nil {
		return fmt.Errorf("set the key list: %w", err)
	}
	if err := r.setTarget(top, channel.KeysName, data); err != nil {
		return fmt.Errorf("set the key list: %w", err)
	}
	return r.stage()
}

// KeyList returns the list of keys that may sign packs, as it is staged or
// published.
func (r *Repo) KeyList() (*channel.KeyList, error) {
	top, err := r.current(metadata.TARGETS)
	if err != nil {
		return nil, fmt.Errorf("read the key list: %w", err)
	}
	data, err := r.target(top, channel.KeysName)
	if err != nil {
		return nil, fmt.Errorf("read the key list: %w", err)
	}
	return channel.ParseKeyList(data)
}

// AddChannel delegates a new channel. It offers nothing until [Repo.AddRelease].
func (r *Repo) AddChannel(name string, role Role) error {
	if err := channel.CheckNames(name, "any-any"); err != nil {
		return fmt.Errorf("add channel: %w", err)
	}
	if have, err := r.Channels(); err != nil || slices.Contains(have, name) {
		return errors.Join(fmt.Errorf("add channel %s: it is there, or the repository cannot be read", name), err)
	}
	if err := r.setChannelKeys(name, role); err != nil {
		return fmt.Errorf("add channel %s: %w", name, err)
	}
	r.staged[name] = metadata.Targets(r.expires(name))
	return r.stage()
}

// SetRole replaces keys and threshold of a role: one of TUF's four, which makes
// a new root that the old and the new root keys must sign, or a channel. Without a
// threshold the role keeps the one that it has.
func (r *Repo) SetRole(name string, role Role) error {
	if role.Threshold == 0 {
		role.Threshold = r.threshold(name)
	}
	switch name {
	case metadata.ROOT, metadata.TARGETS, metadata.SNAPSHOT, metadata.TIMESTAMP:
		if err := setRootRole(r.editRoot(), name, role); err != nil {
			return fmt.Errorf("set the keys of %s: %w", name, err)
		}
		if name == metadata.TARGETS { // its signatures must be made anew
			if _, err := r.edit(metadata.TARGETS); err != nil {
				return fmt.Errorf("set the keys of %s: %w", name, err)
			}
		}
		return r.stage()
	}
	if have, err := r.Channels(); err != nil || !slices.Contains(have, name) {
		return errors.Join(fmt.Errorf("set the keys of %s: no such role: %w", name, fs.ErrNotExist), err)
	}
	if err := r.setChannelKeys(name, role); err != nil {
		return fmt.Errorf("set the keys of %s: %w", name, err)
	}
	if _, err := r.edit(name); err != nil {
		return fmt.Errorf("set the keys of %s: %w", name, err)
	}
	return r.stage()
}

// Renew stages a role again with a new time of expiry.
func (r *Repo) Renew(name string) error {
	if name == metadata.ROOT {
		r.editRoot()
	} else if _, err := r.edit(name); err != nil {
		return fmt.Errorf("renew %s: %w", name, err)
	}
	return r.stage()
}

// AddArchive puts an archive into the repository under a name, where a release
// can name it. head is the length of its head in bytes, manifest the SHA-256 of its
// manifest in hex.
func (r *Repo) AddArchive(file, name string, head int64, manifest string) (t channel.Target, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("add archive: %w", err)
		}
	}()
	in, err := os.Open(file)
	if err != nil {
		return t, err
	}
	defer in.Close()
	dir := r.path("targets", "packs")
	if err := makeDir(dir); err != nil {
		return t, err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return t, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, h), in)
	if err != nil {
		return t, err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	t = channel.Target{Name: name, Path: channel.TargetPath(sum, "packs/"+name), Length: n, SHA256: sum, Head: head, Manifest: manifest}
	if head == 0 {
		t.Manifest = ""
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return t, err
	}
	if err := os.Rename(tmp.Name(), r.path(filepath.FromSlash(t.Path))); err != nil {
		return t, err
	}
	return t, durable.SyncDir(dir)
}

// ErrNotNewer says that a release is not newer than the one that is offered: no
// client would ever take it.
var ErrNotNewer = errors.New("not newer than what is offered")

// AddRelease makes rel what a channel offers for a platform. Its archives must
// have been added. It must be newer than what is offered there ([ErrNotNewer]), or
// be of the same archive, with other add-ons or notes.
func (r *Repo) AddRelease(name, host string, rel channel.Release) error {
	if err := channel.CheckNames(name, host); err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	if rel.Published.IsZero() {
		rel.Published = r.now
	}
	for _, t := range append(slices.Collect(maps.Values(rel.AddOns)), rel.Archive) {
		info, err := os.Stat(r.path(filepath.FromSlash(channel.TargetPath(t.SHA256, "packs/"+t.Name))))
		if err != nil {
			return fmt.Errorf("add release: %w", err)
		}
		if info.Size() != t.Length {
			return fmt.Errorf("add release: %s has %d bytes, not %d", t.Name, info.Size(), t.Length)
		}
	}
	data, err := channel.EncodeRelease(rel, host)
	if err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	l, err := r.KeyList()
	if err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	if reason, yes := l.Withdraws(rel.Version); yes {
		return fmt.Errorf("add release: %s is withdrawn: %s", rel.Version, reason)
	}
	if err := r.Supersedes(name, host, rel); err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	role, err := r.edit(name)
	if err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	if err := r.setTarget(role, channel.ReleasePath(name, host), data); err != nil {
		return fmt.Errorf("add release: %w", err)
	}
	return r.stage()
}

// Supersedes compares a release with the one that a channel offers for a platform:
// an [ErrNotNewer] says that it cannot take its place. Of the archive only hash or
// manifest must be known.
func (r *Repo) Supersedes(name, host string, rel channel.Release) error {
	old, err := r.Release(name, host)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	was, err := semver.StrictNewVersion(old.Version)
	if err != nil {
		return err
	}
	is, err := semver.StrictNewVersion(rel.Version)
	if err != nil {
		return err
	}
	same := rel.Archive.SHA256 == old.Archive.SHA256 || rel.Archive.Manifest == old.Archive.Manifest
	if is.GreaterThan(was) || rel.Version == old.Version && same {
		return nil
	}
	return fmt.Errorf("%s for %s: %w, %s", rel.Version, host, ErrNotNewer, old.Version)
}

// Release returns what a channel offers for a platform, as it is staged or
// published; fs.ErrNotExist is nothing.
func (r *Repo) Release(name, host string) (*channel.Release, error) {
	role, err := r.current(name)
	if err != nil {
		return nil, fmt.Errorf("read the release: %w", err)
	}
	data, err := r.target(role, channel.ReleasePath(name, host))
	if err != nil {
		return nil, fmt.Errorf("read the release: %w", err)
	}
	return channel.ParseRelease(data, host)
}

// Releases returns all that a channel offers, by platform.
func (r *Repo) Releases(name string) (map[string]*channel.Release, error) {
	role, err := r.current(name)
	if err != nil {
		return nil, fmt.Errorf("read the releases: %w", err)
	}
	all := map[string]*channel.Release{}
	for file := range role.Targets {
		host := strings.TrimSuffix(path.Base(file), ".json")
		if all[host], err = r.Release(name, host); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// setTarget names a small target file, and puts it where it will be fetched:
// its name holds its hash, so that nobody asks for it before it is published.
func (r *Repo) setTarget(role *metadata.TargetsType, path string, data []byte) error {
	f, err := metadata.TargetFile().FromBytes(path, data, "sha256")
	if err != nil {
		return err
	}
	if err := writeFile(r.path(filepath.FromSlash(channel.TargetPath(f.Hashes["sha256"].String(), path))), data); err != nil {
		return err
	}
	role.Targets[path] = f
	return nil
}

// target reads a small target file.
func (r *Repo) target(role *metadata.TargetsType, path string) ([]byte, error) {
	f, ok := role.Targets[path]
	if !ok {
		return nil, fmt.Errorf("no target %s: %w", path, fs.ErrNotExist)
	}
	data, err := os.ReadFile(r.path(filepath.FromSlash(channel.TargetPath(f.Hashes["sha256"].String(), path))))
	if err != nil {
		return nil, err
	}
	return data, f.VerifyLengthHashes(data)
}

// threshold is how many keys of a role must sign now; 0 for a role that is not there.
func (r *Repo) threshold(name string) int {
	root := &r.root.Signed
	if r.newRoot != nil {
		root = &r.newRoot.Signed
	}
	if role, ok := root.Roles[name]; ok {
		return role.Threshold
	}
	top, err := r.current(metadata.TARGETS)
	if err != nil || top.Delegations == nil {
		return 0
	}
	for _, d := range top.Delegations.Roles {
		if d.Name == name {
			return d.Threshold
		}
	}
	return 0
}

// setChannelKeys sets the delegation of a channel, which has the say over its
// own files and nothing else.
func (r *Repo) setChannelKeys(name string, role Role) error {
	keys, ids, err := keysOf(role)
	if err != nil {
		return err
	}
	top, err := r.edit(metadata.TARGETS)
	if err != nil {
		return err
	}
	if top.Delegations == nil {
		top.Delegations = &metadata.Delegations{Keys: map[string]*metadata.Key{}}
	}
	d := metadata.DelegatedRole{Name: name, KeyIDs: ids, Threshold: role.Threshold, Terminating: true, Paths: []string{name + "/*"}}
	roles := top.Delegations.Roles
	if i := slices.IndexFunc(roles, func(d metadata.DelegatedRole) bool { return d.Name == name }); i >= 0 {
		roles[i] = d
	} else {
		top.Delegations.Roles = append(roles, d)
	}
	maps.Copy(top.Delegations.Keys, keys)
	used := map[string]bool{}
	for _, d := range top.Delegations.Roles {
		for _, id := range d.KeyIDs {
			used[id] = true
		}
	}
	maps.DeleteFunc(top.Delegations.Keys, func(id string, _ *metadata.Key) bool { return !used[id] })
	return nil
}

// setRootRole sets one of the four roles; keys that none uses any more go.
func setRootRole(root *metadata.RootType, name string, role Role) error {
	keys, ids, err := keysOf(role)
	if err != nil {
		return fmt.Errorf("role %s: %w", name, err)
	}
	root.Roles[name] = &metadata.Role{KeyIDs: ids, Threshold: role.Threshold}
	maps.Copy(root.Keys, keys)
	used := map[string]bool{}
	for _, r := range root.Roles {
		for _, id := range r.KeyIDs {
			used[id] = true
		}
	}
	maps.DeleteFunc(root.Keys, func(id string, _ *metadata.Key) bool { return !used[id] })
	return nil
}
