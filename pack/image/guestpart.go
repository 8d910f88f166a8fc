package image

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"piwork/pack"
	"piwork/pack/image/root"
)

// overlayDir has files of the guest's root, in the checkout.
const overlayDir = "pack/guest/rootfs"

// treeFile is, in the part of a root, what it consists of: layers are made
// against it.
const treeFile = "tree.json"

// guestSources are the files of this package that decide about roots. They, not
// all of it, are in the keys of roots and layers, which take minutes.
var guestSources = []string{"guestpart.go", "programs.go", "rootfs.go", "bootstrap/", "debian/", "internal/", "npm/", "root/", "verity/"}

// guestRecipe is what the recipe says about the root besides packages.
type guestRecipe struct {
	User    root.User
	Dirs    []root.Dir
	Content map[string]string
}

// verityOf reads what the hash tree of a part's image is.
func verityOf(dir string) (*pack.Verity, error) {
	data, err := os.ReadFile(filepath.Join(dir, verityFile))
	if err != nil {
		return nil, err
	}
	var v pack.Verity
	return &v, json.Unmarshal(data, &v)
}

// rootfs makes the guest's base image.
func (b *builder) rootfs(ctx context.Context, toolDir string) (string, error) {
	recipe, err := sourceHash(guestSources...)
	if err != nil {
		return "", err
	}
	overlays, keys, err := b.overlays(ctx)
	if err != nil {
		return "", err
	}
	keys = append(keys, guestRecipe{guestUser, guestDirs, guestContent}, path.Base(toolDir))
	return b.compiled(ctx, "rootfs", recipe, []string{setGuest}, keys, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := rootfs{
			lock: b.locks[setGuest], store: b.store, overlays: overlays, time: b.timeOf(setGuest), log: b.log,
			mkfs: relocatedCommand(toolDir, rooms, "mkfs.erofs"), image: path.Base(rootfsPath),
		}
		return r.into(ctx, dir, scratch)
	}))
}

// overlays are the files that do not come from Debian: the programs from npm,
// and those of the checkout.
func (b *builder) overlays(ctx context.Context) (list []fs.FS, keys []any, err error) {
	own := os.DirFS(filepath.Join(b.SourceDir, filepath.FromSlash(overlayDir)))
	hash, err := treeHash(own)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", overlayDir, err)
	}
	programs, err := b.programsPart(ctx)
	if err != nil {
		return nil, nil, err
	}
	list = []fs.FS{os.DirFS(programs)}
	if hash != "" {
		list = append(list, own)
	}
	return list, []any{path.Base(programs), hash}, nil
}
