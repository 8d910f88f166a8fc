package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
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

// undoRow measures taking back 10,000 changed files, with their modes and times,
// from a journal on another file system, beside copying them back with cp(1).
func undoRow(ctx context.Context, e env, runs int) (row, error) {
	var ours, theirs []time.Duration
	for i := range runs {
		fmt.Fprintf(os.Stderr, "%s, %d of %d\n", undoName, i+1, runs)
		a, b, err := undoOnce(ctx, filepath.Join(e.dir, fmt.Sprint("undo", i)))
		if err != nil {
			return row{}, fmt.Errorf("%s: %w", undoName, err)
		}
		ours, theirs = append(ours, a), append(theirs, b)
	}
	return newRow(undoName, "cp -a COPY/. FOLDER", ours, theirs), nil
}

func undoOnce(ctx context.Context, dir string) (ours, theirs time.Duration, err error) {
	folder, saved := filepath.Join(dir, "folder"), filepath.Join(dir, "copy")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if _, err := sharework.Works["create"](sharework.Order{Dir: folder, N: undoFiles}); err != nil {
		return 0, 0, err
	}
	if err := copyBack(ctx, folder, saved); err != nil {
		return 0, 0, err
	}
	far, err := os.MkdirTemp("/dev/shm", "pw-bench")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(far)
	j, err := journal.Open(filepath.Join(far, "journal"), journal.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer j.Close()
	if err := changeAll(ctx, folder, j); err != nil {
		return 0, 0, err
	}
	if err := same(folder, saved); err == nil {
		return 0, 0, errors.New("nothing was changed")
	}
	began := time.Now()
	if _, err := j.Undo(ctx, nil, journal.UndoOptions{}); err != nil {
		return 0, 0, err
	}
	ours = time.Since(began)
	if err := same(folder, saved); err != nil {
		return 0, 0, fmt.Errorf("%w: %w", errUndo, err)
	}
	began = time.Now()
	if err := copyBack(ctx, saved, folder); err != nil {
		return 0, 0, err
	}
	return ours, time.Since(began), nil
}

func copyBack(ctx context.Context, from, to string) error {
	if out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=never", from+"/.", to).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	return nil
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
	err = changeFiles(client, folder)
	return errors.Join(err, client.Close(), <-served)
}

func changeFiles(client *p9.Client, folder string) error {
	root, err := client.Attach("")
	if err != nil {
		return err
	}
	const truncate = 0o1000 // O_TRUNC
	content := bytes.Repeat([]byte("other "), 100)
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		_, f, err := root.Walk(append([]string{"rw"}, strings.Split(rel, string(filepath.Separator))...))
		if err != nil {
			return err
		}
		if _, _, err := f.Open(p9.WriteOnly | truncate); err != nil {
			return err
		}
		_, err = f.WriteAt(content, 0)
		return errors.Join(err, f.SetAttr(p9.SetAttrMask{Permissions: true, MTime: true}, p9.SetAttr{Permissions: 0o600}), f.Close())
	})
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
		one, err := os.Lstat(name)
		if err != nil {
			return err
		}
		other, err := os.Lstat(filepath.Join(b, rel))
		if err != nil {
			return err
		}
		x, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) || one.Mode() != other.Mode() || !one.ModTime().Equal(other.ModTime()) {
			return fmt.Errorf("%s: %d bytes, %v, %v instead of %d bytes, %v, %v", rel, len(x), one.Mode(), one.ModTime(), len(y), other.Mode(), other.ModTime())
		}
		return nil
	})
}
