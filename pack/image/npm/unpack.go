package npm

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"piwork/pack/image/internal/place"
)

// Limits of a package: far above any real one.
const (
	maxFiles    = 100_000
	maxUnpacked = 2 << 30 // bytes
	maxRead     = 4 << 20 // bytes of a file that is read whole
)

// errFound ends reading early.
var errFound = errors.New("found")

// each calls f for the regular files of a package, with names relative to it.
func each(file string, f func(name string, h *tar.Header, r io.Reader) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	t := tar.NewReader(z)
	files, size := 0, int64(0)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		files++
		size += h.Size
		// Packages have all below one directory, mostly "package".
		_, name, ok := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		switch {
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q is neither a file nor a directory", h.Name)
		case !ok || strings.HasPrefix(h.Name, "/") || !fs.ValidPath(name) || strings.Contains(name, "\\"):
			return fmt.Errorf("unsafe name %q", h.Name)
		case files > maxFiles || size > maxUnpacked:
			return fmt.Errorf("more than %d files or %d bytes", maxFiles, int64(maxUnpacked))
		}
		if err := f(name, h, t); err != nil {
			return err
		}
	}
}

// ReadFile returns one small file of a package. A missing one is fs.ErrNotExist.
func ReadFile(file, name string) ([]byte, error) {
	var data []byte
	err := each(file, func(n string, h *tar.Header, r io.Reader) (err error) {
		if n != name {
			return nil
		}
		if h.Size > maxRead {
			return fmt.Errorf("%s has %d bytes", name, h.Size)
		}
		if data, err = io.ReadAll(r); err != nil {
			return err
		}
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return data, nil
	case err == nil:
		err = fs.ErrNotExist
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// Unpack writes the files of a package that wanted accepts below a directory of
// to, which need not exist. Modes are 0644 or 0755 as the package says.
func Unpack(file string, to *os.Root, dir string, wanted func(name string) bool) error {
	return each(file, func(name string, h *tar.Header, r io.Reader) error {
		if !wanted(name) {
			return nil
		}
		return place.File(to, path.Join(dir, name), h.Mode, r)
	})
}
