package image

import (
	"archive/tar"
	"bytes"
	"context"
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

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
)

// Files of the part of a kernel that has modules.
const (
	modulesDir = "modules"
	earlyFile  = "early" // names in modules/, one a line, in the order of loading
	lateFile   = "late"
)

// unpackKernel takes the kernel and the modules that the guest needs out of the
// kernel's package.
func unpackKernel(ctx context.Context, dir string, l *debian.Lock, s *debian.Store) error {
	if len(l.Packages) != 1 {
		return fmt.Errorf("the lock %s has %d packages, not one kernel", l.Set, len(l.Packages))
	}
	var image, builtin []byte
	files := map[string][]byte{} // modules as they are packed, by path
	err := debian.Contents(ctx, s.Path(l.Packages[0]), func(h *tar.Header, r io.Reader) (err error) {
		switch {
		case strings.HasPrefix(h.Name, "boot/vmlinuz-"):
			image, err = io.ReadAll(r)
		case path.Base(h.Name) == "modules.builtin":
			builtin, err = io.ReadAll(r)
		case h.Typeflag == tar.TypeReg && strings.Contains(h.Name, "lib/modules/") && strings.Contains(path.Base(h.Name), ".ko"):
			files[h.Name], err = io.ReadAll(r)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if image == nil || builtin == nil {
		return errors.New("kernel: no image or no modules.builtin in the package")
	}
	vmlinux, err := kernel.Vmlinux(image)
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(dir, kernel.ImageFile), bytes.NewReader(vmlinux), 0o644); err != nil {
		return err
	}
	modules := kernel.Tree{
		Paths:   slices.Sorted(maps.Keys(files)),
		Builtin: string(builtin),
		Read:    func(p string) ([]byte, error) { return files[p], nil },
	}
	if err := writeModules(dir, modules, map[string][]string{earlyFile: stockEarlyModules, lateFile: stockLateModules}); err != nil {
		return err
	}
	return writeUsed(dir, []string{l.Packages[0].Name})
}

// writeModules writes lists of modules, by the name of the list, and the modules
// themselves.
func writeModules(dir string, from kernel.Tree, lists map[string][]string) error {
	if err := os.Mkdir(filepath.Join(dir, modulesDir), 0o755); err != nil {
		return err
	}
	written := map[string]bool{}
	for list, wanted := range lists {
		ordered, err := from.Order(wanted)
		if err != nil {
			return err
		}
		var names strings.Builder
		for _, m := range ordered {
			names.WriteString(m.File + "\n")
			if written[m.File] {
				continue
			}
			written[m.File] = true
			if err := writeNew(filepath.Join(dir, modulesDir, m.File), bytes.NewReader(m.Data), 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, list), []byte(names.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readModules reads a list of modules of a kernel's part. A kernel that was built
// here has none.
func readModules(dir, list string) ([]kernel.Module, error) {
	names, err := os.ReadFile(filepath.Join(dir, list))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var modules []kernel.Module
	for _, name := range strings.Fields(string(names)) {
		data, err := os.ReadFile(filepath.Join(dir, modulesDir, name))
		if err != nil {
			return nil, err
		}
		m, err := kernel.ParseModule(name, data)
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}
