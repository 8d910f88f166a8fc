package sessions

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/scripts/lib/procs"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

const aTask = "task-1"

// world is a set whose only task works in a runtime.
type world struct {
	*Set
	place Place
	dir   string
	kept  map[string]string // files that became results, by name
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{place: recorded{newRuntime(t), &auditLines{}}, dir: t.TempDir(), kept: map[string]string{}}
	w.Set = New(Options{
		Place: func(_ context.Context, task string) (Place, error) {
			if task != aTask {
				return nil, problem.New(problem.CodeNoSessions).With("task", task)
			}
			return w.place, nil
		},
		Dir:  func(string) string { return w.dir },
		Keep: func(_, file, name string) (string, error) { w.kept[name] = file; return name, nil },
		Now:  time.Now,
	})
	t.Cleanup(func() { w.EndTask(aTask) })
	return w
}

func (w *world) create(t testing.TB, r Request) Session {
	t.Helper()
	s, err := w.CreateSession(t.Context(), aTask, r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) run(t testing.TB, s Session, command string) RunResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := w.RunInSession(ctx, s.ID, RunRequest{Command: command})
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return r
}

func (w *world) attach(t testing.TB, s Session, r AttachRequest) attach.Conn {
	t.Helper()
	c, err := w.AttachSession(t.Context(), s.ID, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// read reads a session until it has said a text, or to its end for "".
func read(t testing.TB, c attach.Conn, until string) (all string, skipped int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for until == "" || !strings.Contains(all, until) {
		p, err := c.Read(ctx)
		if errors.Is(err, io.EOF) && until == "" {
			return all, skipped
		}
		if err != nil {
			t.Fatalf("%v; it said %.500q", err, all)
		}
		all += string(p.Data)
		skipped += p.Skipped
	}
	return all, skipped
}

// code is that of a problem.
func code(err error) string {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return fmt.Sprint(err)
	}
	return strings.TrimSuffix(p.Code+" "+p.Cause, " ")
}

// Commands of one shell share directory, variables, functions and background programs, and
// none of them can take the shell's place.
func TestCommandsOfOneShell(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Env: map[string]string{"GIVEN": "it's"}})
	if s.State != StateIdle || !s.Shell || s.Task != aTask {
		t.Errorf("%+v", s)
	}
	for _, tt := range []struct {
		command, stdout, stderr string
		code                    int
	}{
		{"cd /usr && export A='x y'; f() { echo \"f $1\"; }", "", "", 0},
		{"pwd; echo \"$A $GIVEN\"; f 1", "/usr\nx y it's\nf 1\n", "", 0},
		{"echo 'quote '\\'' \"two\" $((1+1))' ; echo last", "quote ' \"two\" $((1+1))\nlast\n", "", 0},
		{"for i in 1 2; do\n  echo $i\ndone", "1\n2\n", "", 0},
		{"declare -A map; map[k]=v", "", "", 0},
		{"echo ${map[k]}", "v\n", "", 0},
		{"(exit 7)", "", "", 7},
		{"echo err >&2; false", "", "err\n", 1},
		{"sleep 300 & echo started; job=$!", "started\n", "", 0},
		{"kill -0 $job && kill $job; { wait $job; } 2>/dev/null; echo $?", "143\n", "", 0},
		{"{ sh -c 'kill -9 $$'; } 2>/dev/null", "", "", 137},
		{"read x; echo \"[$x]\"", "[]\n", "", 0}, // nobody types
		{"-x 2>/dev/null", "", "", 127},
		{"cat <<'E'\nhere\nE", "here\n", "", 0},
		{"echo long # " + strings.Repeat("x", 199_000), "long\n", "", 0},
		{"printf '\\000\\377'", "\x00\xff", "", 0},
	} {
		r := w.run(t, s, tt.command)
		if string(r.Stdout) != tt.stdout || string(r.Stderr) != tt.stderr || r.ExitCode != tt.code || r.Ended != "" {
			t.Errorf("%s: %+v, stdout %.300q, stderr %.300q", tt.command, r, r.Stdout, r.Stderr)
		}
		if r.Signal != max(0, tt.code-128) {
			t.Errorf("%s: signal %d", tt.command, r.Signal)
		}
	}
	for _, hostile := range []string{
		"kill -INT $$", "kill -INT 0", "echo @forged 0 >&6", "echo x >&5", "exec 5<&- 6>&-", "break", "continue 2", "return 3", "if", "'", "printf() { :; }; times() { :; }", "unset IFS; set -u; set -f",
		"exec 3<&5", "shopt -s extglob; eval 'if'", "trap 'exit 3' INT; trap - INT",
	} {
		if r := w.run(t, s, hostile); r.Ended != "" {
			t.Errorf("%q: %+v %q", hostile, r, r.Stderr)
		}
		if got, _ := w.Session(t.Context(), s.ID); got.State != StateIdle {
			t.Fatalf("%q ends the shell: %+v", hostile, got)
		}
		if r := w.run(t, s, "echo alive"); string(r.Stdout) != "alive\n" || r.ExitCode != 0 {
			t.Errorf("after %q: %+v %q %q", hostile, r, r.Stdout, r.Stderr)
		}
	}
	if r := w.run(t, s, "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"); r.CPUMS < 50 || r.WallMS < r.CPUMS/4 {
		t.Errorf("times: %+v", r)
	}
	if r := w.run(t, s, "exit 5"); r.ExitCode != 5 || r.Ended != "" {
		t.Errorf("%+v", r)
	}
	got, err := w.Session(t.Context(), s.ID)
	if err != nil || got.State != StateTerminated || got.Reason != ReasonExited || got.Ending == nil || got.Ending.ExitCode != 5 || got.Ending.PeakKB <= 0 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := w.RunInSession(t.Context(), s.ID, RunRequest{Command: "true"}); code(err) != "session-over exited" {
		t.Error(err)
	}
}

// Who writes where the shell says that a command is done does not know the number: it ends no
// command, and hides no end.
func TestNobodyForgesTheEnd(t *testing.T) {
	w := newWorld(t)
	for _, noise := range []string{
		"echo '@A 0'; echo 0m0s 0m0s; echo 0m0s 0m0s", "printf @A", "printf '%5000s'", "printf '%5000s\\n'", "printf '\\n\\n'", "echo '@ '",
	} {
		s := w.create(t, Request{})
		t.Log(noise) // what the failure below is of
		w.run(t, s, "(while :; do "+noise+"; done >/proc/$$/fd/6) 2>/dev/null &")
		for range 20 {
			if r := w.run(t, s, "(exit 9)"); r.ExitCode != 9 {
				t.Errorf("%s: %+v", noise, r)
			}
		}
		if _, err := w.CloseSession(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
	}
}

// More than an answer holds becomes a file, whole; the answer has its begin.
func TestLongOutputIsAFile(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	r := w.run(t, s, "i=0; while [ $i -lt 60000 ]; do echo \"line $i of a long output\"; i=$((i+1)); done; head -c 1048577 /dev/zero >&2")
	var want bytes.Buffer
	for i := range 60000 {
		fmt.Fprintf(&want, "line %d of a long output\n", i)
	}
	if len(r.Stdout) != maxAnswer || !bytes.HasPrefix(want.Bytes(), r.Stdout) || r.StdoutSize != int64(want.Len()) || r.StdoutFile == "" ||
		len(r.Stderr) != maxAnswer || r.StderrSize != maxAnswer+1 || r.StderrFile == "" {
		t.Errorf("%d of %d bytes, file %q; %d of %d, file %q", len(r.Stdout), r.StdoutSize, r.StdoutFile, len(r.Stderr), r.StderrSize, r.StderrFile)
	}
	if got, err := os.ReadFile(w.kept[r.StdoutFile]); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if r := w.run(t, s, "head -c 1048576 /dev/zero"); len(r.Stdout) != maxAnswer || r.StdoutFile != "" {
		t.Errorf("exactly what fits: %d %q", len(r.Stdout), r.StdoutFile)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".session-*")); len(left) != 2 {
		t.Errorf("files: %q", left)
	}
}

// A long output of a command that the end of its task cut off has no file, and is answered as far
// as an answer has room.
func TestLongOutputOfATaskThatIsOver(t *testing.T) {
	w := newWorld(t)
	w.o.Keep = func(_, _, _ string) (string, error) { return "", nil }
	r := w.run(t, w.create(t, Request{}), "head -c 1048577 /dev/zero")
	if len(r.Stdout) != maxAnswer || r.StdoutSize != maxAnswer+1 || r.StdoutFile != "" {
		t.Errorf("%d of %d bytes, file %q", len(r.Stdout), r.StdoutSize, r.StdoutFile)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".session-*")); len(left) != 0 {
		t.Errorf("files: %q", left)
	}
}

// A file that has not all says so, once; the answer has it, too.
func TestCutOutput(t *testing.T) {
	for _, tt := range []struct {
		chunks []int
		cut    bool
	}{
		{[]int{2 << 20, 1 << 20}, false}, {[]int{2 << 20, 1 << 20, 1, 5}, true}, {[]int{2 << 20, 2 << 20, 2 << 20}, true}, {[]int{9 << 20}, true},
	} {
		c := capture{dir: t.TempDir(), room: new(atomic.Int64), most: 3 << 20}
		c.room.Store(maxFiles)
		var all []byte
		for i, n := range tt.chunks {
			data := bytes.Repeat([]byte{'a' + byte(i)}, n)
			all = append(all, data...)
			c.take(data)
		}
		want := all
		if tt.cut {
			want = append(bytes.Clone(all[:3<<20]), cutLine...)
		}
		got, err := os.ReadFile(c.file.Name())
		if err = errors.Join(err, c.err); err != nil || !bytes.Equal(got, want) || c.cut() != tt.cut || c.size != int64(len(all)) || !bytes.Equal(c.data, all[:maxAnswer]) {
			t.Errorf("%v: %d bytes in the file, of %d, cut %v, %d in the answer: %v", tt.chunks, len(got), c.size, c.cut(), len(c.data), err)
		}
		c.drop()
	}
}

// Files of long outputs have a bound together, and one that cannot be kept is said in the result
// of its command; what they had room for comes back with them.
func TestLongOutputsHaveABound(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	room, ask := w.roomOf(aTask), "head -c 3000000 /dev/zero"
	room.Store(4_000_000)
	if r := w.run(t, s, ask); r.Truncated || r.StdoutFile == "" {
		t.Errorf("the first: %+v", r)
	}
	if r := w.run(t, s, ask); !r.Truncated || r.StdoutFile != "" || r.StdoutSize != 3_000_000 || len(r.Stdout) != maxAnswer || r.ExitCode != 0 {
		t.Errorf("beyond the bound: %+v", r.StdoutFile)
	}
	if left := room.Load(); left != 1_000_000 {
		t.Errorf("%d bytes are left", left)
	}
	room.Store(maxFiles)
	w.o.Keep = func(_, _, _ string) (string, error) { return "", errors.New("the disk is full") }
	if r := w.run(t, s, ask); !r.Truncated || r.StdoutFile != "" || r.StdoutSize != 3_000_000 {
		t.Errorf("not to be kept: %+v", r.StdoutFile)
	}
	w.o.Keep = func(_, _, _ string) (string, error) { return "", nil }
	if r := w.run(t, s, ask); r.Truncated || r.StdoutFile != "" {
		t.Errorf("of a task that is over: %+v", r.StdoutFile)
	}
	w.o.Dir = func(string) string { return w.dir + "/none" }
	if r := w.run(t, s, ask); !r.Truncated || r.StdoutFile != "" {
		t.Errorf("not to be made: %+v", r.StdoutFile)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".session-*")); len(left) != 1 || room.Load() != maxFiles {
		t.Errorf("files: %q, %d bytes are left", left, room.Load())
	}
}

// A command that takes too long is interrupted; one that does not listen ends with its session.
func TestACommandThatTakesTooLong(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	r, err := w.RunInSession(t.Context(), s.ID, RunRequest{Command: "sleep 300", TimeoutMS: 500})
	if err != nil || r.Ended != ReasonTimeout || r.ExitCode != 130 {
		t.Errorf("%+v %v", r, err)
	}
	if r := w.run(t, s, "echo goes on"); string(r.Stdout) != "goes on\n" {
		t.Errorf("%+v", r)
	}
	for _, rest := range []string{"sleep 300; echo rest", "for i in 1 2; do sleep 300; echo rest; done\necho rest", "x=$(sleep 300; echo rest); echo $x", "sleep 300 | cat\necho rest"} {
		r, err = w.RunInSession(t.Context(), s.ID, RunRequest{Command: rest, TimeoutMS: 500})
		if err != nil || r.Ended != ReasonTimeout || r.ExitCode != 130 || len(r.Stdout)+len(r.Stderr) > 0 {
			t.Errorf("%q goes on after it was interrupted: %+v %v", rest, r, err)
		}
	}
	r, err = w.RunInSession(t.Context(), s.ID, RunRequest{Command: "trap '' INT; while :; do sleep 1; done", TimeoutMS: 200})
	if err != nil || r.Ended != ReasonTimeout {
		t.Errorf("%+v %v", r, err)
	}
	if got, _ := w.Session(t.Context(), s.ID); got.State != StateTerminated || got.Reason != ReasonTimeout {
		t.Errorf("%+v", got)
	}
}

// Several read, one writes, and who takes the lease over has it; a reader that comes later
// reads what was kept, from where it says.
func TestReadersAndOneWriter(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"cat"}})
	if s.State != StateRunning || s.Shell {
		t.Errorf("%+v", s)
	}
	first, reader := w.attach(t, s, AttachRequest{Write: true}), w.attach(t, s, AttachRequest{})
	if !first.Info().Input || reader.Info().Input {
		t.Errorf("%+v %+v", first.Info(), reader.Info())
	}
	if err := first.Write(t.Context(), []byte("one\n")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []attach.Conn{first, reader} {
		if got, _ := read(t, c, "one\n"); got != "one\n" {
			t.Errorf("%q", got)
		}
	}
	if err := reader.Write(t.Context(), []byte("x")); !errors.Is(err, attach.ErrNoInput) {
		t.Error(err)
	}
	if _, err := w.AttachSession(t.Context(), s.ID, AttachRequest{Write: true}); code(err) != "session-busy writer" {
		t.Error(err)
	}
	second := w.attach(t, s, AttachRequest{Write: true, Take: true})
	if p, err := first.Read(t.Context()); err != nil || !p.Taken {
		t.Errorf("%+v %v", p, err)
	}
	if err := first.Write(t.Context(), []byte("x")); !errors.Is(err, attach.ErrNoInput) {
		t.Error(err)
	}
	if err := second.Write(t.Context(), []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, second, "two\n"); got != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	if got, _ := read(t, w.attach(t, s, AttachRequest{From: 4}), "two\n"); got != "two\n" {
		t.Errorf("from the fourth byte: %q", got)
	}
	if got := w.attach(t, s, AttachRequest{Last: true}); got.Info().Offset != 8 {
		t.Errorf("%+v", got.Info())
	}
	_ = second.Close() // the session goes on, and the lease is free
	third := w.attach(t, s, AttachRequest{Write: true})
	if err := third.CloseInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, third, ""); got != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	if got, _ := w.Session(t.Context(), s.ID); got.Reason != ReasonExited || got.Output != 8 || got.Kept != 8 || got.Writer != true {
		t.Errorf("%+v", got)
	}
}

// A reader that does not read loses what is beyond the bound, and is told how much.
func TestASlowReaderIsToldWhatItMisses(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"sh", "-c", "read x; head -c 3000000 /dev/zero; echo end"}, KeepKB: 256})
	slow := w.attach(t, s, AttachRequest{Write: true})
	if err := slow.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	live, _ := w.find(s.ID)
	<-live.done
	got, skipped := read(t, slow, "")
	if !strings.HasSuffix(got, "end\n") || skipped == 0 || skipped+int64(len(got)) != 3000004 || len(got) > 256<<10 || len(got) < 128<<10 {
		t.Errorf("%d bytes, %d skipped", len(got), skipped)
	}
}

// A shell on a terminal says itself when a command runs in it.
func TestTerminal(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 91, Rows: 33}, Env: map[string]string{"TERM": "xterm"}})
	c := w.attach(t, s, AttachRequest{Write: true})
	state := func(want State) {
		t.Helper()
		live, err := w.find(s.ID)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := live.until(ctx, func() bool { return live.public.State == want }); err != nil {
			t.Fatalf("it is not %s", want)
		}
		live.mu.Unlock()
	}
	state(StateIdle)
	typed := func(text string) {
		t.Helper()
		if err := c.Write(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	typed("stty size; read x\r")
	read(t, c, "33 91\r\n")
	state(StateRunning)
	if _, err := w.ResizeSession(t.Context(), s.ID, wire.TerminalSize{Columns: 100, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	typed("\r")
	state(StateIdle)
	typed("until [ \"$(stty size)\" = '40 100' ]; do sleep 0.05; done; echo re\"\"sized\r")
	read(t, c, "resized\r\n")
	if _, err := w.RunInSession(t.Context(), s.ID, RunRequest{Command: "true"}); code(err) != "session-unfit terminal" {
		t.Error(err)
	}
	typed("sleep 300\r")
	state(StateRunning)
	// Until the command is the terminal's, an interrupt is the shell's, which waits for it all
	// the same: who sees that types it again.
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); live.look().State != StateIdle; time.Sleep(50 * time.Millisecond) {
		if typed("\x03"); time.Now().After(limit) {
			t.Fatal("it is not interrupted")
		}
	}
	began := time.Now()
	if got, err := w.CloseSession(t.Context(), s.ID); err != nil || got.Reason != ReasonClosed || got.State != StateTerminated {
		t.Errorf("%+v %v", got, err)
	}
	if took := time.Since(began); took > 20*time.Second { // far above what it takes
		t.Errorf("its end took %v", took)
	}
	if _, err := w.Session(t.Context(), s.ID); code(err) != "not-found" {
		t.Error(err)
	}
}

func TestEnds(t *testing.T) {
	w := newWorld(t)
	ended := func(id string) Session {
		t.Helper()
		live, err := w.find(id)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-live.done:
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
		}
		return live.look()
	}
	for name, tt := range map[string]struct {
		r      Request
		do     func(Session)
		reason Reason
		signal int
	}{
		"by itself":       {Request{Argv: []string{"sh", "-c", "exit 3"}}, nil, ReasonExited, 0},
		"idle":            {Request{IdleMS: 200}, nil, ReasonIdle, 0},
		"in all too long": {Request{Limits: wire.Limits{WallMS: 300}}, nil, ReasonTimeout, 0},
		"output":          {Request{Argv: []string{"sh", "-c", "while :; do echo x; done"}, Limits: wire.Limits{OutputBytes: 10000}}, nil, ReasonLimit, 0},
		"signal": {Request{Argv: []string{"sleep", "300"}}, func(s Session) {
			if _, err := w.SignalSession(t.Context(), s.ID, SignalRequest{Signal: "KILL"}); err != nil {
				t.Error(err)
			}
		}, ReasonSignal, 9},
		"its task": {Request{}, func(Session) { w.EndTask(aTask) }, ReasonTask, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.create(t, tt.r)
			live, err := w.find(s.ID)
			if tt.do != nil {
				tt.do(s)
			}
			var got Session
			if err == nil && tt.reason == ReasonTask {
				got = live.look()
			} else {
				got = ended(s.ID)
			}
			if got.State != StateTerminated || got.Reason != tt.reason || tt.signal != 0 && got.Ending.Signal != tt.signal {
				t.Errorf("%+v", got)
			}
		})
	}
	if _, err := w.SignalSession(t.Context(), w.create(t, Request{}).ID, SignalRequest{Signal: "SEGV"}); code(err) != "bad-request" {
		t.Error(err)
	}
}

// While its place gets ready a session is not idle.
func TestIdleBeginsInItsPlace(t *testing.T) {
	w := newWorld(t)
	place := w.o.Place
	w.o.Place = func(ctx context.Context, task string) (Place, error) {
		w.later(time.Hour)
		return place(ctx, task)
	}
	s := w.create(t, Request{IdleMS: 60_000})
	if r := w.run(t, s, "echo here"); string(r.Stdout) != "here\n" {
		t.Errorf("%+v", r)
	}
}

// A command that runs and says nothing is something that happens, on a terminal, too.
func TestIdleWaitsForCommands(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}, IdleMS: 3000})
	c := w.attach(t, s, AttachRequest{Write: true})
	if err := c.Write(t.Context(), []byte("sleep 6; echo do\"\"ne\r")); err != nil {
		t.Fatal(err)
	}
	if all, _ := read(t, c, ""); !strings.Contains(all, "done") {
		t.Errorf("it was ended in the middle: %q", all)
	}
	if got, err := w.Session(t.Context(), s.ID); err != nil || got.Reason != ReasonIdle {
		t.Errorf("%+v %v", got, err)
	}
}

// What a session started ends with it, whatever it ignores.
func TestTheWholeTreeEnds(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	r := w.run(t, s, "(trap '' TERM HUP INT; sleep 301) >/dev/null 2>&1 & echo $!")
	pid := strings.TrimSpace(string(r.Stdout))
	if _, err := os.Stat("/proc/" + pid); err != nil {
		t.Fatal(err)
	}
	if _, err := w.CloseSession(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if b, err := os.ReadFile("/proc/" + pid + "/stat"); err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		time.Sleep(50 * time.Millisecond) // its end is seen by looking alone
	}
	t.Error("it runs on")
}

func TestWhatCannotBegin(t *testing.T) {
	w := newWorld(t)
	for name, tt := range map[string]struct {
		task string
		r    Request
		want string
	}{
		"no such program": {aTask, Request{Argv: []string{"no-such-program"}}, "start-failed missing"},
		"no such task":    {"another", Request{}, "no-sessions"},
		"a NUL":           {aTask, Request{Env: map[string]string{"A": "\x00"}}, "bad-request"},
		"a secret twice":  {aTask, Request{Env: map[string]string{"A": "1"}, Secrets: map[string]Secret{"A": "2"}}, "bad-request"},
		"no directory":    {aTask, Request{Cwd: "/no/such/directory"}, "start-failed start"},
		"no size":         {aTask, Request{Terminal: &wire.TerminalSize{}}, "bad-request"},
		"another place":   {aTask, Request{RequiresRuntime: &vmhost.Requirement{Kinds: []string{"vm"}}}, "runtime-unfit required"},
	} {
		if _, err := w.CreateSession(t.Context(), tt.task, tt.r); code(err) != tt.want {
			t.Errorf("%s: %s", name, code(err))
		}
	}
	if left, err := w.Sessions(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("%+v %v", left, err)
	}
}

// A command that needs another place is not done, and its session goes on.
func TestACommandThatNeedsAnotherPlace(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{RequiresRuntime: &vmhost.Requirement{Kinds: []string{"test"}}})
	ctx := t.Context()
	_, err := w.RunInSession(ctx, s.ID, RunRequest{Command: "did=it", RequiresRuntime: &vmhost.Requirement{AtLeast: vmhost.IsolationHardware}})
	if code(err) != "runtime-unfit required" {
		t.Errorf("%v", err)
	}
	r, err := w.RunInSession(ctx, s.ID, RunRequest{Command: "echo did $did", RequiresRuntime: &vmhost.Requirement{AtLeast: vmhost.IsolationNone}})
	if err != nil || string(r.Stdout) != "did\n" {
		t.Errorf("%q %v", r.Stdout, err)
	}
}

// The value of a secret is in the environment of the program that it is for, and in no argument
// of any program, no environment of another, no error and no answer.
func TestSecrets(t *testing.T) {
	canary := "canary-" + rand.Text()
	w := newWorld(t)
	s := w.create(t, Request{Secrets: map[string]Secret{"TOKEN": Secret(canary)}, Clean: true})
	r := w.run(t, s, "echo ${#TOKEN} $$; env | grep -c ^TOKEN=")
	var length, shell, count int
	if _, err := fmt.Sscan(string(r.Stdout), &length, &shell, &count); err != nil || length != len(canary) || count != 1 {
		t.Errorf("%q %v", r.Stdout, err)
	}
	if got := procs.With(canary, procs.Arguments); len(got) > 0 {
		t.Errorf("it is in the arguments of the programs %v", got)
	}
	if got := procs.With(canary, procs.Environment); !slices.Equal(got, []int{shell}) {
		t.Errorf("it is in the environments of the programs %v, not only in that of %d", got, shell)
	}
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintf("%+v %#v", live.req, live.public), fmt.Sprintf("%v %#v", Secret(canary), Secret(canary)), fmt.Sprintf("%q", w.place.(recorded).log.all())} {
		if strings.Contains(text, canary) {
			t.Error(text)
		}
	}
	_, err = w.CreateSession(t.Context(), aTask, Request{Secrets: map[string]Secret{"A": Secret(canary + "\x00")}})
	if err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("%v", err)
	}
}

// 200 sessions stream at once: nothing is lost, nothing mixed, and what is kept is bounded.
func TestManySessionsStreamAtOnce(t *testing.T) {
	w := newWorld(t)
	const sessions = 200
	lines := tier.Pick(1000, 1000, 4000)
	type stream struct {
		c    attach.Conn
		sum  string
		size int
	}
	streams := make([]stream, sessions)
	for i := range streams {
		word := fmt.Sprintf("session %d says what only it says, again and again", i)
		s := w.create(t, Request{Argv: []string{"sh", "-c", "read go; i=0; while [ $i -lt " + fmt.Sprint(lines) + " ]; do echo \"$0 $i\"; i=$((i+1)); done", word}})
		h := sha256.New()
		for j := range lines {
			n, _ := fmt.Fprintf(h, "%s %d\n", word, j)
			streams[i].size += n
		}
		streams[i].c, streams[i].sum = w.attach(t, s, AttachRequest{Write: true}), hex.EncodeToString(h.Sum(nil))
	}
	for _, s := range streams {
		if err := s.c.Write(t.Context(), []byte("go\n")); err != nil {
			t.Fatal(err)
		}
	}
	var readers sync.WaitGroup
	for i, s := range streams {
		readers.Go(func() {
			h := sha256.New()
			n := 0
			for {
				p, err := s.c.Read(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || p.Skipped > 0 {
					t.Errorf("session %d: %+v %v", i, p, err)
					return
				}
				n += len(p.Data)
				h.Write(p.Data)
			}
			if sum := hex.EncodeToString(h.Sum(nil)); sum != s.sum {
				t.Errorf("session %d: %d bytes of %d, another checksum", i, n, s.size)
			}
		})
	}
	readers.Wait()
	all, kept := w.of(""), 0
	for _, s := range all {
		s.mu.Lock()
		kept += s.out.size
		s.mu.Unlock()
	}
	if len(all) != sessions || kept > maxKept {
		t.Errorf("%d sessions keep %d bytes", len(all), kept)
	}
}

// What sessions keep stays within the bound of all, whoever came first.
func TestWhatIsKeptIsBounded(t *testing.T) {
	w := newWorld(t)
	for range 40 {
		s, err := w.add(t.Context(), aTask, Request{KeepKB: 8192})
		if err != nil {
			t.Fatal(err)
		}
		close(s.done)
		for _, other := range w.of("") {
			other.trim()
		}
		for range 300 {
			s.hear(wire.ExecOutput{Stream: wire.Stdout, Data: make([]byte, 32<<10)})
		}
		for range 2000 { // small pieces of two streams in turn take no more
			s.hear(wire.ExecOutput{Stream: wire.Stdout, Data: []byte{'x'}})
			s.hear(wire.ExecOutput{Stream: wire.Stderr, Data: []byte{'y'}})
		}
	}
	kept := 0
	for _, s := range w.of("") {
		kept += s.out.size
	}
	if kept > maxKept || kept < maxKept/2 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// A task without other work ends when its last session was closed, or when none has run in it
// for a while. What ended by itself can be read still, for a while.
func TestStay(t *testing.T) {
	w := newWorld(t)
	waits, after := make(chan time.Duration), make(chan time.Time)
	var mu sync.Mutex
	now := time.Now()
	w.o.After = func(d time.Duration) <-chan time.Time { waits <- d; return after }
	w.o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	later := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	stayed := make(chan error, 1)
	stay := func() { stayed <- w.Stay(t.Context(), aTask) }
	lapses := func(left time.Duration) {
		t.Helper()
		if got := <-waits; got != left {
			t.Errorf("it waits for %v, want %v", got, left)
		}
	}
	over := func() {
		t.Helper()
		if err := <-stayed; err != nil {
			t.Error(err)
		}
	}
	go stay()
	lapses(w.o.Spare)
	after <- now // nobody came
	over()

	one, two := w.create(t, Request{}), w.create(t, Request{})
	go stay() // without a clock: they run
	if _, err := w.CloseSession(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.CloseSession(t.Context(), two.ID); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case <-waits: // it saw the end before the closing
			continue
		case err := <-stayed:
			if err != nil {
				t.Error(err)
			}
		}
		break
	}

	s := w.create(t, Request{Argv: []string{"true"}})
	live, _ := w.find(s.ID)
	<-live.done
	go stay()
	lapses(w.o.Spare)
	later(w.o.Spare / 2)
	w.wake() // of another task
	lapses(w.o.Spare / 2)
	after <- now
	over()
	w.EndTask(aTask)
	if got, err := w.Session(t.Context(), s.ID); err != nil || got.Reason != ReasonExited {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := w.CloseSession(t.Context(), s.ID); err != nil || len(w.closed) > 0 {
		t.Errorf("%v, %v", err, w.closed)
	}
	s = w.create(t, Request{Argv: []string{"true"}})
	live, _ = w.find(s.ID)
	<-live.done
	later(w.o.Linger + time.Second)
	if left, err := w.Sessions(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("%v are left (%v)", left, err)
	}
}

// Who asks for a session of a task that ends while it gets ready is told.
func TestTheTaskEndsFirst(t *testing.T) {
	w := newWorld(t)
	waits := make(chan struct{})
	w.o.Place = func(ctx context.Context, _ string) (Place, error) {
		close(waits)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	made := make(chan error, 1)
	go func() { _, err := w.CreateSession(t.Context(), aTask, Request{}); made <- err }()
	<-waits
	w.EndTask(aTask)
	if err := <-made; err == nil {
		t.Error("there is one")
	}
}

// A place that is not to be had ends the session for everybody who has its id already, and a
// person who closes it meanwhile ends the task.
func TestThePlaceIsNotToBeHad(t *testing.T) {
	for name, closed := range map[string]bool{"it fails": false, "it is closed": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			waits, gate := make(chan struct{}), make(chan struct{})
			w.o.Place = func(ctx context.Context, _ string) (Place, error) {
				close(waits)
				select {
				case <-gate:
					return nil, errors.New("none")
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}
			made := make(chan error, 1)
			go func() { _, err := w.CreateSession(t.Context(), aTask, Request{}); made <- err }()
			<-waits
			all, err := w.Sessions(t.Context(), aTask)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			conn, err := w.AttachSession(t.Context(), all[0].ID, AttachRequest{})
			if err != nil {
				t.Fatal(err)
			}
			waiting, err := w.find(all[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			ran, read := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := w.RunInSession(t.Context(), all[0].ID, RunRequest{Command: "true"})
				ran <- err
			}()
			go func() { _, err := conn.Read(t.Context()); read <- err }()
			if closed {
				if got, err := w.CloseSession(t.Context(), all[0].ID); err != nil || got.Reason != ReasonClosed {
					t.Errorf("%+v %v", got, err)
				}
			} else {
				close(gate)
			}
			if err := <-made; err == nil {
				t.Error("there is one")
			}
			if err := <-ran; !strings.HasPrefix(code(err), problem.CodeSessionOver) && code(err) != problem.CodeNotFound {
				t.Error(err)
			}
			needs := RunRequest{Command: "true", RequiresRuntime: &vmhost.Requirement{Kinds: []string{"test"}}}
			if _, err := waiting.tell(t.Context(), needs); !strings.HasPrefix(code(err), problem.CodeSessionOver) {
				t.Errorf("a command that needs a place: %v", err)
			}
			if err := <-read; !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if w.closed[aTask] != closed {
				t.Errorf("the task ends: %v", w.closed)
			}
		})
	}
}

// A command is bounded also when nobody waits for it any more.
func TestACommandIsBoundedWithoutItsClient(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancel(t.Context())
	defer gone()
	go func() {
		if live.until(ctx, func() bool { return live.public.State == StateRunning }) == nil {
			live.mu.Unlock()
			gone()
		}
	}()
	if _, err := w.RunInSession(ctx, s.ID, RunRequest{Command: "sleep 600", TimeoutMS: 5000}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	untilIdle(t, live)
}

// untilIdle waits for the end of a command that its session survives.
func untilIdle(t *testing.T, s *session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.until(ctx, func() bool { return s.public.State != StateRunning }); err != nil {
		t.Fatal(err)
	}
	defer s.mu.Unlock()
	if s.public.State != StateIdle {
		t.Fatalf("%+v", s.public)
	}
}

// failing is a place that is gone.
type failing struct{}

func (failing) Capabilities() vmhost.Capabilities { return vmhost.Capabilities{} }

func (failing) Records(context.Context, string, []string) (func(wire.ExecResult) error, error) {
	return nil, errors.New("unused")
}

func (failing) Execute(context.Context, vmhost.Action) (vmhost.Observation, error) {
	return vmhost.Observation{}, vmhost.ErrNotReady
}

func TestAPlaceThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.place = failing{}
	if _, err := w.CreateSession(t.Context(), aTask, Request{}); err == nil {
		t.Error("there is a session")
	}
}

func TestListener(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []said
	}{
		"a mark":             {"\n@N 3\n0m1.500s 0m0.25s\n0m0,250s 0m1s\n\n@N over\n", []said{{number: "N", word: "3", cpu: 3 * time.Second}}},
		"a peak":             {"@N 0\n0m0s 0m0s\npeak 7000\npeak x\n@N over\npeak 9\n", []said{{number: "N", word: "0", peak: 7000}}},
		"run":                {"@N run\n", []said{{number: "N", word: "run", cpu: 0}}},
		"noise":              {"x\n0m1s 0m1s\n@\n\n\n@N 0\nnoise noise\n-5m -1h\n@N over\n", []said{{number: "N", word: "0", cpu: 0}}},
		"another's":          {"@N 3\n@A 0\n0m1s 0m0s\n@A run\n@A over\n@A0m1s 0m0s\n@A@A@A\n@N over\n", []said{{number: "N", word: "3", cpu: time.Second}}},
		"a line without end": {strings.Repeat("x", 3*maxLine) + "\n@N 0\n0m0s 0m0s\n" + strings.Repeat("x", 3*maxLine) + "\n@N over\n", []said{{number: "N", word: "0", cpu: 0}}},
		"half":               {"@N 0\n0m0s 0m0s\n0m0s 0m0s\n", nil},
		"after another":      {"@Ax@N 3\nx 0m1s\n" + strings.Repeat("x", 3*maxLine) + "@N over\n", []said{{number: "N", word: "3", cpu: time.Second}}},
		"twice":              {"@N over\n@N 0\n@N over\n@N over\n", []said{{number: "N", word: "0", cpu: 0}}},
	} {
		for _, size := range []int{1, 7, 1 << 20} {
			var l listener
			var got []said
			for part := range slices.Chunk([]byte(tt.in), size) {
				got = append(got, l.hear(part, func(number string) bool { return number == "N" })...)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s in parts of %d: %+v", name, size, got)
			}
		}
	}
}
