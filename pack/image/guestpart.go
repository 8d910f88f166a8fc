package image

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"piwork/pack/image/root"
	"piwork/pack/spec"
)

// overlayDir has files of the guest's root, in the checkout.
const overlayDir = "pack/guest/rootfs"

// treeFile is, in the part of a root, what it consists of: layers are made
// against it.
const treeFile = "tree.json"

// guestSources are the files of this package that decide what is made of a
// bootstrap. They, not all of it, are in the keys of roots and layers.
var guestSources = []string{"guestpart.go", "programs.go", "rootfs.go", "internal/", "npm/", "root/", "verity/"}

// guestRecipe is what the recipe says about the root besides packages.
type guestRecipe struct {
	User    root.User
	Dirs    []root.Dir
	Content map[string]string
}

// verityOf reads what the hash tree of a part's image is.
func verityOf(dir string) (*spec.Verity, error) {
	data, err := os.ReadFile(filepath.Join(dir, verityFile))
	if err != nil {
		return nil, err
	}
	var v spec.Verity
	return &v, json.Unmarshal(data, &v)
}

// rootfs makes the guest's base image, with programs of ours in it. These change
// with every line of their code: a new image takes seconds then, because it is
// made of the bootstrap as it was, and no layer is made again, because none
// depends on them.
func (b *builder) rootfs(ctx context.Context, toolDir string, own ownPrograms) (string, error) {
	recipe, err := sourceHash(guestSources...)
	if err != nil {
		return "", err
	}
	overlays, keys, err := b.overlays(ctx)
	if err != nil {
		return "", err
	}
	ours := os.DirFS(own.root)
	hash, err := treeHash(ours)
	if err != nil {
		return "", err
	}
	installed, err := b.bootstrap(ctx)
	if err != nil {
		return "", err
	}
	keys = append(keys, guestRecipe{guestUser, guestDirs, guestContent}, path.Base(toolDir), path.Base(installed), hash)
	return b.compiled(ctx, "rootfs", recipe, nil, keys, b.scratch(func(ctx context.Context, dir, scratch string) error {
		archive := filepath.Join(scratch, "root.tar")
		if err := decompress(archive, filepath.Join(installed, bootstrapFile)); err != nil {
			return err
		}
		r := rootfs{
			brings: b.locks[setGuest], overlays: append(overlays, ours), time: b.timeOf(setGuest), log: b.log,
			mkfs: relocatedCommand(toolDir, rooms, "mkfs.erofs"), image: path.Base(rootfsPath), held: []string{operatePath},
		}
		return r.into(ctx, dir, scratch, archive)
	}))
}

// overlays are the files that neither come from Debian nor are built from the
// checkout: the programs from npm, and files of the checkout.
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
