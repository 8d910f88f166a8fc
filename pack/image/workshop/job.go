package workshop

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/pack/image/bootstrap"
	"piwork/pack/image/debian"
)

// Job is one build.
type Job struct {
	Lock  *debian.Lock  // packages of the room, the essential ones among them
	Store *debian.Store // has them
	Time  time.Time     // SOURCE_DATE_EPOCH
	// Files of this machine, by path below /in.
	Files map[string]string
	// Texts are put below /in too, by path.
	Texts map[string][]byte
	// Script is run, a path below /in.
	Script string
	Env    map[string]string
	// Scratch is an empty directory for what lies between.
	Scratch string
	// Log is a file that gets everything which mmdebstrap and the script say.
	Log string
}

// maxResult bounds what a script may leave in /out.
const maxResult = 2 << 30

// Run carries the job out and puts what is in /out into dir, which exists. An
// error has the end of the log in it.
func (j Job) Run(ctx context.Context, dir string) error {
	in := filepath.Join(j.Scratch, "in.tar")
	if err := j.writeInput(in); err != nil {
		return fmt.Errorf("workshop: %w", err)
	}
	out := filepath.Join(j.Scratch, "out.tar")
	if err := j.bootstrap(ctx, in, out); err != nil {
		return fmt.Errorf("workshop: %w", err)
	}
	if err := extract(out, dir); err != nil {
		return fmt.Errorf("workshop: result: %w", err)
	}
	return nil
}

// bootstrap makes the room, runs the script in it and fetches what it made.
func (j Job) bootstrap(ctx context.Context, in, out string) error {
	room := bootstrap.Job{Lock: j.Lock, Store: j.Store, Time: j.Time, Format: "null", Out: "-", Options: options(in, out), Log: j.Log}
	if err := room.Run(ctx); err != nil {
		return fmt.Errorf("%s: %w", j.Script, err)
	}
	return nil
}

// enter runs the script. The hook's shell looks at the building machine; what is
// in quotes after chroot is seen in the room.
const enter = `net=; if unshare --net true 2>/dev/null; then net="unshare --net"; fi; ` +
	`exec $net chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LC_ALL=C.UTF-8 TZ=UTC ` +
	`SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" sh /in/.run >&2`

// options are mmdebstrap's for a room.
func options(in, out string) []string {
	return []string{
		// Documentation is of no use in the room, and half of its files.
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
		"--dpkgopt=path-exclude=/usr/share/locale/*",
		`--customize-hook=mkdir "$1/in" "$1/build" "$1/out"`,
		"--customize-hook=tar-in " + quote(in) + " /in",
		"--customize-hook=" + enter,
		"--customize-hook=tar-out /out " + quote(out),
	}
}

// writeInput writes what lies in /in, in one order, of one time and owner.
func (j Job) writeInput(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := tar.NewWriter(f)
	add := func(name string, size int64, r io.Reader) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: j.Time.Truncate(time.Second), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.Copy(w, r)
		return err
	}
	run := j.runScript()
	if err := add(".run", int64(len(run)), strings.NewReader(run)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(j.Files)) {
		if err := addFile(add, name, j.Files[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.Texts)) {
		if err := add(name, int64(len(j.Texts[name])), bytes.NewReader(j.Texts[name])); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), f.Close())
}

func addFile(add func(string, int64, io.Reader) error, to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", from)
	}
	return add(to, info.Size(), f)
}

// runScript sets the environment and runs the script.
func (j Job) runScript() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(j.Env)) {
		fmt.Fprintf(&b, "export %s=%s\n", k, quote(j.Env[k]))
	}
	fmt.Fprintf(&b, "exec sh %s\n", quote("/in/"+j.Script))
	return b.String()
}

// quote protects a word in a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
