//go:build unix

package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/powercut"
	"piwork/vmhost/share/journal"
)

// The program dies by SIGKILL at the steps of a task, of Apply, of Discard: at the first
// of each kind and at every crashStride-th, with the build tag long at every single one. A child (this test binary again) plays the program.

const envCrash = "PIWORK_TEST_REVIEW" // the part, the step to die at (0: none), the directory

func TestMain(m *testing.M) {
	if spec := os.Getenv(envCrash); spec != "" {
		child(spec)
		return
	}
	os.Exit(m.Run())
}

var crashSeed = []string{"a", "b", "c", "d/", "gone", "e/saved", "e/inner", "e/kept", "link -> a", "one", "two = one",
	"x", "y", "over", "victim", "tree/1/2", "tree/3", "p/q/r", "deep/er/f"}

// crashTask does a little of everything, and tells after each.
func crashTask(w *world, after func()) {
	s := staged{w.s}
	for _, err := range []func() error{
		func() error { return s.write("a", "task", 3) },
		func() error { return s.write("big", "task", 70000) },
		func() error { return s.write("big", "end", 199000) },
		func() error { return s.create("n", "") },
		func() error { return s.write("n", "new", 0) },
		func() error { return s.chmod("b", 0o600) },
		func() error { return s.chtimes("c", time.Unix(1e9, 5)) },
		func() error { return s.rename("b", "d/moved") },
		func() error { return s.write("d/moved", "task", 2) },
		func() error { return s.remove("c") },
		func() error { return s.write("gone", "task", 0) },
		func() error { return s.remove("gone") },
		func() error { return s.create("e/saved~", "") },
		func() error { return s.write("e/saved~", "task", 0) },
		func() error { return s.rename("e/saved~", "e/saved") },
		func() error { return s.rename("e", "f") },
		func() error { return s.remove("f/inner") },
		func() error { return s.mkdir("made") },
		func() error { return s.rename("f/kept", "made/kept") },
		func() error { return s.symlink("a", "made/l") },
		func() error { return s.remove("link") },
		func() error { return s.symlink("b", "link") },
		func() error { return s.write("two", "task", 0) },
		func() error { return s.remove("one") },
		func() error { return s.link("d/moved", "made/hard") },
		func() error { return s.rename("x", "t") },
		func() error { return s.rename("y", "x") },
		func() error { return s.rename("t", "y") },
		func() error { return s.write("y", "task", 0) },
		func() error { return s.rename("over", "victim") },
		func() error { return s.remove("tree/1/2") },
		func() error { return s.rmdir("tree/1") },
		func() error { return s.remove("tree/3") },
		func() error { return s.rmdir("tree") },
		func() error { return s.create("tree", "") },
		func() error { return s.write("tree", "a file now", 0) },
		func() error { return s.rename("p/q", "q") },
		func() error { return s.rename("p", "q/p") },
		func() error { return s.chmod("deep/er", 0o700) },
		func() error { return s.truncate("deep/er/f", 3) },
		func() error { return s.attribute("deep/er/f", "user.x", "1") },
		func() error { return s.attribute("deep/er", "user.x", "2") },
		func() error { return s.attribute("x", "user.x", "3") },
		func() error { return s.attribute("made/kept", "user.y", "4") },
		func() error { return s.attribute("n", "user.z", "5") },
		func() error { return s.attribute("two", "user.z", "6") },
	} {
		w.check(err())
		after()
	}
}

// attribute sets an extended attribute where the file system has them.
func (d staged) attribute(p, name, value string) error {
	err := d.setxattr(p, name, value)
	if errors.Is(err, at.ErrUnsupported) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

func crashWorld(t tester, base string) *world {
	w := newWorld(t, base)
	w.opts.large = 100000
	return w
}

func crashSeeded(t tester, base string) *world {
	w := crashWorld(t, base)
	w.check(os.WriteFile(filepath.Join(w.dir, "big"), bytes.Repeat([]byte("0123456789"), 20000), 0o640))
	w.check(seed(w.dir, crashSeed...))
	return w
}

type childT struct{}

func (childT) Helper()                  {}
func (childT) Context() context.Context { return context.Background() }
func (childT) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(2)
}

func child(spec string) {
	part := strings.SplitN(spec, " ", 3)
	last, _ := strconv.Atoi(part[1])
	w := crashWorld(childT{}, part[2])
	mode, power := strings.CutPrefix(part[0], "power-")
	if power {
		w.check(powercut.Watch(w.own, w.own+".durable", w.check, "objects"))
		w.check(powercut.Watch(w.jdir, w.jdir+".durable", w.check, "images", "undone"))
	}
	var counting atomic.Bool
	counting.Store(mode == "task")
	steps := 0
	var names []string
	w.hook = func(name string) {
		if name == "safe" || !counting.Load() { // the former comes by the clock, from elsewhere
			return
		}
		names = append(names, name)
		if steps++; steps == last {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	w.begin()
	crashTask(w, func() {})
	counting.Store(true)
	switch mode {
	case "apply":
		w.apply(nil, ApplyOptions{})
	case "discard":
		_, err := w.l.Discard(context.Background(), nil, w.journal)
		w.check(err)
	}
	w.end()
	os.Stdout.WriteString(strings.Join(names, "\n") + "\n")
	os.Exit(0)
}

// die runs a part until a step and returns the names of its steps when it did not die.
func die(t *testing.T, part string, step int, base string) (names []string, dead bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), envCrash+"="+fmt.Sprint(part, " ", step, " ", base))
	out, err := cmd.CombinedOutput()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signal() == syscall.SIGKILL {
		return nil, true
	}
	if err != nil {
		t.Fatalf("%s %d: %v\n%s", part, step, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), false
}

// quick is a directory in memory, where there is one: Apply waits for the disk.
func quick(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "piwork")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var crashStride = tier.Pick(10, 20, 1)

func TestCrash(t *testing.T) {
	base := quick(t)
	// What the view may be: as it is after each of the steps.
	w := crashSeeded(t, filepath.Join(base, "views"))
	before := w.original(withTimes)
	w.begin()
	views := []string{w.merged(0)}
	crashTask(w, func() { views = append(views, w.merged(0)) })
	last := w.merged(withTimes)
	whole := w.changes()
	w.end()
	for _, part := range []string{"task", "apply", "discard", "power-task", "power-apply", "power-discard"} {
		t.Run(part, func(t *testing.T) {
			w := crashSeeded(t, filepath.Join(base, part))
			names, _ := die(t, part, 0, filepath.Join(base, part))
			if len(names) < 10 {
				t.Fatalf("steps %q", names)
			}
			w.check(os.RemoveAll(filepath.Join(base, part)))
			tried, kinds := 0, map[string]bool{}
			for i, name := range names {
				if i%crashStride != 0 && (kinds[name] || tier.Race) {
					continue
				}
				kinds[name] = true
				tried++
				step := i + 1
				here := filepath.Join(base, fmt.Sprint(part, step))
				w := crashSeeded(t, here)
				before = w.original(withTimes)
				if _, dead := die(t, part, step, here); !dead {
					t.Fatalf("step %d of %d was not reached", step, len(names))
				}
				if part, power := strings.CutPrefix(part, "power-"); power {
					w.check(powercut.Cut(w.own, w.own+".durable", tried, "objects"))
					w.check(powercut.Cut(w.jdir, w.jdir+".durable", tried, "images", "undone"))
					w.begin()
					w.outlast(t, part, step, before, views)
				} else {
					w.begin()
					w.survive(t, part, step, before, last, views, whole)
				}
				w.end()
				w.check(os.RemoveAll(here))
			}
			t.Logf("%d steps of %d kinds, %d of them tried", len(names), len(kinds), tried)
		})
	}
}

// What a person saves into a file that an Apply was writing when it died is theirs.
func TestApplyThatDiedLeavesWhatAPersonSaved(t *testing.T) {
	base := quick(t)
	crashSeeded(t, filepath.Join(base, "whole"))
	names, _ := die(t, "apply", 0, filepath.Join(base, "whole"))
	for i, name := range names {
		if name != "emptied" && name != "rewritten" {
			continue
		}
		here := filepath.Join(base, strconv.Itoa(i))
		w := crashSeeded(t, here)
		if _, dead := die(t, "apply", i+1, here); !dead {
			t.Fatalf("step %d was not reached", i+1)
		}
		const mine = "a person's own words, which nobody else has"
		w.check(os.WriteFile(filepath.Join(w.dir, "two"), []byte(mine), 0o600))
		w.begin()
		r := w.apply(nil, ApplyOptions{})
		if !slices.ContainsFunc(r.Conflicts, func(c journal.Conflict) bool { return c.Change.Path == "two" }) {
			t.Errorf("%s: no conflict: %+v", name, r.Conflicts)
		}
		if _, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(w.dir, "two")); string(got) != mine {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		w.end()
		break
	}
}

func (w *world) survive(t *testing.T, part string, step int, before, last string, views, whole []string) {
	t.Helper()
	wrong := func(what, want, got string) {
		if d := diff(want, got); d != "" {
			t.Errorf("dying at step %d: %s:\n%s\nlist: %q", step, what, d, w.changes())
		}
	}
	if part != "apply" {
		wrong("the original", before, w.original(withTimes))
	}
	switch part {
	case "task":
		if view := w.merged(0); !slices.Contains(views, view) {
			t.Errorf("dying at step %d: no such view:\n%s", step, view)
		}
	case "apply":
		wrong("the view", views[len(views)-1], w.merged(0))
	}
	view := w.merged(withTimes)
	if part == "discard" {
		_, err := w.l.Discard(t.Context(), nil, w.journal)
		w.check(err)
		wrong("forgotten", before, w.merged(withTimes))
	} else {
		if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
			t.Errorf("dying at step %d: %+v", step, r.Conflicts)
		}
		wrong("applied", view, w.original(withTimes))
	}
	if left := w.changes(); len(left) > 0 {
		t.Errorf("dying at step %d: left: %q", step, left)
	}
	if r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("dying at step %d: undo: %+v %v", step, r.Conflicts, err)
	}
	wrong("undone", before, w.original(withTimes))
	_, _ = last, whole
}

// contentOf is the content in a line of a tree, whatever else was done to the file; of
// an empty one its name. What a file was before stands in each that is not empty.
func contentOf(line string) string {
	name, _, _ := strings.Cut(line, " ")
	i := strings.LastIndex(line, ` "`)
	if i < 0 || strings.HasSuffix(line, ` ""`) {
		return name
	}
	return line[i:]
}

// outlast is what is left of that after a power cut: everything that was in the folder
// reached the disk, but of the layer and of the journal only what was waited for. The
// newest changes may be gone; no file may be what it never was, and nothing of the
// person's may be lost.
func (w *world) outlast(t *testing.T, part string, step int, before string, views []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, view := range views {
		for line := range strings.SplitSeq(view, "\n") {
			seen[contentOf(line)] = true
		}
	}
	if part != "apply" {
		if d := diff(before, w.original(withTimes)); d != "" {
			t.Errorf("power cut at step %d: the original:\n%s", step, d)
		}
	}
	view := w.merged(0)
	for line := range strings.SplitSeq(view, "\n") {
		if !seen[contentOf(line)] {
			t.Errorf("power cut at step %d: it never was so: %s\nlist: %q", step, line, w.changes())
		}
	}
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("power cut at step %d: %+v", step, r.Conflicts)
	}
	if d := diff(view, w.original(0)); d != "" {
		t.Errorf("power cut at step %d: applied:\n%s", step, d)
	}
	if _, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
		t.Errorf("power cut at step %d: undo: %v", step, err)
	}
	after := strings.Split(w.original(withTimes), "\n")
	for line := range strings.SplitSeq(before, "\n") {
		if !slices.Contains(after, line) {
			t.Errorf("power cut at step %d lost: %s\nafter:\n%s", step, line, strings.Join(after, "\n"))
		}
	}
}
