//go:build unix

package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/powercut"
)

// The program dies at every single step of the journal, by SIGKILL, in the
// middle of a task or of an undo. A new process must list what was changed and
// take all of it back. A child (this test binary again) plays the program.
//
// What was being changed at that moment has no record of how the task left it: that is a conflict, and
// comes back when the person says so. What was being made may be left over, empty.
//
// A power cut is worse: everything the task did to the folder has reached the
// disk, but of the journal only what it waited for. Then what the person had
// must still come back, or be a conflict and come back when the person says so; only what the task
// made new may be left over.

const envCrash = "PIWORK_TEST_CRASH" // a mode, the step to die at (0: none), the directories

// cutStores are the directories of a journal of which a power cut takes what was not
// waited for. What is in refs/ went there from the folder in one step with that.
var cutStores = []string{"images"}

// watched and cut are powercut's Watch and Cut of a journal and of that of its undos.
func watched(dir string, failed func(error)) error {
	return errors.Join(powercut.Watch(dir, dir+".durable", failed, cutStores...),
		powercut.Watch(filepath.Join(dir, undosDir), dir+".undos-durable", failed, cutStores...))
}

func cut(dir string, whim int) error {
	err := powercut.Cut(dir, dir+".durable", whim, cutStores...)
	if exists(filepath.Join(dir, undosDir)) {
		err = errors.Join(err, powercut.Cut(filepath.Join(dir, undosDir), dir+".undos-durable", whim, cutStores...))
	}
	return err
}

// children play programs that are not to be this one, by a variable of the environment.
var children = map[string]func(spec string){envCrash: child}

func TestMain(m *testing.M) {
	for name, play := range children {
		if spec := os.Getenv(name); spec != "" {
			play(spec)
			return
		}
	}
	os.Exit(m.Run())
}

// crashMany is how many files of one directory the task works on: more than are kept ahead at once.
var crashMany = tier.Pick(20, 20, 50)

// crashTask does a little of everything.
func crashTask(w *world) {
	w.check(w.write("a", "task", -1))
	w.check(w.write("big", "task", 70000))
	w.check(w.write("huge", "task", 700_000))
	w.check(w.write("huge", "task", 100))
	w.check(w.truncate("huge", 1_000_000))
	w.check(w.create("n", "new"))
	_ = w.tmpfile("t", "new") // not every system can
	_ = w.setxattr("b", "user.x", "task")
	w.check(w.chmod("b", 0o600))
	w.check(w.chtimes("c", w.oldtime))
	w.check(w.rename("b", "d/moved"))
	w.check(w.write("d/moved", "task", -1))
	w.check(w.remove("c"))
	w.check(w.write("gone", "task", -1))
	w.check(w.remove("gone"))
	w.check(w.save("e/saved", "task"))
	w.check(w.save("e/saved", "task again"))
	w.check(w.rename("e", "f"))
	w.check(w.remove("f/inner"))
	w.check(w.mkdir("made"))
	w.check(w.rename("f/kept", "made/kept"))
	w.check(w.symlink("a", "made/l"))
	w.check(w.remove("link"))
	w.check(w.write("two", "task", -1))
	w.check(w.remove("one"))
	w.check(w.link("d/moved", "made/hard"))
	w.check(w.rename("x", "tmp"))
	w.check(w.rename("y", "x"))
	w.check(w.rename("tmp", "y"))
	w.check(w.write("huge2", "task", 5000))
	w.check(w.remove("huge2"))
	for i := range crashMany { // the others are kept ahead and left alone
		name := fmt.Sprint("many/", i)
		switch i % 10 {
		case 0, 1, 2:
			w.check(w.write(name, "task", -1))
		case 3, 4:
			w.check(w.remove(name))
		case 5:
			w.check(w.write(name, "task", -1))
			w.check(w.remove(name))
		case 6:
			w.check(w.remove(name))
			w.check(w.create(name, "task"))
		case 7:
			w.check(w.write(name, "task", -1))
			w.check(w.remove(name))
			w.check(w.create(name, "task"))
			w.check(w.save(name, "again"))
		case 8:
			w.check(w.remove(name))
			w.check(w.symlink("a", name))
		default:
			w.check(w.save(name, "task"))
		}
	}
	w.check(w.rename("over", "victim"))
	w.check(w.rmrf("tree"))
	w.check(w.mkdir("tree")) // anew
	w.check(w.create("tree/new", "task"))
}

var crashSeed = []string{"a", "b", "c", "d/", "gone", "e/saved", "e/inner", "e/kept", "link -> a", "one", "two = one",
	"x", "y", "over", "victim", "tree/1/2", "tree/3"}

func crashWorldIn(t testing.TB, dir, jdir string) *world {
	w := newWorld(t, jdir)
	w.dir = dir
	w.check(os.Mkdir(dir, 0o755))
	w.check(os.WriteFile(filepath.Join(w.dir, "big"), bytes.Repeat([]byte("0123456789"), 20000), 0o640))
	for _, name := range []string{"huge", "huge2"} {
		w.check(os.WriteFile(filepath.Join(w.dir, name), bytes.Repeat([]byte("0123456789"), 150_000), 0o640))
	}
	seed := slices.Clone(crashSeed)
	for i := range crashMany + 10 {
		seed = append(seed, fmt.Sprint("many/", i))
	}
	w.seed(seed...)
	w.mark()
	return w
}

func child(spec string) {
	part := strings.SplitN(spec, " ", 4)
	at0, _ := strconv.Atoi(part[1])
	w := &world{t: &childT{}, dir: part[2], jdir: part[3], oldtime: time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC)}
	mode, power := strings.CutPrefix(part[0], "power-")
	if power {
		w.check(watched(w.jdir, w.check))
	}
	steps, counting := 0, mode == "task"
	var names []string
	var one sync.Mutex // several workers may be at a step
	w.hook = func(name string) {
		if name == "ticked" || !counting { // the former comes by the clock, from elsewhere
			return
		}
		one.Lock()
		defer one.Unlock()
		names = append(names, name)
		if steps++; steps == at0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	var err error
	w.j, err = open(w.jdir, w.opts, w.hook)
	w.check(err)
	w.root, err = at.OpenRoot(w.dir)
	w.check(err)
	w.f, err = w.j.Folder("f1", w.root)
	w.check(err)
	w.j.rec.Busy()
	crashTask(w)
	if mode != "task" {
		_, err := w.j.Changes(context.Background())
		w.check(err)
		if mode == "late" {
			later(w)
		}
		counting = mode != "redo"
		r := w.undo()
		if len(r.Conflicts) > 0 {
			w.t.Fatalf("conflicts: %+v", r.Conflicts)
		}
	}
	if mode == "redo" {
		counting = true
		r, err := w.j.Redo(context.Background(), nil)
		w.check(err)
		if len(r.Conflicts) > 0 {
			w.t.Fatalf("conflicts: %+v", r.Conflicts)
		}
	}
	fmt.Fprintln(os.Stdout, strings.Join(names, " "))
}

// childT ends the child when something fails.
type childT struct{ testing.T }

func (*childT) Helper() {}
func (c *childT) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(3)
}
func (c *childT) Fatalf(f string, args ...any) { c.Fatal(fmt.Sprintf(f, args...)) }

// runChild lets the child die at a step; step 0 lets it finish and returns the names
// of its steps.
func runChild(t *testing.T, w *world, mode string, step int) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s %s", envCrash, mode, step, w.dir, w.jdir))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if step == 0 {
		if strings.HasSuffix(mode, "redo") {
			crashLeft.Store(timeless(w.tree()))
		}
		names := strings.Fields(string(out))
		if err != nil || len(names) < 30 {
			t.Fatalf("child: %v %s %s", err, out, errs.String())
		}
		return names
	}
	if cmd.ProcessState == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child did not die: %v %s %s", err, out, errs.String())
	}
	return nil
}

// tried are the steps at which a run dies: every crashStride-th from the first on, and the
// first of each kind.
func tried(t *testing.T, names []string, first int, kinds bool) []int {
	t.Helper()
	var steps []int
	seen := map[string]bool{}
	for i, name := range names {
		if kinds && !seen[name] || i%crashStride == first {
			steps = append(steps, i+1)
		}
		seen[name] = true
	}
	t.Logf("%d steps of %d kinds, %d of them tried", len(names), len(seen), len(steps))
	return steps
}

// crashStride is how many steps lie between two that kill the program. Each run of
// TestCrash begins at another step: together the twelve try every tenth. What the race
// detector looks for is not in the steps: ./scripts/test all tries every one without it.
var crashStride = func() int {
	if tier.All && tier.Race {
		return 24
	}
	return tier.Pick(120, 240, 1)
}()

// crashPlaces are the file systems of the journal: that of the folder, or another.
var crashPlaces = tier.Pick([]string{"same", "other"}, []string{"other"}, []string{"same", "other"})

// everyKind reports whether a run also tries the first step of each kind: SIGKILL with
// the journal beside the folder, the power cut with the journal on another file system.
func everyKind(where string, power bool) bool { return !tier.Race && power == (where == "other") }

func TestCrash(t *testing.T) {
	runs := 0
	for _, where := range crashPlaces {
		jdir := func(t *testing.T) string {
			if where == "same" && runtime.GOOS != "linux" {
				return filepath.Join(t.TempDir(), "j")
			}
			return filepath.Join(otherFS(t), "j") // in memory: many steps
		}
		crashWorld := func(t *testing.T, jdir string) *world {
			if where == "same" {
				return crashWorldIn(t, filepath.Join(filepath.Dir(jdir), "folder"), jdir)
			}
			return crashWorldIn(t, filepath.Join(t.TempDir(), "folder"), jdir)
		}
		for _, mode := range []string{"task", "undo", "redo", "power-task", "power-undo", "power-redo"} {
			first := runs * crashStride / 12
			runs++
			t.Run(where+"/"+mode, func(t *testing.T) {
				t.Parallel()
				what, power := strings.CutPrefix(mode, "power-")
				names := runChild(t, crashWorld(t, jdir(t)), mode, 0)
				for whim, step := range tried(t, names, first, everyKind(where, power)) {
					w := crashWorld(t, jdir(t))
					runChild(t, w, mode, step)
					if power {
						w.powerCut(what, step, whim)
					} else {
						w.recovered(what, step)
					}
				}
			})
		}
	}
}

// crashLeft is how a redo that nobody interrupts leaves things, but for times
// of the task's own making, which differ.
var crashLeft atomic.Value

var nowTime = regexp.MustCompile(`(file|symlink) (\d+) 202[1-9]\S+`)

func timeless(tree string) string {
	return nowTime.ReplaceAllString(sansDirTimes(tree), "$1 $2 now")
}

// recovered opens the journal as a new process does.
func (w *world) recovered(mode string, step int) {
	w.t.Helper()
	died := w.tree()
	begun := w.begun(mode)
	j, err := Open(w.jdir, Options{})
	if err != nil {
		w.t.Fatalf("step %d: %v", step, err)
	}
	defer j.Close()
	w.j = j
	defer func() { w.j = nil }()
	switch {
	case mode == "task":
		w.complete(step, died)
	case begun:
		w.finished(mode, step, died)
	}
	r := w.undo()
	if mode == "task" && len(r.Conflicts) == 1 {
		r = w.restored(r)
	}
	if d := diff(w.before, w.tree()); d != "" && d != "+ "+w.half(died) || len(r.Conflicts) > 0 {
		w.t.Errorf("%s died at step %d; conflicts %+v; after undo:\n%s\nwhen it died:\n%s", mode, step, r.Conflicts, d, died)
	}
	w.nothingLeft(step)
}

// restored answers conflicts: what was before is to come back.
func (w *world) restored(r Report) Report {
	w.t.Helper()
	answers := map[string]Resolution{}
	for _, c := range r.Conflicts {
		answers[c.Change.ID] = Restore
	}
	r, err := w.j.Undo(w.t.Context(), nil, UndoOptions{Resolve: answers})
	w.check(err)
	return r
}

// half is what had just been made when the program died, and no record says by whom: it is empty.
func (w *world) half(died string) string {
	list := strings.Join(w.changes(), "\n") + "\n"
	for line := range strings.SplitSeq(died, "\n") {
		path, err := strconv.Unquote(strings.SplitN(line, " ", 2)[0])
		empty := strings.HasSuffix(line, ` ""`) || strings.Contains(line, " dir ") || strings.Contains(line, " symlink ")
		if err == nil && empty && !strings.Contains(w.before, fmt.Sprintf("%q ", path)) && !strings.Contains(list, " "+path+"\n") {
			return line
		}
	}
	return ""
}

// nothingLeft checks that everything is undone, as far as the list says.
func (w *world) nothingLeft(step int) {
	w.t.Helper()
	for _, s := range w.changes() {
		if !strings.HasSuffix(s, " undone") {
			w.t.Errorf("step %d: still listed: %s", step, s)
		}
	}
}

// begun reports whether the log says that an undo or a redo has begun.
func (w *world) begun(mode string) bool {
	w.t.Helper()
	dir := w.jdir
	if mode == "redo" {
		dir = filepath.Join(dir, undosDir)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	return err == nil && bytes.Contains(log, []byte(`"k":"undo"`))
}

// finished checks that an undo or a redo was finished when the journal was opened.
func (w *world) finished(mode string, step int, died string) {
	w.t.Helper()
	switch mode {
	case "undo":
		if d := diff(w.before, w.tree()); d != "" {
			w.t.Errorf("undo died at step %d and was not finished:\n%s\nwhen it died:\n%s", step, d, died)
		}
	case "redo":
		want := crashLeft.Load().(string)
		if d := diff(want, timeless(w.tree())); d != "" {
			w.t.Errorf("redo died at step %d and was not finished:\n%s\nwhen it died:\n%s", step, d, died)
		}
		w.complete(step, w.tree())
	}
}

// complete checks that the list has every file that differs, and nothing else.
func (w *world) complete(step int, died string) {
	w.t.Helper()
	list, err := w.j.Changes(w.t.Context())
	w.check(err)
	listed := map[string]bool{}
	for _, c := range list {
		listed[c.Path] = true
		listed[c.From] = true
	}
	differs := func(a, b []string) {
		for _, line := range a {
			if names, ok := strings.CutPrefix(line, "linked: "); ok {
				// A change through one name is listed once.
				for n := range strings.FieldsSeq(names) {
					if listed[n] {
						for m := range strings.FieldsSeq(names) {
							listed[m] = true
						}
					}
				}
			}
		}
		for _, line := range a {
			path, err := strconv.Unquote(strings.SplitN(line, " ", 2)[0])
			if err != nil || strings.Contains(line, " dir ") || slices.Contains(b, line) {
				continue
			}
			ok := listed[path]
			for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
				ok = ok || listed[dir] // moved with its directory
			}
			if !ok && line != w.half(died) {
				w.t.Errorf("step %d: not listed: %s\nlist: %q", step, line, w.changes())
			}
		}
	}
	differs(strings.Split(died, "\n"), strings.Split(w.before, "\n"))
	differs(strings.Split(w.before, "\n"), strings.Split(died, "\n"))
	if died == w.before && len(list) > 0 {
		w.t.Errorf("step %d: nothing changed, and listed: %q", step, w.changes())
	}
}

// powerCut takes from the journal what was not durable, and then undoes.
func (w *world) powerCut(mode string, step, whim int) {
	w.t.Helper()
	w.check(cut(w.jdir, whim))
	died := w.tree()
	begun := w.begun(mode)
	j, err := Open(w.jdir, Options{})
	if err != nil {
		w.t.Fatalf("step %d: %v", step, err)
	}
	defer j.Close()
	w.j = j
	defer func() { w.j = nil }()
	if begun {
		w.finished(mode, step, died)
	}
	r := w.undo()
	if begun {
		// All that the task did was durable by then: nothing may be left over.
		if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
			w.t.Errorf("power cut in %s at step %d; conflicts %+v; after undo:\n%s\nwhen it died:\n%s", mode, step, r.Conflicts, d, died)
		}
		w.nothingLeft(step)
	} else if len(r.Conflicts) > 0 {
		r = w.restored(r)
	}
	after := strings.Split(w.tree(), "\n")
	for _, line := range strings.Split(w.before, "\n") {
		if strings.Contains(line, " dir ") || slices.Contains(after, line) {
			continue
		}
		w.t.Errorf("power cut at step %d lost: %s\nreport %+v\nwhen it died:\n%s\nafter:\n%s", step, line, r.Conflicts, died, strings.Join(after, "\n"))
	}
}
