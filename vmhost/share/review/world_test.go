//go:build unix

package review

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// world is a folder of a person, a layer in front of it, and the journal that
// Apply writes to. A task works through the layer's store.
type world struct {
	t              tester
	dir, own, jdir string
	opts           Options
	hook           func(string)
	l              *Layer
	s              share.Store
	j              *journal.Journal
}

func newWorld(t tester, base string) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(base, "folder"), own: filepath.Join(base, "review"), jdir: filepath.Join(base, "journal"), opts: Options{Folder: "f1"}}
	w.check(os.MkdirAll(w.dir, 0o755))
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}

func (w *world) begin() {
	w.t.Helper()
	var err error
	w.l, err = open(w.own, w.dir, w.opts, w.hook)
	w.check(err)
	w.s = w.l.Store()
	w.j, err = journal.Open(w.jdir, journal.Options{})
	w.check(err)
}

func (w *world) journal() (*journal.Journal, error) { return w.j, nil }

func (w *world) end() {
	w.t.Helper()
	w.check(w.l.Close())
	w.check(w.j.Close())
}

// seed makes files in a directory: "a" (its content is its name), "d/", "l -> a",
// "h = a".
func seed(dir string, names ...string) error {
	for _, name := range names {
		var err error
		p := filepath.Join(dir, name)
		if link, target, ok := strings.Cut(name, " -> "); ok {
			err = os.Symlink(target, filepath.Join(dir, link))
		} else if link, old, ok := strings.Cut(name, " = "); ok {
			err = os.Link(filepath.Join(dir, old), filepath.Join(dir, link))
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(p), 0o755); err == nil {
			if err = os.WriteFile(p, []byte("content of "+name), 0o644); err == nil {
				old := time.Date(2021, 2, 3, 4, 5, 6, 789, time.UTC)
				err = os.Chtimes(p, old, old)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// What tree says beside what, mode and content. The journal holds what it keeps
// by a name of its own, so numbers of names are right only until something was
// applied.
const (
	withTimes = 1 << iota // of files
	withLinks             // number of names
)

// tree is everything below a directory of a store.
func (d staged) tree(with int) (string, error) {
	var out []string
	var walk func(p string) error
	walk = func(p string) error {
		names, err := d.list(p)
		if err != nil {
			return err
		}
		for _, name := range names {
			q := path.Join(p, name)
			info, err := d.s.Lstat(q)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%s %s %o", q, info.Kind, info.Mode)
			if info.Kind == at.File || info.Kind == at.Directory {
				set, err := d.attrs(q)
				if err != nil {
					return fmt.Errorf("%s: %w", q, err)
				}
				line += set
			}
			switch info.Kind {
			case at.File:
				data, err := d.read(q)
				if err != nil || int64(len(data)) != info.Size {
					return fmt.Errorf("%s: %d bytes of %d: %w", q, len(data), info.Size, err)
				}
				if len(data) > 200 {
					sum := sha256.Sum256([]byte(data))
					data = fmt.Sprintf("%d bytes, %x", len(data), sum[:8])
				}
				line += fmt.Sprintf(" %q", data)
				if with&withLinks != 0 {
					line += fmt.Sprintf(" %d", info.NLink)
				}
				if with&withTimes != 0 {
					line += " " + info.MTime.String()
				}
			case at.Symlink:
				target, err := d.s.Readlink(q)
				if err != nil {
					return err
				}
				line = fmt.Sprintf("%s -> %s", q, target)
			case at.Directory:
				if err := walk(q); err != nil {
					return err
				}
			}
			out = append(out, line)
		}
		return nil
	}
	err := walk(".")
	slices.Sort(out)
	return strings.Join(out, "\n"), err
}

// treeOf is tree of a plain directory.
func treeOf(dir string, with int) (string, error) {
	s, err := share.Unrecorded(dir)
	if err != nil {
		return "", err
	}
	defer s.Close()
	return staged{s}.tree(with)
}

func (w *world) original(with int) string {
	w.t.Helper()
	s, err := treeOf(w.dir, with)
	w.check(err)
	return s
}

func (w *world) merged(with int) string {
	w.t.Helper()
	s, err := staged{w.s}.tree(with)
	w.check(err)
	return s
}

// changes is the list as lines.
func (w *world) changes() []string {
	w.t.Helper()
	list, err := w.l.Changes(w.t.Context())
	w.check(err)
	var out []string
	ids := map[string]bool{}
	for _, c := range list {
		if ids[c.ID] || (c.Before == nil) != (c.Effect == journal.EffectCreate) || (c.After == nil) != (c.Effect == journal.EffectDelete) || c.Path == "" || c.Folder != "f1" {
			w.t.Fatalf("%+v", c)
		}
		ids[c.ID] = true
		line := string(c.Effect) + " " + c.Kind + " " + c.Path
		if c.From != "" {
			line = string(c.Effect) + " " + c.Kind + " " + c.From + " to " + c.Path
		}
		out = append(out, line)
	}
	return out
}

func (w *world) apply(ids []string, o ApplyOptions) Report {
	w.t.Helper()
	r, err := w.l.Apply(w.t.Context(), w.j, ids, o)
	w.check(err)
	return r
}

// diff shows two trees where they differ.
func diff(want, got string) string {
	if want == got {
		return ""
	}
	var b bytes.Buffer
	a, c := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, s := range a {
		if !slices.Contains(c, s) {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	for _, s := range c {
		if !slices.Contains(a, s) {
			fmt.Fprintf(&b, "+ %s\n", s)
		}
	}
	return b.String()
}

// copyView makes a plain directory of what a store shows, hard links included.
func copyView(d staged, dir string) error {
	seen := map[at.ID]string{}
	var walk func(p string) error
	walk = func(p string) error {
		names, err := d.list(p)
		if err != nil {
			return err
		}
		for _, name := range names {
			q := path.Join(p, name)
			to := filepath.Join(dir, q)
			info, err := d.s.Lstat(q)
			if err != nil {
				return err
			}
			switch {
			case info.Kind == at.Directory:
				if err = os.Mkdir(to, 0o755); err == nil {
					err = errors.Join(walk(q), os.Chmod(to, fs.FileMode(info.Mode)))
				}
			case seen[info.ID] != "":
				err = os.Link(seen[info.ID], to)
			case info.Kind == at.Symlink:
				var target string
				if target, err = d.s.Readlink(q); err == nil {
					err = os.Symlink(target, to)
				}
			default:
				var data string
				if data, err = d.read(q); err == nil {
					err = errors.Join(os.WriteFile(to, []byte(data), 0o600), os.Chmod(to, fs.FileMode(info.Mode)))
				}
			}
			if err == nil && (info.Kind == at.Directory || info.Kind == at.File) {
				err = d.copyAttrs(q, to)
			}
			if err != nil {
				return err
			}
			if info.Kind != at.Directory {
				seen[info.ID] = to
			}
		}
		return nil
	}
	return walk(".")
}

func (d staged) copyAttrs(p, to string) error {
	s := d.s.(attributed)
	names, err := s.ListXattr(p)
	if errors.Is(err, at.ErrUnsupported) {
		return nil
	}
	for _, name := range names {
		value, gerr := s.GetXattr(p, name)
		err = errors.Join(err, gerr, plain{}.setxattr(to, name, string(value)))
	}
	return err
}
