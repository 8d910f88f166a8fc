package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// recorded is a place whose audit log is a list of lines.
type recorded struct {
	*hosted.Runtime
	log *auditLines
}

type auditLines struct {
	mu    sync.Mutex
	lines []string
	full  error // why nothing can be recorded
}

func (l *auditLines) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *auditLines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func (r recorded) Records(_ context.Context, id string, argv []string) (func(wire.ExecResult) error, error) {
	if r.log.full != nil {
		return nil, r.log.full
	}
	r.log.add("%s begins %q", id, argv)
	return func(e wire.ExecResult) error {
		r.log.add("%s ends %d%s", id, e.ExitCode, e.Ended)
		return nil
	}, nil
}

// slowLog is a place whose audit log is full, which it finds out when it is told to.
type slowLog struct {
	Place
	now chan struct{}
}

func (p slowLog) Records(context.Context, string, []string) (func(wire.ExecResult) error, error) {
	<-p.now
	return nil, errors.New("the disk is full")
}

// asker is a place that says for whom a program runs.
type asker struct {
	Place
	began chan context.Context
}

type askerKey struct{}

func (p asker) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	p.began <- ctx
	return p.Place.Execute(ctx, a)
}

// The program of a session runs for who asked for it, also when that one is gone: the audit log
// and rules of the place are told so.
func TestASessionRunsForWhoAskedForIt(t *testing.T) {
	w := newWorld(t)
	p := asker{w.place, make(chan context.Context, 1)}
	w.place = p
	ctx, gone := context.WithCancel(context.WithValue(t.Context(), askerKey{}, "anna"))
	s, err := w.CreateSession(ctx, aTask, Request{})
	if err != nil {
		t.Fatal(err)
	}
	gone()
	if of := <-p.began; of.Value(askerKey{}) != "anna" || of.Err() != nil {
		t.Errorf("for %v, %v", of.Value(askerKey{}), of.Err())
	}
	if r := w.run(t, s, "echo here"); string(r.Stdout) != "here\n" {
		t.Errorf("%+v", r)
	}
}

// What a program in the background writes before a command that is not done leaves no file.
func TestACommandThatIsNotDoneLeavesNoFile(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	w.run(t, s, "(sleep 0.2; head -c 3000000 /dev/zero) &")
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := slowLog{w.place, make(chan struct{})}
	live.mu.Lock()
	live.place = p
	live.mu.Unlock()
	failed := make(chan error)
	go func() {
		_, err := w.RunInSession(t.Context(), s.ID, RunRequest{Command: "true"})
		failed <- err
	}()
	for live.look().Output < 3_000_000 {
		time.Sleep(time.Millisecond)
	}
	close(p.now)
	if err := <-failed; err == nil {
		t.Error("it is done")
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".session-*")); len(left) > 0 || w.roomOf(aTask).Load() != maxFiles {
		t.Errorf("files: %q", left)
	}
}

// Each command of a shell is in the audit log before it is done and when it ended, also when its
// client or its session is gone; one that cannot be recorded is not done.
func TestCommandsAreRecorded(t *testing.T) {
	w := newWorld(t)
	log := w.place.(recorded).log
	s := w.create(t, Request{})
	id := func(n int) string { return fmt.Sprintf("%s/session-%s/%d", aTask, s.ID, n) }
	w.run(t, s, "test -d /usr")
	w.run(t, s, "did=nothing; (exit 7)")
	gone, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for len(log.all()) < 5 && gone.Err() == nil { // it began
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := w.RunInSession(gone, s.ID, RunRequest{Command: "sleep 600", TimeoutMS: 5000}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	untilIdle(t, live)
	for end := time.Now().Add(time.Minute); len(log.all()) < 6 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	log.full = errors.New("the disk is full")
	if _, err := w.RunInSession(t.Context(), s.ID, RunRequest{Command: "did=it"}); !errors.Is(err, log.full) {
		t.Errorf("%v", err)
	}
	log.full = nil
	if r := w.run(t, s, "echo $did"); string(r.Stdout) != "nothing\n" {
		t.Errorf("%q", r.Stdout)
	}
	w.run(t, s, "exit 3")
	want := []string{
		id(1) + ` begins ["test" "-d" "/usr"]`, id(1) + " ends 0",
		id(2) + ` begins ["sh" "-c" "did=nothing; (exit 7)"]`, id(2) + " ends 7",
		id(3) + ` begins ["sleep" "600"]`, id(3) + " ends 130timeout",
		id(5) + ` begins ["sh" "-c" "echo $did"]`, id(5) + " ends 0",
		id(6) + ` begins ["exit" "3"]`, id(6) + " ends 3",
	}
	if got := log.all(); !slices.Equal(got, want) {
		t.Errorf("%q\nnot\n%q", got, want)
	}
}

func TestCommandArgv(t *testing.T) {
	for text, want := range map[string][]string{
		"ls -l /usr":  {"ls", "-l", "/usr"},
		" make  all ": {"make", "all"},
		"a=1 make":    {"sh", "-c", "a=1 make"},
		"ls *":        {"sh", "-c", "ls *"},
		"ls\nrm x":    {"sh", "-c", "ls\nrm x"},
		"~/run":       {"sh", "-c", "~/run"},
		"echo 'x'":    {"sh", "-c", "echo 'x'"},
		"   ":         {"sh", "-c", "   "},
	} {
		if got := commandArgv(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What a shell says at the end of a command does not stumble over how the person set it up, and
// leaves nothing behind in it; a peak is known only of a command that had more than those before.
func TestMarksOfShells(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	for _, setup := range []string{"set -eu", "set -o pipefail", "IFS=:0", "unset REPLY", "read() { echo mine; }", "trap 'echo err' ERR"} {
		w.run(t, s, setup)
		if r := w.run(t, s, "echo ${REPLY-none}"); string(r.Stdout) != "none\n" || len(r.Stderr) != 0 || r.ExitCode != 0 {
			t.Errorf("after %s: %+v", setup, r)
		}
	}
	c := command{done: make(chan struct{})}
	if c.finish(said{word: "0", peak: 9 << 20}, 0, 8<<20); c.result.PeakKB != 9<<10 {
		t.Errorf("%+v", c.result)
	}
	c = command{done: make(chan struct{})}
	if c.finish(said{word: "0", peak: 8 << 20}, 0, 8<<20); c.result.PeakKB != 0 {
		t.Errorf("%+v", c.result)
	}
}
