package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hugelgupf/p9/p9"

	"piwork/scripts/lib/bench/sharework"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

const (
	undoName  = "share/undo/10000"
	undoFiles = 10000
)

// undo measures taking back 10,000 changed files, with their modes and times,
// from a journal on another file system, beside copying them back with cp(1).
func (b *B) undo() {
	var ours, theirs []time.Duration
	for i := range b.runs {
		fmt.Fprintf(os.Stderr, "%d of %d\n", i+1, b.runs)
		x, y := b.undoOnce(filepath.Join(b.dir, fmt.Sprint("undo", i)), undoFiles)
		ours, theirs = append(ours, x), append(theirs, y)
	}
	b.times(undoName, "cp -a COPY/. FOLDER", ours, theirs)
}

func (b *B) undoOnce(dir string, files int) (ours, theirs time.Duration) {
	folder, saved := filepath.Join(dir, "folder"), filepath.Join(dir, "copy")
	check(os.MkdirAll(folder, 0o755))
	defer b.remove(dir)
	must(sharework.Works["create"](sharework.Order{Dir: folder, N: files}))
	cp := func(from, to string) { b.program("cp", "-a", "--reflink=never", from+"/.", to) }
	cp(folder, saved)
	far := must(os.MkdirTemp("/dev/shm", "pw-bench"))
	defer b.remove(far)
	j := must(journal.Open(filepath.Join(far, "journal"), journal.Options{}))
	defer b.end(j.Close)
	check(changeAll(b.ctx, folder, j))
	if same(folder, saved) == nil {
		failf("nothing was changed")
	}
	ours = timed(func() { must(j.Undo(b.ctx, nil, journal.UndoOptions{})) })
	checkf(same(folder, saved), "undo did not bring everything back")
	return ours, timed(func() { cp(saved, folder) })
}

// changeAll changes content, mode and times of every file as a guest does.
func changeAll(ctx context.Context, folder string, j *journal.Journal) error {
	set := share.NewSet(share.Options{})
	defer set.Close()
	if _, err := set.Add(share.Folder{ID: "1", Path: folder, Name: "rw"}, j); err != nil {
		return err
	}
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- ninep.Serve(ctx, there, set, ninep.Options{}) }()
	client, err := p9.NewClient(here)
	if err != nil {
		return errors.Join(err, here.Close(), <-served)
	}
	return errors.Join(try(func() { changeFiles(client, folder) }), client.Close(), <-served)
}

func changeFiles(client *p9.Client, folder string) {
	root := must(client.Attach(""))
	const truncate = 0o1000 // O_TRUNC
	content := bytes.Repeat([]byte("other "), 100)
	check(filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel := must(filepath.Rel(folder, name))
		_, f, err := root.Walk(append([]string{"rw"}, strings.Split(rel, string(filepath.Separator))...))
		check(err)
		_, _, err = f.Open(p9.WriteOnly | truncate)
		check(err)
		must(f.WriteAt(content, 0))
		return errors.Join(f.SetAttr(p9.SetAttrMask{Permissions: true, MTime: true}, p9.SetAttr{Permissions: 0o600}), f.Close())
	}))
}

// same compares content, modes and times of two trees.
func same(a, b string) error {
	return filepath.WalkDir(a, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a, name)
		if err != nil {
			return err
		}
		one, other := must(os.Lstat(name)), must(os.Lstat(filepath.Join(b, rel)))
		x, y := must(os.ReadFile(name)), must(os.ReadFile(filepath.Join(b, rel)))
		if !bytes.Equal(x, y) || one.Mode() != other.Mode() || !one.ModTime().Equal(other.ModTime()) {
			return fmt.Errorf("%s: %d bytes, %v, %v instead of %d bytes, %v, %v", rel, len(x), one.Mode(), one.ModTime(), len(y), other.Mode(), other.ModTime())
		}
		return nil
	})
}
