package kernel

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/workshop"
)

//go:embed recipe
var recipeFS embed.FS

// Source is the package with Debian's kernel source, Debian's patches applied. It
// follows Debian's security updates of the same long-term kernel.
const Source = "linux-source-6.12"

// BuildArch is the architecture of the room in which every kernel is built, as
// Debian names it.
const BuildArch = "amd64"

// Files of a result.
const (
	ImageFile  = "kernel"    // what QEMU's -kernel takes: an ELF vmlinux with PVH entry, or arm64's Image
	ConfigFile = "config"    // the whole configuration, to read
	patchFile  = "patches"   // what became of our patches, for ReadPatched
	LogFile    = "build.log" // of the build
)

// target is what differs between architectures of guests.
type target struct {
	arch     string   // as the kernel names it
	image    string   // target of make
	packages []string // of the room, besides common
	cross    string   // prefix of the compiler's programs
}

// common is what every build needs: a compiler, what Kbuild calls, the source and
// what our patches are applied with.
var common = []string{
	"?and(?essential,?not(?exact-name(apt)))",
	"gcc", "libc6-dev", "make", "flex", "bison", "bc", "perl", "xz-utils", "libelf-dev", "patch", Source,
}

// targets by the guest's architecture as QEMU names it.
var targets = map[string]target{
	"x86_64":  {arch: "x86", image: "vmlinux"},
	"aarch64": {arch: "arm64", image: "Image", packages: []string{"gcc-aarch64-linux-gnu"}, cross: "aarch64-linux-gnu-"},
}

func targetFor(guest string) (target, error) {
	t, ok := targets[guest]
	if !ok {
		return t, fmt.Errorf("no recipe for a kernel of %s (there is: %v)", guest, slices.Sorted(maps.Keys(targets)))
	}
	return t, nil
}

// Packages are what to ask apt for, for the room in which the kernel of a guest
// is built.
func Packages(guest string) ([]string, error) {
	t, err := targetFor(guest)
	return slices.Concat(common, t.packages), err
}

// recipe is the directory recipe/, by path as the room has it.
func recipe() (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := fs.WalkDir(recipeFS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		texts[name], err = fs.ReadFile(recipeFS, name)
		return err
	})
	return texts, err
}

// Hash identifies the recipe for a guest, to key what is built by.
func Hash(guest string) (string, error) {
	t, err := targetFor(guest)
	if err != nil {
		return "", err
	}
	texts, err := recipe()
	return hashOf(t, texts), err
}

// Recipe returns the files that the kernel of a guest is built by, by their names:
// configurations, scripts and patches.
func Recipe(guest string) (map[string][]byte, error) {
	t, err := targetFor(guest)
	if err != nil {
		return nil, err
	}
	texts, err := recipe()
	if err != nil {
		return nil, err
	}
	for name := range texts {
		if t.othersConfig(name) {
			delete(texts, name)
		}
	}
	return texts, nil
}

// othersConfig tells whether a file of the recipe is the configuration of another
// guest's kernel.
func (t target) othersConfig(name string) bool {
	return path.Ext(name) == ".config" && name != "recipe/common.config" && name != "recipe/"+t.arch+".config"
}

func hashOf(t target, texts map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+q\n", []string{t.arch, t.image, t.cross})
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if t.othersConfig(name) {
			continue
		}
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(texts[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Options say what to build.
type Options struct {
	Guest   string       // architecture, as QEMU names it
	Lock    *debian.Lock // answers Packages
	Store   *debian.Store
	Time    time.Time // in the kernel's version
	Scratch string    // an empty directory

	// More are further lines of configuration, for a kernel that is measured and
	// in no pack.
	More string
}

// Build makes the kernel in an empty directory. It takes minutes.
func Build(ctx context.Context, o Options, dir string) error {
	scratch, err := o.run(ctx, "recipe/build.sh", filepath.Join(dir, LogFile))
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	image, err := os.ReadFile(filepath.Join(scratch, ImageFile))
	if err != nil {
		return fmt.Errorf("the build made no kernel: %w", err)
	}
	if err := checkImage(o.Guest, image); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Join(scratch, ImageFile), 0o644); err != nil {
		return err
	}
	if _, err := ReadPatched(scratch); err != nil {
		return err
	}
	for _, name := range []string{ImageFile, ConfigFile, patchFile} {
		if err := os.Rename(filepath.Join(scratch, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("the build made no %s: %w", name, err)
		}
	}
	return nil
}

// run carries a script of the recipe out, in a directory that it returns.
func (o Options) run(ctx context.Context, script, log string) (string, error) {
	t, err := targetFor(o.Guest)
	if err != nil {
		return "", err
	}
	version := SourceVersion(o.Lock)
	if version == "" {
		return "", fmt.Errorf("the lock has no package %s", Source)
	}
	out := filepath.Join(o.Scratch, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		return "", err
	}
	texts, err := recipe()
	if err != nil {
		return "", err
	}
	patches, err := Patches()
	if err != nil {
		return "", err
	}
	texts["recipe/patches.list"] = patchList(patches)
	texts["recipe/"+t.arch+".config"] = append(texts["recipe/"+t.arch+".config"], o.More...)
	return out, workshop.Job{
		Lock: o.Lock, Store: o.Store, Time: o.Time, Texts: texts, Script: script,
		Env: map[string]string{
			"SOURCE": Source, "DEBIAN": version,
			"ARCH": t.arch, "IMAGE": t.image, "CROSS_COMPILE": t.cross,
		},
		Scratch: o.Scratch, Log: log,
	}.Run(ctx, out)
}

// errNotBootable is wrapped by every refusal of a kernel.
var errNotBootable = errors.New("QEMU could not start this kernel")
