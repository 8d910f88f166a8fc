package channel

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// Export writes what was accepted last into dir, which it makes, as a small
// repository for [Client.Import]: every root since the one compiled in, the
// metadata, the key list and the release, but no archive. It is what an offline
// bundle carries. Without anything known it is [ErrNothingKnown].
func (c *Client) Export(dir string) error {
	files, err := c.files()
	if err != nil {
		return fmt.Errorf("export the update channel: %w", err)
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("export the update channel: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fmt.Errorf("export the update channel: %w", err)
		}
	}
	return nil
}

// files returns the newest set that verifies, by path in a repository.
func (c *Client) files() (map[string][]byte, error) {
	if _, err := c.Last(); err != nil {
		return nil, err
	}
	t, g, err := known(c.o.Root, c.o.Dir)
	if err != nil {
		return nil, err
	}
	role, err := c.setRole(t, g.Offered.Role)
	if err != nil {
		return nil, err
	}
	path := ReleasePath(c.o.Name, c.o.Host)
	top, snap := t.Targets[metadata.TARGETS].Signed, t.Snapshot.Signed
	files := map[string][]byte{
		"metadata/timestamp.json":                   g.Timestamp,
		versioned(snap.Version, metadata.SNAPSHOT):  g.Snapshot,
		versioned(top.Version, metadata.TARGETS):    g.Targets,
		versioned(role.Version, c.o.Name):           g.Offered.Role,
		hashedPath(top.Targets[KeysName], KeysName): g.Keys,
		hashedPath(role.Targets[path], path):        g.Offered.Release,
	}
	s, err := loadState(c.o.Dir)
	if err != nil {
		return nil, err
	}
	if _, err := chain(c.o.Root, s); err != nil {
		return nil, err
	}
	for _, data := range s.Roots {
		root, err := parseRoot(data)
		if err != nil {
			return nil, err
		}
		files[versioned(root.Signed.Version, metadata.ROOT)] = data
	}
	return files, nil
}
