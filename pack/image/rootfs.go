package image

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/root"
	"piwork/pack/image/verity"
	"piwork/pack/spec"
)

// rootLabel and rootID identify the root file system: the content does, not
// these, so they never change.
const (
	rootLabel = "piwork-root"
	rootID    = "3f0d4c5e-94f3-4a0c-8d6b-1f5e7c0a2b46"
)

// veritySalt is the same for all images: what is the same in two versions of an
// image is then the same in their hash trees too, and need not be fetched again.
// A salt would otherwise only make precomputed collisions useless, which SHA-256
// does not have.
var veritySalt = sha256.Sum256([]byte("piwork image"))

// verityFile is, in a part with an image, what its hash tree is (spec.Verity).
const verityFile = "verity.json"

// A rootfs is how the root file system, or a layer over it, is made of what was
// installed.
type rootfs struct {
	brings   *debian.Lock // packages that are new in it
	overlays []fs.FS
	mkfs     []string // argv prefix of mkfs.erofs
	time     time.Time
	image    string                 // name of the result
	held     []string               // files that layers cannot have, and do not depend on
	base     *root.Tree             // nil, or what the layer lies over
	status   []byte                 // dpkg's list, for a layer
	drop     func(name string) bool // nil, or files that are left out besides root.Drop
	log      func(format string, a ...any)
}

// The root image is erofs without compression. Measured with this recipe, in
// slow mode, reading cold (median of 3; size on disk and in the pack):
//
//	                        on disk  in pack  magick  import img2pdf  mount
//	erofs, plain             183 MB    54 MB  170 ms           3.1 s    6 ms
//	squashfs zstd-19 128K     58 MB    58 MB  354 ms           4.5 s   32 ms
//	squashfs zstd-19 1M       52 MB    52 MB  479 ms           6.2 s   44 ms
//	erofs zstd-3 64K          77 MB    77 MB  371 ms           3.2 s    7 ms
//	erofs lz4hc-9 64K         88 MB    87 MB  313 ms           3.0 s   13 ms
//
// The pack compresses it anyway, small changes stay small for updates, and
// writing it takes a third of a second.
//
// The last parts of files have blocks of their own instead of standing among the
// inodes (noinline_data). An inode says at which block its file is, so that when
// one file gets longer all inodes behind it change: with ends of files between
// them an update of one library (3.7 MB of 484) fetched 10 % of the image,
// without 1.9 %. It costs 5 % on disk and 1 % in the pack.
//
// mkfs.erofs 1.8.6 with -E fragments from a tar archive writes images with zeros
// in files: do not use it.
func mkfsArguments(image, tarFile string, t time.Time) []string {
	return []string{
		"--quiet", "--tar=f", "--sort=path", "-Enoinline_data", "-L", rootLabel, "-U", rootID, "-x-1",
		fmt.Sprintf("-T%d", t.Unix()), image, tarFile,
	}
}

// into writes the image of what was installed (a tar archive) to dir. scratch is
// a directory for what lies between.
func (r rootfs) into(ctx context.Context, dir, scratch, installed string) error {
	normal := filepath.Join(scratch, "normal.tar")
	tree, err := r.rewrite(installed, normal)
	if err != nil {
		return err
	}
	image := filepath.Join(dir, r.image)
	argv := append(slices.Clone(r.mkfs), mkfsArguments(image, normal, r.time)...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = []string{"LC_ALL=C", "PATH=/nonexistent", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.erofs: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Chmod(image, 0o644); err != nil {
		return err
	}
	hashes, err := verity.Append(image, veritySalt[:])
	if err != nil {
		return err
	}
	about := spec.Verity{RootHash: hex.EncodeToString(hashes.Root[:]), Salt: hex.EncodeToString(veritySalt[:]), DataBlocks: hashes.DataBlocks}
	if err := writeJSON(filepath.Join(dir, verityFile), about); err != nil {
		return err
	}
	var names []string
	for _, p := range r.brings.Packages {
		names = append(names, p.Name)
	}
	for _, name := range r.held {
		n, ok := tree[name]
		if !ok {
			return fmt.Errorf("%s has no %s", r.image, name)
		}
		n.Size, n.SHA256 = 0, "" // no file of a layer is the same
		tree[name] = n
	}
	return errors.Join(writeUsed(dir, names), writeTree(dir, tree))
}

// rewrite normalises what was installed.
func (r rootfs) rewrite(from, to string) (root.Tree, error) {
	in, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	out, err := os.Create(to)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 1<<20)
	o := root.Options{Time: r.time, User: guestUser, Content: maps.Clone(guestContent), Dirs: guestDirs, Overlays: r.overlays}
	if r.drop != nil {
		o.Drop = func(name string) bool { return root.Drop(name) || r.drop(name) }
	}
	if r.base != nil {
		o.Base, o.Keep = r.base, baseKeeps
		for _, p := range r.brings.Packages {
			o.Content["var/lib/dpkg/status.d/"+p.Name] = debian.StatusOf(r.status, p.Name)
		}
	}
	stats, err := root.Rewrite(w, in, info.Size(), o)
	if err != nil {
		return nil, err
	}
	r.log("%s: %d files, %s", r.image, stats.Entries, megabytes(stats.Bytes))
	return stats.Tree, errors.Join(w.Flush(), out.Close())
}
