// Package packbuild is the command that builds a pack from a checkout, for developers.
package packbuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"piwork/pack/spec"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/pack/image"
	"piwork/pack/trust"
)

// buildFlags are those of pack build.
type buildFlags struct {
	os, arch, flavour, qemu, out, dir, version, key, cache, source string
	addOns, lock                                                   []string
	level                                                          int
}

// Command is pack build.
func Command(t *terminal.Terminal) *cobra.Command {
	var b buildFlags
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build a signed pack from a checkout of piwork's source",
		Long: "Builds what the workroom is made of from locked Debian packages, and signs it.\n" +
			"Without --key it is signed by your own developer key, which is made the first\n" +
			"time; only builds of piwork for developers trust it. Parts that did not change\n" +
			"come from the cache. Add-ons (" + strings.Join(image.AddOns(), ", ") + ") become packs of their own,\n" +
			"over the base that is built with them.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return build(c.Context(), t, b) },
	}
	f := cmd.Flags()
	f.StringVar(&b.os, "os", "", "operating system that it is for, as GOOS; otherwise this one")
	f.StringVar(&b.arch, "arch", "", "processor that it is for, as GOARCH; otherwise this one")
	f.StringVar(&b.flavour, "flavour", string(spec.FlavourOwn), "own: kernel and QEMU built from source, with our patches; stock: Debian's, for linux only, built in minutes")
	f.StringVar(&b.qemu, "qemu-dir", "", "for darwin: directory with QEMU and its lock file; it cannot be built elsewhere")
	f.StringVar(&b.out, "out", "", "file to write; otherwise it stays in the cache")
	f.StringVar(&b.dir, "dir", "", "no file: make this directory an unpacked, signed pack for PIWORK_RUNTIME_DIR")
	f.StringVar(&b.version, "version", "", "version of the pack; otherwise one that names its contents")
	f.StringVar(&b.key, "key", "", "private key in PEM to sign with")
	f.StringVar(&b.cache, "cache", "", "directory of the parts that were built before")
	f.StringVar(&b.source, "source", ".", "the checkout")
	f.StringSliceVar(&b.addOns, "addon", nil, "add-on to build too, or all; may be given more than once")
	f.IntVar(&b.level, "level", 0, "how hard to compress, 1 to 22")
	f.StringSliceVar(&b.lock, "lock", nil, "look for newer packages and write the lock files, all or those of some `sets` (--lock=guest,kernel); builds nothing")
	f.Lookup("lock").NoOptDefVal = "all"
	return cmd
}

func build(ctx context.Context, t *terminal.Terminal, b buildFlags) error {
	if b.out != "" && b.dir != "" {
		return flags.Usage("--out and --dir exclude one another")
	}
	if b.level < 0 || b.level > 22 {
		return flags.Usage("--level is from 1 to 22")
	}
	if _, err := os.Stat(filepath.Join(b.source, "pack", "image", "lock")); errors.Is(err, fs.ErrNotExist) {
		return flags.Usage("%s is no checkout of piwork's source; see --source", b.source)
	}
	if slices.Contains(b.addOns, "all") {
		b.addOns = image.AddOns()
	}
	for _, a := range b.addOns {
		if !slices.Contains(image.AddOns(), a) {
			return flags.Usage("--addon %s: there is %s and all", a, strings.Join(image.AddOns(), ", "))
		}
	}
	flavour := spec.Flavour(b.flavour)
	if flavour != spec.FlavourOwn && flavour != spec.FlavourStock {
		return flags.Usage("--flavour %s: there is %s and %s", b.flavour, spec.FlavourOwn, spec.FlavourStock)
	}
	for _, l := range b.lock {
		if l != "all" && !slices.Contains(image.LockGroups(), l) {
			return flags.Usage("--lock=%s: there is %s and all", l, strings.Join(image.LockGroups(), ", "))
		}
	}
	o := image.Options{
		HostOS: b.os, HostArch: b.arch, Flavour: flavour, QEMUDir: b.qemu, CacheDir: b.cache, SourceDir: b.source, OutDir: b.dir, Version: b.version, AddOns: b.addOns,
		Log: func(line string) { t.Hint("%s", words.Printable(line)) },
	}
	if len(b.lock) > 0 {
		if slices.Contains(b.lock, "all") {
			b.lock = nil
		}
		return image.Relock(ctx, o, b.lock...)
	}
	signer, err := packSigner(t, b.key)
	if err != nil {
		return err
	}
	bar := t.StartProgress("Packing")
	made, err := image.BuildArchives(ctx, o, image.ArchiveOptions{Signer: signer, Out: b.out, Level: b.level, Progress: bar.Bytes})
	bar.Stop()
	if err != nil {
		return err
	}
	type built struct {
		Path    string  `json:"path"`
		Name    string  `json:"name"`
		Version string  `json:"version"`
		OS      string  `json:"os"`
		Arch    string  `json:"arch"`
		Files   int     `json:"files"`
		Bytes   int64   `json:"bytes"`
		AddOns  []built `json:"addOns,omitempty"`
	}
	var answer built
	for i, a := range made {
		m := a.Manifest
		one := built{Path: a.Path, Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, Files: len(m.Files), Bytes: m.Bytes()}
		if i == 0 {
			answer = one
		} else {
			answer.AddOns = append(answer.AddOns, one)
		}
	}
	return t.Reply(answer, nil, func() {
		for _, a := range made {
			t.Print("%s", words.Printable(a.Path))
		}
	})
}

// packSigner is a given key, or the developer's own.
func packSigner(t *terminal.Terminal, file string) (*trust.Signer, error) {
	if file != "" {
		return trust.LoadSigner(file, func(bool) ([]byte, error) {
			return nil, fmt.Errorf("%s has a password; unlock it first", file)
		})
	}
	dir := os.Getenv(app.EnvConfigDir)
	if dir == "" {
		dir = filepath.Join(xdg.ConfigHome, "piwork")
	}
	s, made, err := image.DeveloperSigner(dir)
	if err == nil && made {
		t.Hint("Your developer key was made in %s. Keep it to yourself.", words.Printable(dir))
	}
	return s, err
}
