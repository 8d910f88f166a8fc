package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// byHand is what a careful person would type instead of an installation.
const byHand = `zstd -dc "$PACK" | tar -x -C "$DIR" && cd "$DIR" && sha256sum --quiet -c "$SUMS" && sync`

// install measures the way from the pack's file to a verified, durable
// installation, what that takes, and what updates fetch.
func install(b *B) {
	keys := developerKeys()
	sums := b.writeSums(keys)
	b.part("install/base/time", func() {
		ours := func() time.Duration {
			dir := filepath.Join(b.dir, "ours")
			defer b.remove(dir)
			return timed(func() { installPack(b.ctx, b.pack, dir, keys) })
		}
		theirs := func() time.Duration {
			dir := filepath.Join(b.dir, "theirs")
			check(os.Mkdir(dir, 0o755))
			defer b.remove(dir)
			cmd := exec.CommandContext(b.ctx, "sh", "-c", byHand)
			cmd.Env = append(os.Environ(), "PACK="+b.pack, "DIR="+dir, "SUMS="+sums)
			return timed(func() {
				out, err := cmd.CombinedOutput()
				checkf(err, "the comparator: %s", out)
			})
		}
		b.compare("install/base/time", byHand, ours, theirs)
	})
	b.installMemory()
	b.sizes(keys)
	b.updates(keys)
}

// developerKeys trusts the key that ./scripts/pack signs with.
func developerKeys() *trust.KeyRing {
	return must(trust.Load(trust.Options{ConfigDir: app.Options{}.WithDefaults().ConfigDir, Developer: true}))
}

func installPack(ctx context.Context, file, dir string, keys *trust.KeyRing) *pack.Installed {
	return must(pack.Install(ctx, file, must(pack.OpenStore(dir)), keys, pack.InstallOptions{}))
}

// writeSums installs the pack once, which also warms the disk cache for both
// sides, and writes the sums of its files as sha256sum reads them.
func (b *B) writeSums(keys *trust.KeyRing) string {
	dir := filepath.Join(b.dir, "sums")
	defer b.remove(dir)
	var sums strings.Builder
	for _, f := range installPack(b.ctx, b.pack, dir, keys).Manifest.Files {
		fmt.Fprintf(&sums, "%s  %s\n", f.SHA256, f.Path)
	}
	file := filepath.Join(b.dir, "SHA256SUMS")
	check(os.WriteFile(file, []byte(sums.String()), 0o600))
	return file
}

// Bounds of the project, in bytes.
const (
	maxDownload  = 200e6
	maxInstalled = 900e6
	maxMemory    = 256 << 20
)

// megabytes adds a row of sizes; the ratio to a limit is to be below 1.
func (b *B) megabytes(name string, ours int64, comparator string, theirs int64) {
	b.add(row{Name: name, Unit: "MB", Ours: float64(ours) / 1e6, ComparatorName: comparator, Comparator: float64(theirs) / 1e6, Runs: 1})
}

// sizes are those of the pack and of its parts, packed beside unpacked.
func (b *B) sizes(keys *trust.KeyRing) {
	h := b.head(b.pack, keys)
	b.megabytes("size/base/download", h.Size(), "the limit", maxDownload)
	b.megabytes("size/base/installed", h.Manifest.Bytes(), "the limit", maxInstalled)
	all := h.Packed()
	packed, unpacked := map[string]int64{}, map[string]int64{}
	for _, f := range h.Manifest.Files {
		name := partOf(f)
		packed[name] += all[f.Path]
		unpacked[name] += f.Size
	}
	for _, name := range slices.Sorted(maps.Keys(packed)) {
		b.megabytes("size/"+name+"/packed", packed[name], "unpacked", unpacked[name])
	}
}

func partOf(f spec.File) string {
	switch {
	case f.Role == spec.RoleChunks:
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

func (b *B) head(file string, keys *trust.KeyRing) *pack.Head {
	f := must(os.Open(file))
	defer f.Close()
	return must(pack.ReadHead(b.ctx, f, keys, spec.Policy{}))
}

// installOnly makes the bench a program that installs and ends, so that its
// memory can be measured.
const installOnly = "install-only"

// installMemory is the most that an installation takes.
func (b *B) installMemory() {
	dir := must(os.MkdirTemp(b.dir, "memory"))
	defer b.remove(dir)
	cmd := exec.CommandContext(b.ctx, os.Args[0], installOnly, b.pack, dir)
	out, err := cmd.CombinedOutput()
	checkf(err, "an installation alone: %s", out)
	if peak := peakMemory(cmd.ProcessState); peak > 0 { // else this system does not say
		b.megabytes("memory/install/peak", peak, "the limit", maxMemory)
	}
}
