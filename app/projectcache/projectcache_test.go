package projectcache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// emptyDisk is the disk that caches are made of.
const emptyDisk = "../../vmhost/vm/testdata/work.qcow2"

func open(t *testing.T) *Caches {
	t.Helper()
	return New(Options{Dir: filepath.Join(t.TempDir(), "cache", Dir), Log: slog.New(slog.DiscardHandler), Now: time.Now})
}

// again is what a program that was killed leaves to the next one.
func (c *Caches) again() *Caches {
	o := c.o
	o.at = nil
	return New(o)
}

func lease(t *testing.T, c *Caches, name string) *Lease {
	t.Helper()
	l, err := c.Lease(t.Context(), Project{Name: name}, emptyDisk)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// mark writes something at the end of the file that a task changes, as a machine would.
func mark(t *testing.T, l *Lease, text string) {
	t.Helper()
	f, err := os.OpenFile(l.Files()[0], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.WriteString("<" + text + ">"); err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// marks are what tasks left in a cache, the newest first, as the next task finds them.
func marks(t *testing.T, c *Caches, name string) string {
	t.Helper()
	l := lease(t, c, name)
	defer func() {
		if err := l.Drop(); err != nil {
			t.Error(err)
		}
	}()
	var out []string
	for _, f := range l.Files()[1:] {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for from := strings.LastIndex(text, "<"); from >= 0 && strings.HasSuffix(text, ">"); from = strings.LastIndex(text, "<") {
			out = append(out, text[from+1:len(text)-1])
			text = text[:from]
		}
	}
	return strings.Join(out, " ")
}

func keep(t *testing.T, c *Caches, name, text string) {
	t.Helper()
	l := lease(t, c, name)
	mark(t, l, text)
	if err := l.Keep(); err != nil {
		t.Fatal(err)
	}
}

// merge stands for QEMU: base has what top has.
func merge(_ context.Context, top, base string) error {
	b, err := os.ReadFile(top)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(base, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(b[strings.LastIndex(string(b), "<"):])
	return errors.Join(err, f.Close())
}

// What a task that ended well left is there for the next one of its project, and for no other.
func TestKeep(t *testing.T) {
	c := open(t)
	keep(t, c, "a", "1")
	keep(t, c, "a", "2")
	l := lease(t, c, "a")
	mark(t, l, "dropped")
	if err := errors.Join(l.Drop(), l.Drop()); err != nil {
		t.Error(err)
	}
	if got := marks(t, c.again(), "a"); got != "2 1" {
		t.Errorf("%q", got)
	}
	if got := marks(t, c, "b"); got != "" {
		t.Errorf("another project finds %q", got)
	}
	fi, err := os.Stat(c.dir("a"))
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	if all, err := c.List(t.Context()); err != nil || len(all) != 2 || all[0].ID != "b" || all[0].InUse || all[1].Bytes == 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// Of two tasks at once the first one's changes are kept, and neither sees the other's.
func TestTwoAtOnce(t *testing.T) {
	c := open(t)
	keep(t, c, "a", "1")
	first, second := lease(t, c, "a"), lease(t, c, "a")
	if !first.Kept() || second.Kept() || first.Files()[0] == second.Files()[0] || !slices.Equal(first.Files()[1:], second.Files()[1:]) {
		t.Fatalf("%v %v", first.Files(), second.Files())
	}
	if err := c.Empty(t.Context(), "a"); problem.From(err).Code != problem.CodeCacheInUse {
		t.Errorf("emptied: %v", err)
	}
	mark(t, first, "first")
	mark(t, second, "second")
	if err := errors.Join(first.Keep(), second.Keep()); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, c, "a"); got != "first 1" {
		t.Errorf("%q", got)
	}
}

// However often a program is killed, and at whatever step, the next one finds what was
// before the task or after it, and everything that is in use whole.
func TestKilledAtEveryStep(t *testing.T) {
	killed := errors.New("killed")
	whole := func(c *Caches) error {
		l, err := c.Lease(t.Context(), Project{Name: "a"}, emptyDisk)
		if err != nil {
			return err
		}
		mark(t, l, "new")
		if err := l.Keep(); err != nil {
			return err
		}
		return c.Tidy(t.Context(), "a", merge)
	}
	for _, before := range []string{"", "2 1"} {
		for n := 0; ; n++ {
			c := open(t)
			if before != "" {
				keep(t, c, "a", "1")
				keep(t, c, "a", "2")
			}
			steps, last := 0, ""
			c.o.at = func(step string) error {
				if steps++; steps > n {
					last = step
					return killed
				}
				return nil
			}
			err := whole(c)
			if err == nil {
				if n < 5 {
					t.Errorf("only %d steps", n)
				}
				break
			}
			next := c.again()
			if got := marks(t, next, "a"); !strings.HasPrefix(got+" ", before) && !strings.HasPrefix(got, "new") {
				t.Errorf("killed at %s after %q: %q", last, before, got)
			}
			left, _ := filepath.Glob(filepath.Join(next.dir("a"), "run-*"))
			if len(left) > 0 {
				t.Errorf("killed at %s: left %q", last, left)
			}
		}
	}
}

// One step back is what the last task changed, also after tidying; a kill on the way leaves
// what was before the step or after it.
func TestBack(t *testing.T) {
	killed := errors.New("killed")
	for step, want := range map[string]string{"": "2 1", "state": "3 2 1", "unlink": "2 1"} {
		c := open(t)
		for _, text := range []string{"1", "2", "3"} {
			keep(t, c, "a", text)
		}
		if err := c.Tidy(t.Context(), "a", merge); err != nil {
			t.Fatal(err)
		}
		c.o.at = func(at string) error {
			if at == step {
				return killed
			}
			return nil
		}
		if err := c.Back(t.Context(), "a"); (err == nil) != (step == "") {
			t.Errorf("killed at %q: %v", step, err)
		}
		next := c.again()
		if got := marks(t, next, "a"); got != want {
			t.Errorf("killed at %q: %q", step, got)
		}
		if files, err := os.ReadDir(next.dir("a")); err != nil || len(files) > 3 {
			t.Errorf("killed at %q: left %v %v", step, files, err)
		}
	}
	c := open(t)
	l := lease(t, c, "a")
	for id, want := range map[string]string{"a": problem.CodeCacheInUse, "b": problem.CodeNotFound, "../a": problem.CodeNotFound} {
		if err := c.Back(t.Context(), id); problem.From(err).Code != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := l.Drop(); err != nil {
		t.Fatal(err)
	}
	if err := c.Back(t.Context(), "a"); problem.From(err).Code != problem.CodeCacheNoWayBack {
		t.Error(err)
	}
}

// Of a cache whose state is damaged nothing is known, and a file that is gone is taken out.
func TestBackOfWhatIsDamaged(t *testing.T) {
	c := open(t)
	for _, text := range []string{"1", "2"} {
		keep(t, c, "a", text)
	}
	s, err := c.read("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.files(s)[0]); err != nil {
		t.Fatal(err)
	}
	if err := c.Back(t.Context(), "a"); err != nil {
		t.Errorf("a file that is gone: %v", err)
	}
	if got := marks(t, c, "a"); got != "1" {
		t.Errorf("%q", got)
	}
	for _, text := range []string{`{"v":1,`, `{"v":2}`, strings.Repeat(" ", maxState+1)} {
		if err := os.WriteFile(filepath.Join(c.dir("a"), stateName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := problem.From(c.Back(t.Context(), "a")); p.Code != problem.CodeCacheNoWayBack || p.Details == "" {
			t.Errorf("%.10s: %v", text, p)
		}
	}
}

// A base that has a part of a layer is used only below that layer: a merge that was broken
// off leaves no step back over it until it is done.
func TestBackAfterBrokenMerge(t *testing.T) {
	c := open(t)
	for _, text := range []string{"1", "2", "3"} {
		keep(t, c, "a", text)
	}
	broken := errors.New("broken off")
	err := c.Tidy(t.Context(), "a", func(ctx context.Context, top, base string) error {
		return errors.Join(merge(ctx, top, base), broken)
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	c = c.again()
	back := func(step int, want bool) {
		t.Helper()
		all, err := c.List(t.Context())
		if err != nil || len(all) != 1 || all[0].CanBack != want {
			t.Errorf("step %d: %+v %v", step, all, err)
		}
		err = c.Back(t.Context(), "a")
		var p *problem.Problem
		if refused := errors.As(err, &p) && p.Code == problem.CodeCacheNoWayBack; want && err != nil || !want && !refused {
			t.Errorf("step %d: %v", step, err)
		}
	}
	back(1, true)
	back(2, true)
	back(3, false)
	if s, err := c.read("a"); err != nil || len(s.Layers) != 2 {
		t.Fatalf("%+v %v", s, err)
	}
	keep(t, c, "a", "4")
	if err := c.Tidy(t.Context(), "a", merge); err != nil {
		t.Fatal(err)
	}
	if s, err := c.read("a"); err != nil || s.Merging || len(s.Layers) != keptLayers {
		t.Errorf("%+v %v", s, err)
	}
	back(4, true)
	back(5, false)
}

// What a cache may hold is what is chosen when a task begins.
func TestChosenLimit(t *testing.T) {
	c := open(t)
	chosen := 64
	c.o.Limit = func() int { return chosen }
	l := lease(t, c, "a")
	chosen = 128
	if l.LimitMB() != 64 {
		t.Error(l.LimitMB())
	}
	if err := os.Truncate(l.Files()[0], 130<<20); err != nil {
		t.Fatal(err)
	}
	if err := l.Keep(); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if l = lease(t, c, "a"); l.LimitMB() != 128 {
		t.Error(l.LimitMB())
	}
	if all, err := c.List(t.Context()); err != nil || all[0].LimitMB != 128 || all[0].CanBack {
		t.Errorf("%+v %v", all, err)
	}
	if err := l.Drop(); err != nil {
		t.Error(err)
	}
}

// A cache whose tasks rewrite what is in it is never full: what it holds several times becomes one,
// without a step back.
func TestRewrittenCacheIsNotFull(t *testing.T) {
	c := open(t)
	c.o.Limit = func() int { return 64 }
	grow := func(ctx context.Context, top, base string) error {
		if n, err := sizeOf(base); err == nil && n < 70<<20 {
			if err := os.Truncate(base, 70<<20); err != nil {
				return err
			}
		}
		return merge(ctx, top, base)
	}
	rewrite := func(text string) error {
		l := lease(t, c, "a")
		if err := os.Truncate(l.Files()[0], 70<<20); err != nil {
			t.Fatal(err)
		}
		mark(t, l, text)
		return l.Keep()
	}
	if err := errors.Join(rewrite("1"), rewrite("2")); err != nil {
		t.Fatal(err)
	}
	if err := rewrite("3"); !errors.Is(err, ErrManyLayers) {
		t.Errorf("it takes too much until it is tidied: %v", err)
	}
	if err := c.Tidy(t.Context(), "a", grow); err != nil {
		t.Fatal(err)
	}
	if all, err := c.List(t.Context()); err != nil || all[0].CanBack {
		t.Errorf("%+v %v", all, err)
	}
	if err := rewrite("4"); err != nil {
		t.Error(err)
	}
	if err := c.Tidy(t.Context(), "a", grow); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, c, "a"); got != "4 2 1" {
		t.Errorf("%q", got)
	}
}

// Tidying leaves the last layer, and gives way to a task.
func TestTidy(t *testing.T) {
	c := open(t)
	for i := range 4 {
		keep(t, c, "a", fmt.Sprint(i))
	}
	started := make(chan struct{})
	tidied := make(chan error, 1)
	go func() {
		tidied <- c.Tidy(t.Context(), "a", func(ctx context.Context, _, _ string) error {
			close(started)
			<-ctx.Done()
			return context.Cause(ctx)
		})
	}()
	<-started
	if got := marks(t, c, "a"); got != "3 2 1 0" {
		t.Errorf("%q", got)
	}
	if err := <-tidied; err != nil {
		t.Error(err)
	}
	if err := c.Tidy(t.Context(), "a", merge); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, c, "a"); got != "3 2 1 0" {
		t.Errorf("%q", got)
	}
	if s, err := c.read("a"); err != nil || len(s.Layers) != keptLayers {
		t.Errorf("%+v %v", s, err)
	}
}

// What is too large, or is no disk any more, is not kept; a cache that is damaged begins anew.
func TestHostileDisk(t *testing.T) {
	for name, attack := range map[string]func(path string) error{
		"garbage":     func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\n"), 0o600) },
		"nothing":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"gone":        os.Remove,
		"a link":      func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/etc/passwd", p)) },
		"a directory": func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
		"a full disk": func(p string) error { return os.Truncate(p, 3*DefaultLimitMB<<20) },
	} {
		c := open(t)
		keep(t, c, "a", "1")
		l := lease(t, c, "a")
		if err := attack(l.Files()[0]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := l.Keep(); err == nil {
			t.Errorf("%s is kept", name)
		}
		if got := marks(t, c, "a"); got != "1" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, attack := range map[string]func(dir string) error{
		"no base":      func(d string) error { return os.Remove(filepath.Join(d, baseName)) },
		"another base": func(d string) error { return os.WriteFile(filepath.Join(d, baseName), []byte("x"), 0o600) },
		"torn state":   func(d string) error { return os.WriteFile(filepath.Join(d, stateName), []byte(`{"v":1,`), 0o600) },
		"a path as layer": func(d string) error {
			return os.WriteFile(filepath.Join(d, stateName), []byte(`{"v":1,"project":{"name":"a"},"layers":["base.qcow2","../../x"]}`), 0o600)
		},
		"an earlier program's": func(d string) error { return os.WriteFile(filepath.Join(d, stateName), []byte(`{"v":0}`), 0o600) },
		"no last layer":        func(d string) error { return os.Remove(filepath.Join(d, layerName(2))) },
		"an encrypted base": func(d string) error {
			return overwrite(filepath.Join(d, baseName), 32, []byte{0, 0, 0, 2})
		},
		"a base that QEMU found damaged": func(d string) error {
			return overwrite(filepath.Join(d, baseName), 72, []byte{0, 0, 0, 0, 0, 0, 0, 2})
		},
	} {
		c := open(t)
		keep(t, c, "a", "1")
		if err := attack(c.dir("a")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.List(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		l := lease(t, c, "a")
		if !l.Renewed() {
			t.Errorf("%s: nobody is told", name)
		}
		if err := l.Drop(); err != nil {
			t.Fatal(err)
		}
		if got := marks(t, c, "a"); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	c := open(t)
	if l := lease(t, c, "a"); l.Renewed() {
		t.Error("a new cache was damaged")
	}
}

func overwrite(path string, at int64, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Close())
}

// A cache that a later piwork made, or that cannot be read at the moment, is no damaged one: it
// stays as it is, and the task is told.
func TestUnreadStays(t *testing.T) {
	c := open(t)
	keep(t, c, "a", "1")
	path := filepath.Join(c.dir("a"), stateName)
	was, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(`{"v":2}`), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Lease(t.Context(), Project{Name: "a"}, emptyDisk)
	if p := problem.From(err); p == nil || p.Code != problem.CodeRecordDamaged || p.Cause != "cache" {
		t.Errorf("of a later piwork: %v", err)
	}
	if err := os.WriteFile(path, was, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, c, "a"); got != "1" {
		t.Errorf("it has %q", got)
	}
	other := c.dir("b") // what stands there is no cache, and not ours to remove
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Lease(t.Context(), Project{Name: "b"}, emptyDisk); err == nil {
		t.Error("a file is a cache")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// A name is never a path, and a set of folders is never a name.
func TestProjectOf(t *testing.T) {
	for _, bad := range []string{"..", "../x", "a/b", "a\\b", "/etc", "", "A", "a b", "a\x00", ".a", "a.", "a..b", "folders-1", "-a", strings.Repeat("a", 64), "ä", "a\n"} {
		if p, err := ProjectOf(bad, []string{"/f"}); err == nil {
			t.Errorf("%q is %q", bad, p.ID())
		}
		if err := open(t).Empty(t.Context(), bad); problem.From(err).Code != problem.CodeNotFound {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"a", "build", "my-app_2.0", strings.Repeat("a", 63)} {
		if p, err := ProjectOf(good, nil); err != nil || p.ID() != good {
			t.Errorf("%q: %q %v", good, p.ID(), err)
		}
	}
	one, err := ProjectOf(OfFolders, []string{"/b", "/a", "/b"})
	two, err2 := ProjectOf(OfFolders, []string{"/a", "/b"})
	other, err3 := ProjectOf(OfFolders, []string{"/a/b"})
	if err := errors.Join(err, err2, err3); err != nil || one.ID() != two.ID() || one.ID() == other.ID() || !validID(one.ID()) {
		t.Errorf("%q %q %q %v", one.ID(), two.ID(), other.ID(), err)
	}
	if _, err := ProjectOf(OfFolders, nil); err == nil {
		t.Error("no folders have a cache")
	}
}

// What a killed program left goes at the next start, not first when its project comes again; what
// tasks use stays.
func TestSweep(t *testing.T) {
	c := open(t)
	for _, name := range []string{"a", "b"} {
		keep(t, c, name, "1")
		lease(t, c, name) // and killed
	}
	if err := errors.Join(os.Mkdir(c.dir("c"), 0o700), os.WriteFile(filepath.Join(c.dir("c"), baseName), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	next := c.again()
	used := lease(t, next, "b")
	if err := next.Sweep(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(next.o.Dir, "*", "run-*"))
	if err != nil || !slices.Equal(left, used.Files()[:1]) {
		t.Errorf("left %q %v", left, err)
	}
	if _, err := os.Stat(next.dir("c")); !os.IsNotExist(err) {
		t.Error("what never was a cache is left")
	}
	if got := marks(t, next, "a"); got != "1" {
		t.Errorf("%q", got)
	}
	if err := open(t).Sweep(); err != nil {
		t.Errorf("without caches: %v", err)
	}
}

func TestEmpty(t *testing.T) {
	c := open(t)
	keep(t, c, "a", "1")
	keep(t, c, "b", "2")
	if err := c.Empty(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.dir("a")); !os.IsNotExist(err) {
		t.Error(err)
	}
	if a, b := marks(t, c, "a"), marks(t, c, "b"); a != "" || b != "2" {
		t.Errorf("%q %q", a, b)
	}
	if err := c.Empty(t.Context(), "c"); problem.From(err).Code != problem.CodeNotFound {
		t.Error(err)
	}
}

// A cache that is always in use keeps what it has, and never more files than QEMU opens.
func TestManyLayers(t *testing.T) {
	c := open(t)
	for i := range 2 * maxLayers {
		l := lease(t, c, "a")
		if len(l.Files()) > qemu.MaxCacheLayers {
			t.Fatal(len(l.Files()))
		}
		if err := l.Keep(); i < maxLayers && err != nil || i >= maxLayers && !errors.Is(err, ErrManyLayers) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
