package image

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/relocate"
)

// usedFile lists, in a part, the packages that files of the part are from.
const usedFile = "used.json"

// relocation takes programs and files out of packages, so that they run where
// nothing of Debian is installed.
type relocation struct {
	platform platform
	programs []string          // paths in packages; they go to bin/
	files    map[string]string // path in packages → path in the result
}

// into fills a directory with bin/, lib/ and the files, and returns the packages
// that they are from.
func (r relocation) into(ctx context.Context, dir, scratch string, l *debian.Lock, s *debian.Store) ([]string, error) {
	libDirs := []string{"usr/lib/" + r.platform.triplet, "usr/lib"}
	t, err := unpack(ctx, scratch, l, s, func(name string) bool {
		if _, ok := r.files[name]; ok || slices.Contains(r.programs, name) || name == "usr/"+r.platform.loader {
			return true
		}
		return slices.ContainsFunc(libDirs, func(d string) bool {
			rest, ok := strings.CutPrefix(name, d+"/")
			return ok && strings.Contains(path.Base(rest), ".so")
		})
	})
	if err != nil {
		return nil, err
	}
	defer t.root.Close()
	// Packages have everything below usr/; the root has links to it (usrmerge).
	for _, d := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := t.root.Symlink("usr/"+d, d); err != nil {
			return nil, err
		}
	}
	closure, err := relocate.Find(t.root, r.programs, libDirs)
	if err != nil {
		return nil, err
	}
	if closure.Loader.Path == "" {
		return nil, fmt.Errorf("%v have no loader", r.programs)
	}
	used := map[string]bool{}
	take := func(from, to string, mode os.FileMode) error {
		used[t.owner[from]] = true
		to = filepath.Join(dir, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return t.copyOut(from, to, mode)
	}
	for _, p := range r.programs {
		if err := take(p, "bin/"+path.Base(p), 0o755); err != nil {
			return nil, err
		}
	}
	if err := take(closure.Loader.Path, "lib/"+closure.Loader.Name, 0o755); err != nil {
		return nil, err
	}
	for _, lib := range closure.Libraries {
		if err := take(lib.Path, "lib/"+lib.Name, 0o644); err != nil {
			return nil, err
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.files)) {
		if err := take(from, r.files[from], 0o644); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(used)), nil
}

// relocatedCommand is the argv prefix that runs a program of a relocated part.
func relocatedCommand(dir string, p platform, program string) []string {
	return []string{
		filepath.Join(dir, "lib", path.Base(p.loader)),
		"--library-path", filepath.Join(dir, "lib"),
		filepath.Join(dir, "bin", program),
	}
}

func writeUsed(dir string, packages []string) error {
	data, err := json.Marshal(packages)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, usedFile), data, 0o644)
}

func readUsed(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, usedFile))
	if err != nil {
		return nil, err
	}
	var packages []string
	return packages, json.Unmarshal(data, &packages)
}
