package workshop

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"piwork/pack/image/internal/place"
)

// outDir is what names in the archive begin with.
const outDir = "out"

// extract puts the files of a tar archive into a directory. What a build made is
// not trusted with links, devices or names that lead elsewhere.
func extract(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxResult)
	t := tar.NewReader(f)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Name == outDir+"/" {
			continue
		}
		name, ok := strings.CutPrefix(h.Name, outDir+"/")
		name = strings.TrimSuffix(name, "/")
		if !ok || name == "." || !fs.ValidPath(name) {
			return fmt.Errorf("name %q", h.Name)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			if err := root.MkdirAll(name, 0o755); err != nil {
				return err
			}
		case tar.TypeReg:
			if left -= h.Size; left < 0 {
				return fmt.Errorf("more than %d bytes", int64(maxResult))
			}
			if err := place.File(root, name, h.Mode, t); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is neither a file nor a directory", name)
		}
	}
}
