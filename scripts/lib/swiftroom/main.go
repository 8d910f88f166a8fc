// Command swiftroom compiles the SDK for Swift, its tests and its example where no Swift is: in a
// room of Debian packages that a lock file names, without a network. It prints the directory of
// what it made, which stays in the cache; the same sources and packages are compiled once.
//
//	go run ./scripts/lib/swiftroom      from the top of the repository
//
// The directory has the programs, the libraries that they need (this computer's may be older), and
// run, which starts one of the programs with these: `run first /home/me/Lists`.
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"piwork/pack/image/debian"
	"piwork/pack/image/workshop"
)

//go:embed room.sh
var script []byte

const (
	lockFile = "pack/image/lock/swift-amd64.json"
	sources  = "app/sdk/swift"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cache, err := os.UserCacheDir()
	dir := ""
	if err == nil {
		dir, err = compiled(ctx, filepath.Join(cache, "piwork-build"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compile the SDK for Swift:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
	fmt.Fprintln(os.Stdout, dir)
}

// compiled returns the directory of what is compiled from the sources as they are.
func compiled(ctx context.Context, cache string) (string, error) {
	files, err := texts(os.DirFS("."))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "test", "swift", key(files))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // nothing in it is private
		return "", err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	if err := compile(ctx, cache, scratch, files); err != nil {
		return "", err
	}
	if err := forget(filepath.Dir(dir), filepath.Base(scratch)); err != nil {
		return "", err
	}
	return dir, os.Rename(filepath.Join(scratch, "out"), dir)
}

// forget removes what was compiled from other sources.
func forget(dir, except string) error {
	all, err := os.ReadDir(dir)
	for _, old := range all {
		if old.Name() != except {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, old.Name())))
		}
	}
	return err
}

// texts are the files of the package by path, and what else the result is made of.
func texts(root fs.FS) (map[string][]byte, error) {
	all := map[string][]byte{"room.sh": script}
	add := func(name, file string) error {
		text, err := fs.ReadFile(root, file)
		all[name] = text
		return err
	}
	if err := add("lock", lockFile); err != nil {
		return nil, err
	}
	return all, fs.WalkDir(root, sources, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".build":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return add("swift"+file[len(sources):], file)
	})
}

// key is a digest of texts and their names.
func key(texts map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(h, "%q %d\n%s", name, len(texts[name]), texts[name])
	}
	return fmt.Sprintf("%.16x", h.Sum(nil))
}

// compile has the room's script put its result into scratch/out.
func compile(ctx context.Context, cache, scratch string, files map[string][]byte) error {
	lock, err := debian.ReadLock(lockFile)
	if err != nil {
		return err
	}
	store, err := debian.OpenStore(filepath.Join(cache, "debs"))
	if err != nil {
		return err
	}
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		return err
	}
	apt, err := debian.NewApt(filepath.Join(scratch, "apt"), lock.Suite, lock.Architecture, mirrors)
	if err != nil {
		return err
	}
	if err := store.Fetch(ctx, apt, lock.Packages, nil); err != nil {
		return err
	}
	out, room := filepath.Join(scratch, "out"), filepath.Join(scratch, "room")
	if err := errors.Join(os.Mkdir(out, 0o755), os.Mkdir(room, 0o755)); err != nil { //nolint:gosec // nothing in them is private
		return err
	}
	return workshop.Job{
		Lock: lock, Store: store, Time: lock.Time, Texts: files, Script: "room.sh", Scratch: room, Log: filepath.Join(scratch, "log"),
	}.Run(ctx, out)
}
