package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/image/bootstrap"
	"piwork/pack/image/debian"
)

// bootstrapSources are the files of this package that decide what a bootstrap
// installs. They, and nothing of what is made of it afterwards, are in the keys of
// bootstraps, which take minutes.
var bootstrapSources = []string{"bootstrappart.go", "bootstrap/", "debian/", "internal/"}

// bootstrapFile is, in the part of a bootstrap, what was installed: 0.5 GB of tar
// archive, of which zstd leaves a third within seconds.
const bootstrapFile = "root.tar.zst"

// bootstrapLog is what mmdebstrap said, in the part that it was run for.
const bootstrapLog = "bootstrap.log"

// An installation is the packages of a lock in an empty directory, set up by
// their own scripts.
type installation struct {
	lock  *debian.Lock
	store *debian.Store
	time  time.Time
	run   func(context.Context, bootstrap.Job) error
}

func (b *builder) installation(l *debian.Lock, sets ...string) installation {
	return installation{lock: l, store: b.store, time: b.timeOf(sets...), run: b.runBootstrap}
}

// bootstrap makes the part with the guest's packages installed.
func (b *builder) bootstrap(ctx context.Context) (string, error) {
	recipe, err := sourceHash(bootstrapSources...)
	if err != nil {
		return "", err
	}
	return b.compiled(ctx, "bootstrap", recipe, []string{setGuest}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		installed := filepath.Join(scratch, "root.tar")
		if _, err := b.installation(b.locks[setGuest], setGuest).into(ctx, installed, filepath.Join(dir, bootstrapLog)); err != nil {
			return err
		}
		return compress(filepath.Join(dir, bootstrapFile), installed)
	}))
}

// into writes what was installed to a tar archive, and returns dpkg's list of it.
func (i installation) into(ctx context.Context, tarFile, logFile string) (status []byte, err error) {
	if err := checkRuns(i.lock.Architecture); err != nil {
		return nil, err
	}
	if err := i.run(ctx, bootstrap.Job{
		Lock: i.lock, Store: i.store, Time: i.time, Format: "tar", Out: tarFile, Log: logFile,
		Options: []string{
			"--dpkgopt=force-depends", // what the lock leaves out is missing on purpose
			"--customize-hook=" + compilePython,
		},
	}); err != nil {
		return nil, err
	}
	return i.check(tarFile)
}

// compilePython compiles every module of Python once, in a form that is not
// compared with its source at each start: nothing changes here any more. The
// inner shell looks for directories in the guest, not on the building machine.
const compilePython = `if [ -x "$1/usr/bin/python3" ]; then ` +
	`chroot "$1" env -i PATH=/usr/bin:/bin PYTHONHASHSEED=0 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" ` +
	`sh -c 'exec python3 -m compileall -q -f -j 1 --invalidation-mode unchecked-hash /usr/lib/python3*' >&2; fi`

// check compares what was installed with the lock: neither more nor less, nor
// another version. It returns dpkg's list.
func (i installation) check(tarFile string) ([]byte, error) {
	f, err := os.Open(tarFile)
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
				err = debian.CheckStatus(bytes.NewReader(status), i.lock)
			}
			if err != nil {
				return nil, fmt.Errorf("bootstrap: %w", err)
			}
			return status, nil
		}
	}
}

// compress writes a file compressed to one that must not exist.
func compress(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	w, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return errors.Join(err, w.Close(), out.Close())
}

// decompress is the reverse of compress.
func decompress(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := zstd.NewReader(in)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := writeNew(to, r, 0o600); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(from), err)
	}
	return nil
}
