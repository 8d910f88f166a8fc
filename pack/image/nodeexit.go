package image

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/pack/guest/nodeexit"
	"piwork/pack/image/kernel"
	"piwork/pack/image/workshop"
)

// nodeExitPath is where the add-on is in the guest's root.
var nodeExitPath = strings.TrimPrefix(nodeexit.Path, "/")

// exitAddOn is the add-on that ends a Node right after its program, as files of
// the root, and what keys them.
type exitAddOn struct {
	files fs.FS
	key   string
}

// nodeExit builds that add-on, in the room of the kernel.
func (b *builder) nodeExit(ctx context.Context) (exitAddOn, error) {
	texts := map[string][]byte{}
	for _, name := range []string{"exit.c", "build.sh"} {
		data, err := nodeexit.Source.ReadFile("source/" + name)
		if err != nil {
			return exitAddOn{}, err
		}
		texts[name] = data
	}
	cross, err := kernel.Compiler(b.guest.qemu)
	if err != nil {
		return exitAddOn{}, err
	}
	recipe, err := keyOf("node-exit", texts, cross, nodeExitPath)
	if err != nil {
		return exitAddOn{}, err
	}
	set := kernelSet(b.guest)
	part, err := b.compiled(ctx, "node-exit."+b.guest.qemu, recipe, []string{set}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		out := filepath.Join(scratch, "out")
		if err := os.Mkdir(out, 0o755); err != nil {
			return err
		}
		job := workshop.Job{
			Lock: b.locks[set], Store: b.store, Time: b.timeOf(set), Texts: texts, Script: "build.sh",
			Env: map[string]string{"CROSS_COMPILE": cross}, Scratch: scratch, Log: filepath.Join(dir, "build.log"),
		}
		if err := job.Run(ctx, out); err != nil {
			return fmt.Errorf("node-exit: %w", err)
		}
		to := filepath.Join(dir, nodeExitRoot, filepath.FromSlash(nodeExitPath))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.Rename(filepath.Join(out, "exit.node"), to)
	}))
	if err != nil {
		return exitAddOn{}, err
	}
	return exitAddOn{os.DirFS(filepath.Join(part, nodeExitRoot)), filepath.Base(part)}, nil
}

// nodeExitRoot is, in the part, what goes into the guest's root.
const nodeExitRoot = "root"
