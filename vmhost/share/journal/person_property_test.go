package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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
				if rapid.Bool().Draw(rt, "restore") {
					log = append(log, p.insists())
				}
				if lost := p.lost(); lost != "" {
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
	old, _ := os.ReadFile(path)
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
		if v.path != path && v.data != string(old) && !os.SameFile(v.info, now) && (before == nil || !os.SameFile(v.info, before)) {
			rest = append(rest, v)
		}
	}
	p.versions = append(rest, version{path, now, data})
	return fmt.Sprintf("a person %s %s, version %d", how, strings.TrimPrefix(path, p.w.dir), p.n)
}

// lost names a version that is neither in the folder nor in a change that waits because its place is
// taken or, after it was replaced, in one that Redo can do again.
func (p *person) lost() string {
	there := map[string]bool{}
	files, _ := p.all()
	for _, path := range files {
		data, _ := os.ReadFile(path)
		there[string(data)] = true
	}
	list, err := p.w.j.Changes(p.w.t.Context())
	p.w.check(err)
	for _, c := range list {
		place := filepath.Join(p.w.dir, cmp.Or(c.From, c.Path))
		_, err := os.Lstat(place)
		if err != nil && c.From != "" {
			_, err = os.Lstat(filepath.Join(p.w.dir, c.Path)) // it may be something else that is there
		}
		switch {
		case c.Undone != nil:
			there[p.w.content(c.ID, After)] = true
		case c.Kind != "file":
		case err == nil, p.blocked(filepath.Dir(place)):
			there[p.w.content(c.ID, Before)] = true
		}
	}
	for _, data := range p.w.kept() {
		there[data] = true
	}
	for _, v := range p.versions {
		if !there[v.data] {
			return v.path + ": " + v.data
		}
	}
	return ""
}

// kept is what Redo can bring back of files that undo replaced or removed.
func (w *world) kept() (list []string) {
	undos := w.j.undos.Load()
	if undos == nil {
		return nil
	}
	r := undos.OpenRoots()
	defer r.Close()
	for _, n := range undos.Tables.Changes(nil) {
		known := false
		for _, u := range w.j.rec.Tables.Undone {
			known = known || u.Marks.Has(n)
		}
		c, err := contentBefore(w.t.Context(), undos, r, n)
		if err != nil || !known {
			continue
		}
		data, err := io.ReadAll(c)
		w.check(errors.Join(err, c.Close()))
		list = append(list, string(data))
	}
	return list
}

// blocked reports whether something that is no directory is where one should be.
func (p *person) blocked(dir string) bool {
	for ; len(dir) > len(p.w.dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil {
			return !info.IsDir()
		}
	}
	return false
}

// insists has a person want back what was before, whatever is there now.
func (p *person) insists() string {
	list, err := p.w.j.Changes(p.w.t.Context())
	p.w.check(err)
	answers := map[string]Resolution{}
	for _, c := range list {
		answers[c.ID] = Restore
	}
	_, err = p.w.j.Undo(p.w.t.Context(), nil, UndoOptions{Resolve: answers})
	p.w.check(err)
	return fmt.Sprint("restore ", answers)
}
