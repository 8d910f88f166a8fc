//go:build vm && linux

package guestvm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/spec"
	"piwork/scripts/lib/kept"
)

// keptFiles is a directory with the files of a template, for the next run of the tests.
// Its name is of what the machine was made of: the pack and the agent.
type keptFiles struct{ dir string }

// keptTemplate is where the template of a warmed machine is kept. dir is "" where none is:
// nobody named a directory, or the machine has disks or folders of its test.
func keptTemplate(t *testing.T, opts Options) (k keptFiles, err error) {
	t.Helper()
	if os.Getenv(kept.Env) == "" || len(opts.Disks) > 0 || opts.ServeFS != nil || opts.Pack != "" || opts.Arch != "" {
		return k, nil
	}
	base, _, err := kept.Dir("warmed")
	if err != nil {
		return k, err
	}
	from := os.Getenv("PIWORK_RUNTIME_DIR")
	h := sha256.New()
	fmt.Fprintln(h, from, opts.MemoryMB, opts.CommandLine, opts.Root)
	for _, name := range []string{filepath.Join(from, spec.ManifestName), buildProgram(t, "piwork-guest", "")} {
		b, err := os.ReadFile(name)
		if err != nil {
			return k, fmt.Errorf("name a template that is kept: %w", err)
		}
		h.Write(b)
	}
	return keptFiles{filepath.Join(base, hex.EncodeToString(h.Sum(nil)[:12]))}, nil
}

func (k keptFiles) there() bool {
	_, err := os.Stat(k.dir)
	return err == nil
}

func (k keptFiles) template() *Template {
	at := func(name string) string { return filepath.Join(k.dir, name) }
	return &Template{initramfs: at("initramfs"), ram: at("ram"), state: at("state"), work: at("work")}
}

// keep gives the files of a template second names there. None is ever written to.
func (k keptFiles) keep(from *Template) (*Template, error) {
	dir, err := os.MkdirTemp(filepath.Dir(k.dir), "new")
	if err != nil {
		return nil, fmt.Errorf("keep a template: %w", err)
	}
	to := keptFiles{dir}.template()
	err = errors.Join(
		kept.LinkFile(from.initramfs, to.initramfs), kept.LinkFile(from.ram, to.ram),
		kept.LinkFile(from.state, to.state), kept.LinkFile(from.work, to.work),
	)
	if err == nil {
		err = os.Rename(dir, k.dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
		if !k.there() { // another run may have made it meanwhile
			return nil, fmt.Errorf("keep a template: %w", err)
		}
	}
	return k.template(), nil
}
