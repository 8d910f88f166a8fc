package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"piwork/pack"
	"piwork/pack/image/bootstrap"
	"piwork/pack/image/debian"
	"piwork/pack/image/root"
	"piwork/pack/image/verity"
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

// verityFile is, in a part with an image, what its hash tree is (pack.Verity).
const verityFile = "verity.json"

// A rootfs is how the root file system, or a layer over it, is made.
type rootfs struct {
	lock     *debian.Lock // everything that is installed
	store    *debian.Store
	overlays []fs.FS
	mkfs     []string // argv prefix of mkfs.erofs
	time     time.Time
	image    string                 // name of the result
	base     *root.Tree             // nil, or what the layer lies over
	layer    *debian.Lock           // what the layer adds to the base
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

// into writes the image to dir. scratch is an empty directory for what lies
// between.
func (r rootfs) into(ctx context.Context, dir, scratch string) error {
	bootstrap := filepath.Join(scratch, "bootstrap.tar")
	if err := r.bootstrap(ctx, bootstrap, filepath.Join(dir, "bootstrap.log")); err != nil {
		return err
	}
	status, err := r.check(bootstrap)
	if err != nil {
		return err
	}
	normal := filepath.Join(scratch, "root.tar")
	tree, err := r.rewrite(bootstrap, normal, status)
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
	about := pack.Verity{RootHash: hex.EncodeToString(hashes.Root[:]), Salt: hex.EncodeToString(veritySalt[:]), DataBlocks: hashes.DataBlocks}
	if err := writeJSON(filepath.Join(dir, verityFile), about); err != nil {
		return err
	}
	own := r.lock
	if r.base != nil {
		own = r.layer
	}
	var names []string
	for _, p := range own.Packages {
		names = append(names, p.Name)
	}
	return errors.Join(writeUsed(dir, names), writeTree(dir, tree))
}

// rewrite normalises the bootstrap.
func (r rootfs) rewrite(from, to string, status []byte) (root.Tree, error) {
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
		for _, p := range r.layer.Packages {
			o.Content["var/lib/dpkg/status.d/"+p.Name] = debian.StatusOf(status, p.Name)
		}
	}
	stats, err := root.Rewrite(w, in, info.Size(), o)
	if err != nil {
		return nil, err
	}
	r.log("%s: %d files, %s", r.image, stats.Entries, megabytes(stats.Bytes))
	return stats.Tree, errors.Join(w.Flush(), out.Close())
}

// bootstrap installs the locked packages into a tar archive.
func (r rootfs) bootstrap(ctx context.Context, out, logFile string) error {
	if err := checkRuns(r.lock.Architecture); err != nil {
		return err
	}
	return bootstrap.Job{
		Lock: r.lock, Store: r.store, Time: r.time, Format: "tar", Out: out, Log: logFile,
		Options: []string{
			"--dpkgopt=force-depends", // what the lock leaves out is missing on purpose
			"--customize-hook=" + compilePython,
		},
	}.Run(ctx)
}

// compilePython compiles every module of Python once, in a form that is not
// compared with its source at each start: nothing changes here any more. The
// inner shell looks for directories in the guest, not on the building machine.
const compilePython = `if [ -x "$1/usr/bin/python3" ]; then ` +
	`chroot "$1" env -i PATH=/usr/bin:/bin PYTHONHASHSEED=0 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" ` +
	`sh -c 'exec python3 -m compileall -q -f -j 1 --invalidation-mode unchecked-hash /usr/lib/python3*' >&2; fi`

// check compares what was installed with the lock: neither more nor less, nor
// another version. It returns dpkg's list.
func (r rootfs) check(bootstrap string) ([]byte, error) {
	f, err := os.Open(bootstrap)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := tar.NewReader(f)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("bootstrap: no var/lib/dpkg/status")
		}
		if err != nil {
			return nil, fmt.Errorf("bootstrap: %w", err)
		}
		if cleanName(h.Name) == "var/lib/dpkg/status" {
			status, err := io.ReadAll(t)
			if err == nil {
				err = debian.CheckStatus(bytes.NewReader(status), r.lock)
			}
			if err != nil {
				return nil, fmt.Errorf("bootstrap: %w", err)
			}
			return status, nil
		}
	}
}
