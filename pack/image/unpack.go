package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"piwork/pack/image/debian"
	"piwork/pack/image/internal/place"
)

// tree is a directory with files of packages in it, and whose they are.
type tree struct {
	root  *os.Root
	owner map[string]string // path → package
}

// unpack lays out the files of packages that wanted accepts. Directories are
// made for everyone to enter, whatever the package says.
func unpack(ctx context.Context, dir string, l *debian.Lock, s *debian.Store, wanted func(name string) bool) (*tree, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	t := &tree{root: r, owner: map[string]string{}}
	for _, p := range l.Packages {
		err := debian.Contents(ctx, s.Path(p), func(h *tar.Header, data io.Reader) error {
			if h.Name == "" || h.Typeflag == tar.TypeDir || !wanted(h.Name) {
				return nil
			}
			t.owner[h.Name] = p.Name
			return placeEntry(r, h, data)
		})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("unpack %s: %w", p.Name, err), r.Close())
		}
	}
	return t, nil
}

// placeEntry makes one file of a package.
func placeEntry(r *os.Root, h *tar.Header, data io.Reader) error {
	if h.Typeflag == tar.TypeReg {
		return place.File(r, h.Name, h.Mode, data)
	}
	if err := r.MkdirAll(path.Dir(h.Name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		return r.Symlink(h.Linkname, h.Name)
	case tar.TypeLink:
		return r.Link(cleanName(h.Linkname), h.Name)
	}
	return fmt.Errorf("%s is neither a file nor a link", h.Name)
}

// cleanName is a name in a package without "./" or "/" in front.
func cleanName(name string) string {
	if c := path.Clean("/" + name)[1:]; c != "" {
		return c
	}
	return "."
}

// copyOut copies a file of the tree to a new file.
func (t *tree) copyOut(name, to string, mode fs.FileMode) error {
	in, err := t.root.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeNew(to, in, mode)
}

// writeNew writes a file that must not exist, with exactly that mode.
func writeNew(to string, r io.Reader, mode fs.FileMode) error {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, r); err != nil {
		return err
	}
	if err := out.Chmod(mode); err != nil {
		return err
	}
	return out.Close()
}
