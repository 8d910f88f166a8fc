package packs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/pack/image"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// buildFlags are those of pack build.
type buildFlags struct {
	os, arch, flavour, qemu, out, dir, version, key, cache, source string
	addOns, lock                                                   []string
	level                                                          int
}

// buildCommand builds a pack from a checkout, for developers. It needs no controller.
func buildCommand(t *terminal.Terminal) *cobra.Command {
	var b buildFlags
	cmd := &cobra.Command{
		Use: "build", Annotations: map[string]string{"addons": strings.Join(image.AddOns(), ", ")},
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return build(c.Context(), t, b) },
	}
	f := cmd.Flags()
	f.StringVar(&b.os, "os", "", "")
	f.StringVar(&b.arch, "arch", "", "")
	f.StringVar(&b.flavour, "flavour", string(spec.FlavourOwn), "")
	f.StringVar(&b.qemu, "qemu-dir", "", "")
	f.StringVar(&b.out, "out", "", "")
	f.StringVar(&b.dir, "dir", "", "")
	f.StringVar(&b.version, "version", "", "")
	f.StringVar(&b.key, "key", "", "")
	f.StringVar(&b.cache, "cache", "", "")
	f.StringVar(&b.source, "source", ".", "")
	f.StringSliceVar(&b.addOns, "addon", nil, "")
	f.IntVar(&b.level, "level", 0, "")
	f.StringSliceVar(&b.lock, "lock", nil, "")
	f.Lookup("lock").NoOptDefVal = "all"
	return cmd
}

func build(ctx context.Context, t *terminal.Terminal, b buildFlags) error {
	if b.out != "" && b.dir != "" {
		return flags.Usage("exclude", "one", "--out", "other", "--dir")
	}
	if b.level < 0 || b.level > 22 {
		return flags.Usage("bounds", "flag", "--level", "min", 1, "max", 22)
	}
	if _, err := os.Stat(filepath.Join(b.source, "pack", "image", "lock")); errors.Is(err, fs.ErrNotExist) {
		return flags.Usage("checkout", "path", b.source)
	}
	if slices.Contains(b.addOns, "all") {
		b.addOns = image.AddOns()
	}
	for _, a := range b.addOns {
		if !slices.Contains(image.AddOns(), a) {
			return flags.Usage("one-of", "flag", "--addon", "value", a, "choices", append(image.AddOns(), "all"))
		}
	}
	flavour := spec.Flavour(b.flavour)
	if flavour != spec.FlavourOwn && flavour != spec.FlavourStock {
		return flags.Usage("one-of", "flag", "--flavour", "value", b.flavour, "choices", []string{string(spec.FlavourOwn), string(spec.FlavourStock)})
	}
	for _, l := range b.lock {
		if l != "all" && !slices.Contains(image.LockGroups(), l) {
			return flags.Usage("one-of", "flag", "--lock", "value", l, "choices", append(image.LockGroups(), "all"))
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
	dir := app.Options{}.WithDefaults().ConfigDir
	s, made, err := image.DeveloperSigner(dir)
	if err == nil && made {
		t.HintText("developer-key", "path", dir)
	}
	return s, err
}
