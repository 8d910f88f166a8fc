package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"piwork/pack"
	"piwork/pack/trust"
)

// Bounds of the project, in bytes.
const (
	maxDownload  = 200e6
	maxInstalled = 900e6
	maxMemory    = 256 << 20
)

// megabytes is a row of sizes; the ratio to a limit is to be below 1.
func megabytes(name string, ours int64, comparator string, theirs int64) row {
	r := row{
		Name: name, Unit: "MB", Ours: float64(ours) / 1e6, ComparatorName: comparator, Comparator: float64(theirs) / 1e6,
		Better: "lower", Runs: 1,
	}
	if theirs > 0 {
		r.Ratio = r.Ours / r.Comparator
	}
	return r
}

// sizes are those of the pack and of its parts, packed beside unpacked.
func sizes(ctx context.Context, e env, keys *trust.KeyRing) ([]row, error) {
	h, err := headOf(ctx, e.pack, keys)
	if err != nil {
		return nil, err
	}
	rows := []row{
		megabytes("size/base/download", h.Size(), "the limit", maxDownload),
		megabytes("size/base/installed", h.Manifest.Bytes(), "the limit", maxInstalled),
	}
	packed := h.Packed()
	type size struct{ packed, unpacked int64 }
	parts := map[string]*size{}
	for _, f := range h.Manifest.Files {
		name := partOf(f)
		if parts[name] == nil {
			parts[name] = &size{}
		}
		parts[name].packed += packed[f.Path]
		parts[name].unpacked += f.Size
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		rows = append(rows, megabytes("size/"+name+"/packed", parts[name].packed, "unpacked", parts[name].unpacked))
	}
	return rows, nil
}

func partOf(f pack.File) string {
	switch {
	case f.Role == pack.RoleChunks:
		return "chunk-index"
	case strings.HasPrefix(f.Path, "qemu/"):
		return "qemu"
	case strings.HasPrefix(f.Path, "licenses/"):
		return "licences"
	case strings.HasPrefix(f.Path, "guest/"):
		return string(f.Role)
	}
	return "rest"
}

func headOf(ctx context.Context, file string, keys *trust.KeyRing) (*pack.Head, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return pack.ReadHead(ctx, f, keys, pack.Policy{})
}

// installOnly makes the bench a program that installs and ends, so that its
// memory can be measured.
const installOnly = "install-only"

func installAlone(ctx context.Context, file, dir string) error {
	keys, err := developerKeys()
	if err != nil {
		return err
	}
	store, err := pack.OpenStore(dir)
	if err != nil {
		return err
	}
	_, err = pack.Install(ctx, file, store, keys, pack.InstallOptions{})
	return err
}

// memory is the most that an installation takes.
func memory(ctx context.Context, e env, _ *trust.KeyRing) ([]row, error) {
	dir, err := os.MkdirTemp(e.dir, "memory")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, os.Args[0], installOnly, e.pack, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("an installation alone: %w: %s", err, out)
	}
	peak := peakMemory(cmd.ProcessState)
	if peak == 0 {
		return nil, nil // this system does not say
	}
	return []row{megabytes("memory/install/peak", peak, "the limit", maxMemory)}, nil
}
