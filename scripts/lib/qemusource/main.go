// Command qemusource fetches the source of QEMU that packs are built from, in the version that
// the lock file names, for a computer that has no apt: pack/image/qemu/recipe/darwin.sh builds
// it on a Mac.
//
//	go run ./scripts/lib/qemusource DIR      from the top of the repository
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"piwork/pack/image/debian"
)

const lockFile = "pack/image/lock/qemu-amd64.json"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: qemusource DIR")
		os.Exit(2) //nolint:gocritic // nothing is left to stop
	}
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fetch the source of QEMU:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, dir string) error {
	lock, err := debian.ReadLock(lockFile)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		return err
	}
	return fetch(ctx, lock, mirrors, filepath.Join(cache, "piwork-build", "debs"), dir)
}

// fetch puts the files of the lock's source packages into dir, by their names.
func fetch(ctx context.Context, lock *debian.Lock, mirrors debian.Mirrors, cache, dir string) error {
	if len(lock.Sources) == 0 {
		return errors.New("the lock has none")
	}
	store, err := debian.OpenStore(cache)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "qemusource-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	apt, err := debian.NewApt(filepath.Join(scratch, "apt"), lock.Suite, lock.Architecture, mirrors)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // nothing in it is private
		return err
	}
	for _, s := range lock.Sources {
		files := s.Fetchable()
		if err := store.Fetch(ctx, apt, files, nil); err != nil {
			return err
		}
		for i, f := range files {
			data, err := os.ReadFile(store.Path(f))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, s.Files[i].Name), data, 0o644); err != nil { //nolint:gosec // as above
				return err
			}
		}
	}
	return nil
}
