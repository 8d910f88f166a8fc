package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/scripts/lib/tier"
)

// A person may add and edit files anywhere while a task does anything in any order: when all of it
// is undone, the last version of each of their files is in the folder, or a conflict says truly that
// something else has its place.
func TestUndoLosesNothingOfAPerson(t *testing.T) {
	tier.Checks(t, "3000")
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			if where == "other" {
				base = otherFS(t)
			}
			folders := t.TempDir()
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				n++
				w := &world{t: t, dir: filepath.Join(folders, fmt.Sprint(n)), jdir: filepath.Join(base, fmt.Sprint("j", n)),
					oldtime: time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC)}
				w.check(os.Mkdir(w.dir, 0o755))
				w.parts = rapid.SampledFrom([]int64{0, 8}).Draw(rt, "parts")
				w.seed("a", "b", "d/a", "d/b", "d/e/c", "e/", "l -> d/a")
				w.begin()
				w.check(w.mkdir("c"))
				w.check(w.create("c/a", "task"))
				p := &person{w: w}
				var log []string
				for range rapid.IntRange(1, 25).Draw(rt, "steps") {
					switch rapid.SampledFrom([]string{"person", "task", "task there"}).Draw(rt, "who") {
					case "person":
						log = append(log, p.step(rt))
					case "task":
						s, err := w.randomStep(rt)
						log = append(log, fmt.Sprint(s, " # ", err))
					default:
						s, err := p.task(rt)
						log = append(log, fmt.Sprint(s, " # ", err))
					}
				}
				if rapid.Bool().Draw(rt, "redo") {
					w.undo()
					_, err := w.j.Redo(t.Context(), nil)
					w.check(err)
					log = append(log, "undo, redo")
				}
				left := w.tree()
				r := w.undo()
				if lost := p.lost(r); lost != "" {
					rt.Fatalf("steps:\n%s\nlost: %s\nconflicts: %+v\nthe task left:\n%s\nafter undo:\n%s",
						strings.Join(log, "\n"), lost, r.Conflicts, left, w.tree())
				}
				w.stop()
				os.RemoveAll(w.dir)
				os.RemoveAll(w.jdir)
			})
		})
	}
}

// person is who works in the folder of a world without piwork.
type person struct {
	w        *world
	n        int
	versions []version // the last one of each file
}

// version is what a person saved.
type version struct {
	path string
	info os.FileInfo
	data string
}

// all are the files and directories that there are.
func (p *person) all() (files, dirs []string) {
	p.w.check(filepath.WalkDir(p.w.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case e.IsDir():
			dirs = append(dirs, path)
		case e.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	}))
	return files, dirs
}

// task has the task do something to what there is, which random names seldom hit.
func (p *person) task(rt *rapid.T) (string, error) {
	files, dirs := p.all()
	if files = append(files, dirs[1:]...); len(files) == 0 {
		return "nothing is left", nil
	}
	path := rapid.SampledFrom(files).Draw(rt, "path")
	rel, err := filepath.Rel(p.w.dir, path)
	p.w.check(err)
	rel = filepath.ToSlash(rel)
	if slices.Contains(dirs, path) {
		return "rmrf " + rel, p.w.rmrf(rel)
	}
	switch rapid.IntRange(0, 3).Draw(rt, "how") {
	case 0:
		return "write " + rel, p.w.write(rel, "task", -1)
	case 1:
		return "save " + rel, p.w.save(rel, "task")
	case 2:
		to := rapid.SampledFrom([]string{"a", "c/b", "d/c", "x"}).Draw(rt, "to")
		return "rename " + rel + " " + to, p.w.rename(rel, to)
	}
	return "remove " + rel, p.w.remove(rel)
}

// step saves a file: an existing one in place or as a new one that takes its name, or another.
func (p *person) step(rt *rapid.T) string {
	files, dirs := p.all()
	p.n++
	how := rapid.SampledFrom([]string{"edits", "saves", "adds"}).Draw(rt, "how")
	path := filepath.Join(rapid.SampledFrom(dirs).Draw(rt, "in"), rapid.SampledFrom([]string{"a", "b", "c", "h", "mine"}).Draw(rt, "name"))
	if how != "adds" && len(files) > 0 {
		path = rapid.SampledFrom(files).Draw(rt, "file")
	}
	data := fmt.Sprint("version ", p.n, " of the person", strings.Repeat(".", p.n+9)) // no two are as long
	before, err := os.Lstat(path)
	if err == nil && !before.Mode().IsRegular() {
		return "looks"
	}
	to := path
	if how == "saves" {
		to = path + ".new"
	}
	err = os.WriteFile(to, []byte(data), 0o644)
	if how == "saves" {
		err = errors.Join(err, os.Rename(to, path))
	}
	now, serr := os.Lstat(path)
	if err != nil || serr != nil {
		return fmt.Sprint("cannot save ", path, err, serr)
	}
	rest := p.versions[:0]
	for _, v := range p.versions {
		if v.path != path && !os.SameFile(v.info, now) && (before == nil || !os.SameFile(v.info, before)) {
			rest = append(rest, v)
		}
	}
	p.versions = append(rest, version{path, now, data})
	return fmt.Sprintf("a person %s %s, version %d", how, strings.TrimPrefix(path, p.w.dir), p.n)
}

// lost names a version that is neither in the folder nor in a conflict about a place that is taken.
func (p *person) lost(r Report) string {
	there := map[string]bool{}
	p.w.check(filepath.WalkDir(p.w.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			there[string(data)] = true
		}
		return nil
	}))
	for _, c := range r.Conflicts {
		place := filepath.Join(p.w.dir, c.Change.Path)
		if c.Change.From != "" {
			place = filepath.Join(p.w.dir, c.Change.From)
		}
		for len(place) > len(p.w.dir) {
			if info, err := os.Lstat(place); err == nil && (!info.IsDir() || place == filepath.Join(p.w.dir, c.Change.Path)) {
				if _, err := p.w.j.Content(p.w.t.Context(), c.Change.ID, Before); errors.Is(err, ErrUnknownChange) {
					return fmt.Sprintf("an answer to %+v", c)
				}
				there[p.w.content(c.Change.ID, Before)] = true
				break
			}
			place = filepath.Dir(place)
		}
	}
	for _, v := range p.versions {
		if !there[v.data] {
			return v.path + ": " + v.data
		}
	}
	return ""
}
