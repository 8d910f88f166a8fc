package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/root"
)

// rootLabel and rootID identify the root file system: the content does, not
// these, so they never change.
const (
	rootLabel = "piwork-root"
	rootID    = "3f0d4c5e-94f3-4a0c-8d6b-1f5e7c0a2b46"
)

// A rootfs is how the root file system is made.
type rootfs struct {
	lock    *debian.Lock
	store   *debian.Store
	overlay fs.FS    // nil is none
	mkfs    []string // argv prefix of mkfs.erofs
	time    time.Time
	log     func(format string, a ...any)
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
// writing it takes a third of a second. (mkfs.erofs 1.8.6 with -E fragments
// from a tar archive writes images with zeros in files: do not use it.)
func mkfsArguments(image, tarFile string, t time.Time) []string {
	return []string{
		"--quiet", "--tar=f", "--sort=path", "-L", rootLabel, "-U", rootID, "-x-1",
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
	if err := r.check(bootstrap); err != nil {
		return err
	}
	normal := filepath.Join(scratch, "root.tar")
	if err := r.rewrite(bootstrap, normal); err != nil {
		return err
	}
	image := filepath.Join(dir, path.Base(rootfsPath))
	argv := append(slices.Clone(r.mkfs), mkfsArguments(image, normal, r.time)...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = []string{"LC_ALL=C", "PATH=/nonexistent", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.erofs: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Chmod(image, 0o644); err != nil {
		return err
	}
	var names []string
	for _, p := range r.lock.Packages {
		names = append(names, p.Name)
	}
	return writeUsed(dir, names)
}

// rewrite normalises the bootstrap.
func (r rootfs) rewrite(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 1<<20)
	stats, err := root.Rewrite(w, in, info.Size(), root.Options{
		Time: r.time, User: guestUser, Content: guestContent, Dirs: guestDirs, Overlay: r.overlay,
	})
	if err != nil {
		return err
	}
	r.log("rootfs: %d files, %s", stats.Entries, megabytes(stats.Bytes))
	return errors.Join(w.Flush(), out.Close())
}

// bootstrap installs the locked packages into a tar archive, from an archive
// of our own that has nothing else.
func (r rootfs) bootstrap(ctx context.Context, out, logFile string) error {
	// Not in the cache: mmdebstrap in a user namespace cannot enter a private home.
	repo, err := os.MkdirTemp("", "piwork-repository-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(repo)
	if err := os.Chmod(repo, 0o755); err != nil {
		return err
	}
	if err := debian.WriteRepository(ctx, repo, r.lock, r.store); err != nil {
		return fmt.Errorf("local repository: %w", err)
	}
	log, err := os.Create(logFile)
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.CommandContext(ctx, "mmdebstrap", bootstrapArguments(r.lock, repo, out, os.Geteuid() == 0)...)
	c.Env = bootstrapEnv(os.Environ(), r.time)
	c.Stdout, c.Stderr = log, log
	// Asked to end, it takes its mounts and its directory away.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = time.Minute
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("mmdebstrap is needed (scripts/setup installs it): %w", err)
		}
		return fmt.Errorf("mmdebstrap: %w:\n%s", err, tail(logFile, 20))
	}
	return nil
}

// compilePython compiles every module of Python once, in a form that is not
// compared with its source at each start: nothing changes here any more. The
// inner shell looks for directories in the guest, not on the building machine.
const compilePython = `if [ -x "$1/usr/bin/python3" ]; then ` +
	`chroot "$1" env -i PATH=/usr/bin:/bin PYTHONHASHSEED=0 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" ` +
	`sh -c 'exec python3 -m compileall -q -f -j 1 --invalidation-mode unchecked-hash /usr/lib/python3*' >&2; fi`

// bootstrapArguments are mmdebstrap's. Root needs no user namespace; others do.
func bootstrapArguments(l *debian.Lock, repo, out string, isRoot bool) []string {
	mode := "unshare"
	if isRoot {
		mode = "root"
	}
	names := make([]string, len(l.Packages))
	for i, p := range l.Packages {
		names[i] = p.Name
	}
	return []string{
		"--mode=" + mode, "--variant=essential", "--format=tar", "--architectures=" + l.Architecture,
		"--include=" + strings.Join(names, ","),
		`--aptopt=Acquire::Languages "none"`,
		`--aptopt=APT::Install-Recommends "false"`,
		`--aptopt=Acquire::Check-Valid-Until "false"`,
		"--customize-hook=" + compilePython,
		l.Suite, out, "deb [trusted=yes] copy:" + repo + " " + l.Suite + " main",
	}
}

// bootstrapEnv is the environment of maintainer scripts: nothing of the user's
// but where temporary files go.
func bootstrapEnv(from []string, t time.Time) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC",
		"DEBIAN_FRONTEND=noninteractive", "DEBCONF_NONINTERACTIVE_SEEN=true", "HOME=/nonexistent",
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", t.Unix()),
	}
	for _, v := range from {
		if strings.HasPrefix(v, "TMPDIR=") {
			env = append(env, v)
		}
	}
	return env
}

// check compares what was installed with the lock: neither more nor less, nor
// another version.
func (r rootfs) check(bootstrap string) error {
	f, err := os.Open(bootstrap)
	if err != nil {
		return err
	}
	defer f.Close()
	t := tar.NewReader(f)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return errors.New("bootstrap: no var/lib/dpkg/status")
		}
		if err != nil {
			return fmt.Errorf("bootstrap: %w", err)
		}
		if cleanName(h.Name) == "var/lib/dpkg/status" {
			if err := debian.CheckStatus(t, r.lock); err != nil {
				return fmt.Errorf("bootstrap: %w", err)
			}
			return nil
		}
	}
}

// tail is the end of a text file, for an error message.
func tail(file string, lines int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
