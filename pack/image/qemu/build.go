package qemu

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
	"strings"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/workshop"
)

//go:embed recipe
var recipeFS embed.FS

// Recipe returns the files of recipe/ that the target is made by, by their names:
// scripts, devices and patches.
func (t Target) Recipe() (map[string][]byte, error) {
	files := map[string][]byte{}
	wanted := append([]string{
		"common.sh", recipes[t].script, "devices/" + t.Guest + "-" + t.OS + ".mak", "patches/all", "patches/" + t.OS,
	}, recipes[t].more...)
	for _, w := range wanted {
		err := fs.WalkDir(recipeFS, path.Join("recipe", w), func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(w, "patches/") {
				return nil // no patch for this system
			}
			if err != nil || d.IsDir() {
				return err
			}
			files[name], err = recipeFS.ReadFile(name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Hash identifies how the target is made, to key the result by.
func (t Target) Hash() (string, error) {
	files, err := t.Recipe()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%+v\n", recipes[t])
	if s, ok := sysroots[t]; ok {
		fmt.Fprintf(h, "%q\n", s)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(files[name]))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Directories of a result.
const (
	FilesDir   = "files"   // what goes into the pack below qemu/: bin and share
	LicenceDir = "licence" // the terms of what was built from source, by source package
	LogFile    = "build.log"
)

// Options say what to build.
type Options struct {
	Target  Target
	Lock    *debian.Lock // answers Target.Packages and Target.Sources
	Sysroot *debian.Lock // answers Target.Sysroot; nil when that is empty
	Store   *debian.Store
	Time    time.Time // SOURCE_DATE_EPOCH
	Scratch string    // an empty directory
	More    More
}

// More is what a QEMU has besides that is for no pack but for measuring: it has what
// ours is compared with. The lock has packages that this needs.
type More struct {
	Devices string // lines of devices/….mak
	Options string // of configure
}

// Build makes QEMU in an empty directory. It takes minutes.
func Build(ctx context.Context, o Options, dir string) error {
	if err := o.Target.Check(); err != nil {
		return err
	}
	files := map[string]string{}
	release := ""
	for _, s := range o.Lock.Sources {
		if s.Name == sourceQEMU {
			release = "piwork " + s.Version
		}
		for i, f := range s.Fetchable() {
			files["source/"+s.Files[i].Name] = o.Store.Path(f)
		}
	}
	if release == "" {
		return errors.New("the lock has no source of QEMU")
	}
	if err := addSysroot(files, o); err != nil {
		return err
	}
	scratch := filepath.Join(o.Scratch, "out")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return err
	}
	recipe, err := o.Target.Recipe()
	if err != nil {
		return err
	}
	devices := "recipe/devices/" + o.Target.Guest + "-" + o.Target.OS + ".mak"
	recipe[devices] = append(recipe[devices], o.More.Devices...)
	err = workshop.Job{
		Lock: o.Lock, Store: o.Store, Time: o.Time, Files: files, Texts: recipe, Script: "recipe/" + recipes[o.Target].script,
		Env:     map[string]string{"HOST": o.Target.OS, "GUEST": o.Target.Guest, "RELEASE": release, "MORE_OPTIONS": o.More.Options},
		Scratch: o.Scratch, Log: filepath.Join(dir, LogFile),
	}.Run(ctx, scratch)
	if err != nil {
		return err
	}
	program := filepath.Join(scratch, "bin", o.Target.Program())
	if err := checkBuilt(program, o.Target); err != nil {
		return err
	}
	for from, to := range map[string]string{"bin": FilesDir + "/bin", "share": FilesDir + "/share", "licence": LicenceDir} {
		to = filepath.Join(dir, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(scratch, from), to); err != nil {
			return fmt.Errorf("the build made no %s: %w", from, err)
		}
	}
	return nil
}

// addSysroot puts the packages of the sysroot beside the sources.
func addSysroot(files map[string]string, o Options) error {
	for _, name := range o.Target.Sysroot() {
		i := -1
		if o.Sysroot != nil {
			i = slices.IndexFunc(o.Sysroot.Packages, func(p debian.Package) bool { return p.Name == name })
		}
		if i < 0 {
			return fmt.Errorf("the lock of the sysroot has no package %s", name)
		}
		files["sysroot/"+name+".deb"] = o.Store.Path(o.Sysroot.Packages[i])
	}
	return nil
}
