package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"piwork/pack"
	"piwork/pack/trust"
)

// byHand is what a careful person would type instead of an installation.
const byHand = `zstd -dc "$PACK" | tar -x -C "$DIR" && cd "$DIR" && sha256sum --quiet -c "$SUMS" && sync`

// install measures the way from the pack's file to a verified, durable
// installation.
func install(ctx context.Context, e env, runs int) ([]row, error) {
	keys, err := developerKeys()
	if err != nil {
		return nil, err
	}
	sums, err := writeSums(ctx, e, keys)
	if err != nil {
		return nil, err
	}
	ours := func() (time.Duration, error) {
		dir := filepath.Join(e.dir, "ours")
		defer os.RemoveAll(dir)
		store, err := pack.OpenStore(dir)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		_, err = pack.Install(ctx, e.pack, store, keys, pack.InstallOptions{})
		return time.Since(began), err
	}
	theirs := func() (time.Duration, error) {
		dir := filepath.Join(e.dir, "theirs")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		cmd := exec.CommandContext(ctx, "sh", "-c", byHand)
		cmd.Env = append(os.Environ(), "PACK="+e.pack, "DIR="+dir, "SUMS="+sums)
		began := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("the comparator: %w: %s", err, out)
		}
		return time.Since(began), nil
	}
	time, err := compare(runs, "install/base/time", byHand, ours, theirs)
	if err != nil {
		return nil, err
	}
	rows := []row{time}
	for _, more := range []func(context.Context, env, *trust.KeyRing) ([]row, error){memory, sizes, updates} {
		r, err := more(ctx, e, keys)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r...)
	}
	return rows, nil
}

// writeSums installs the pack once, which also warms the disk cache for both
// sides, and writes the sums of its files as sha256sum reads them.
func writeSums(ctx context.Context, e env, keys *trust.KeyRing) (string, error) {
	dir := filepath.Join(e.dir, "sums")
	defer os.RemoveAll(dir)
	store, err := pack.OpenStore(dir)
	if err != nil {
		return "", err
	}
	in, err := pack.Install(ctx, e.pack, store, keys, pack.InstallOptions{})
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, f := range in.Manifest.Files {
		fmt.Fprintf(&sums, "%s  %s\n", f.SHA256, f.Path)
	}
	file := filepath.Join(e.dir, "SHA256SUMS")
	return file, os.WriteFile(file, []byte(sums.String()), 0o600)
}
