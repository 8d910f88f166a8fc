package image

import (
	"cmp"
	"context"
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

	"piwork/pack/durable"
	"piwork/pack/spec"
)

// assemble puts the files of parts into one directory, with terms and
// statements: in the cache, or the one that was asked for.
func (b *builder) assemble(ctx context.Context, c contents) (Result, error) {
	licences, err := b.licences(ctx, c)
	if err != nil {
		return Result{}, err
	}
	if err := listInto(c.files, licences, ""); err != nil {
		return Result{}, err
	}
	components, err := readComponents(licences)
	if err != nil {
		return Result{}, err
	}
	keys := []any{c.name, c.hostOS, c.hostArch}
	for _, p := range append(slices.Clone(c.parts), licences) {
		keys = append(keys, path.Base(p))
	}
	content, err := keyOf("pack", keys...)
	if err != nil {
		return Result{}, err
	}
	version := cmp.Or(c.version, b.Version)
	if version == "" {
		if version, err = b.developerVersion(ctx, content); err != nil {
			return Result{}, err
		}
	}
	header := b.header(c, components, version)
	statements, err := b.statements(ctx, c, header, components, content)
	if err != nil {
		return Result{}, err
	}
	if err := listInto(c.files, statements, ""); err != nil {
		return Result{}, err
	}
	if b.OutDir != "" && c.layer.Name == spec.BaseLayer {
		return Result{Dir: b.OutDir, Header: header}, b.update(ctx, b.OutDir, c.files)
	}
	key, err := keyOf("pack", content, path.Base(statements))
	if err != nil {
		return Result{}, err
	}
	dir, err := b.cache.part(ctx, b.flavoured(partOf("pack", c.name)), key, func(_ context.Context, dir string) error {
		for name, from := range c.files {
			to := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			// Parts and packs are never written to again, so they share files.
			if err := os.Link(from, to); err == nil {
				continue
			}
			if err := copyFile(from, to); err != nil {
				return err
			}
		}
		return nil
	})
	return Result{Dir: dir, Header: header}, err
}

// update makes a directory have exactly these files. Each file is replaced
// atomically and only when it differs, so that machines which run from the
// directory keep what they opened.
func (b *builder) update(ctx context.Context, dir string, files map[string]string) error {
	changed := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		same, err := sameFile(files[name], to)
		if err != nil {
			return err
		}
		if same {
			continue
		}
		changed++
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		tmp := filepath.Join(filepath.Dir(to), ".new-"+filepath.Base(to))
		if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := copyFile(files[name], tmp); err != nil {
			return err
		}
		if err := os.Rename(tmp, to); err != nil {
			return err
		}
	}
	gone := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if _, ok := files[name]; ok || name == spec.ManifestName || name == spec.SignatureName {
			return nil
		}
		gone++
		return os.Remove(file)
	})
	b.log("%s: %d files new or changed, %d removed", dir, changed, gone)
	return err
}

// sameFile compares two files by size, mode and content.
func sameFile(a, b string) (bool, error) {
	ia, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	ib, err := os.Stat(b)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || ia.Size() != ib.Size() || ia.Mode() != ib.Mode() {
		return false, err
	}
	ha, err := durable.SHA256(a)
	if err != nil {
		return false, err
	}
	hb, err := durable.SHA256(b)
	return ha == hb, err
}

// copyFile copies content and mode to a file that must not exist.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return writeNew(to, in, info.Mode().Perm())
}

// treeHash is a hash of the names, modes and contents of a tree, "" when there
// is none.
func treeHash(tree fs.FS) (string, error) {
	h := sha256.New()
	empty := true
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if name == "." && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		empty = false
		f, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		each := sha256.New()
		if _, err := io.Copy(each, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %t %x\n", name, info.Mode()&0o100 != 0, each.Sum(nil))
		return nil
	})
	if err != nil || empty {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
