package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
)

// Files of the part "kernel".
const (
	vmlinuxFile = "vmlinux"
	modulesDir  = "modules"
	firstFile   = "first" // names in modules/, one a line, in order
	restFile    = "rest"
)

// makeKernel takes the kernel and the modules that the guest needs out of the
// kernel's package.
func makeKernel(ctx context.Context, dir string, l *debian.Lock, s *debian.Store) error {
	if len(l.Packages) != 1 {
		return fmt.Errorf("the lock has %d packages, not one kernel", len(l.Packages))
	}
	var image, builtin []byte
	files := map[string][]byte{} // packed modules, by path
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
		return err
	}
	if image == nil || builtin == nil {
		return errors.New("no kernel image or no modules.builtin in the package")
	}
	vmlinux, err := kernel.Vmlinux(image)
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(dir, vmlinuxFile), bytes.NewReader(vmlinux), 0o644); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, modulesDir), 0o755); err != nil {
		return err
	}
	modules := kernel.Tree{
		Paths:   slices.Sorted(maps.Keys(files)),
		Builtin: string(builtin),
		Read:    func(p string) ([]byte, error) { return files[p], nil },
	}
	done := map[string]bool{}
	for file, wanted := range map[string][]string{firstFile: firstModules, restFile: restModules} {
		ordered, err := modules.Order(wanted)
		if err != nil {
			return err
		}
		var names strings.Builder
		for _, m := range ordered {
			names.WriteString(m.File + "\n")
			if done[m.File] {
				continue
			}
			done[m.File] = true
			if err := writeNew(filepath.Join(dir, modulesDir, m.File), bytes.NewReader(m.Data), 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(names.String()), 0o644); err != nil {
			return err
		}
	}
	return writeUsed(dir, []string{l.Packages[0].Name})
}

// readModules reads a list of the part "kernel".
func readModules(dir, list string) ([]kernel.Module, error) {
	names, err := os.ReadFile(filepath.Join(dir, list))
	if err != nil {
		return nil, err
	}
	var modules []kernel.Module
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSpace(name)
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

// makeInitramfs joins the guest's program and the kernel's modules.
func makeInitramfs(dir, kernelDir, agent string, t time.Time) error {
	first, err := readModules(kernelDir, firstFile)
	if err != nil {
		return err
	}
	rest, err := readModules(kernelDir, restFile)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(agent)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := (kernel.Initramfs{Init: program, First: first, Rest: rest, Time: t}).Write(&out); err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, path.Base(initramfsPath)), &out, 0o644)
}
