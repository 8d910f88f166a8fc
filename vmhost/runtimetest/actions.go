package runtimetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// sh is a script as an action.
func sh(script string) vmhost.Action {
	return vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}}
}

func (s suite) run(t *testing.T, r vmhost.Runtime, a vmhost.Action) *wire.ExecResult {
	t.Helper()
	obs, err := r.Execute(s.ctx(t), a)
	if err != nil || obs.Exec == nil || obs.Tool != nil {
		t.Fatalf("%q: %+v %v", a.Exec.Argv, obs, err)
	}
	return obs.Exec
}

func (s suite) results(t *testing.T, r vmhost.Runtime) {
	for _, tt := range []struct {
		script, stdout, stderr string
		code, signal           int
	}{
		{"true", "", "", 0, 0},
		{"exit 7", "", "", 7, 0},
		{"echo out; echo err >&2", "out\n", "err\n", 0, 0},
		{"printf '\\000\\377\\n\\303('", "\x00\xff\n\xc3(", "", 0, 0},
		{"kill -9 $$", "", "", 137, 9},
		{"echo 日本 ü", "日本 ü\n", "", 0, 0},
	} {
		got := s.run(t, r, sh(tt.script))
		if string(got.Stdout) != tt.stdout || string(got.Stderr) != tt.stderr || got.ExitCode != tt.code || got.Signal != tt.signal || got.Ended != "" || got.Truncated {
			t.Errorf("%s: %+v", tt.script, got)
		}
	}
	a := sh("pwd")
	if got := s.run(t, r, a); strings.TrimSpace(string(got.Stdout)) != r.InitData().Cwd {
		t.Errorf("it starts in %q, not in %q", got.Stdout, r.InitData().Cwd)
	}
	a = sh("pwd; echo $COLOUR")
	a.Exec.Cwd, a.Exec.Env = "/", map[string]string{"COLOUR": "blue, and = green"}
	if got := s.run(t, r, a); string(got.Stdout) != "/\nblue, and = green\n" {
		t.Errorf("directory and environment: %q", got.Stdout)
	}
}

func (s suite) input(t *testing.T, r vmhost.Runtime) {
	for _, size := range []int{0, 1, 100 << 10, 3 << 20} {
		in := bytes.Repeat([]byte("piwork! "), size/8+1)[:size]
		a := sh("wc -c; echo done")
		a.Exec.Stdin = in
		got := s.run(t, r, a)
		if n, _, _ := strings.Cut(strings.TrimSpace(string(got.Stdout)), "\n"); n != strconv.Itoa(size) || got.ExitCode != 0 {
			t.Errorf("%d bytes of input: %+v", size, got)
		}
	}
	// A program that does not read its input.
	a := sh("exit 3")
	a.Exec.Stdin = make([]byte, 3<<20)
	if got := s.run(t, r, a); got.ExitCode != 3 {
		t.Errorf("unread input: %+v", got)
	}
}

// conversation is a program that is talked to: each answer comes before the next
// question is known.
func (s suite) conversation(t *testing.T, r vmhost.Runtime) {
	in, questions := io.Pipe()
	answers := make(chan string, 16)
	a := sh("while read line; do echo \"<$line>\"; done; echo over")
	a.Input = in
	a.OnOutput = func(o wire.ExecOutput) { answers <- string(o.Data) }
	done := make(chan *wire.ExecResult, 1)
	go func() {
		obs, err := r.Execute(s.ctx(t), a)
		if err != nil {
			t.Errorf("a program that is talked to: %v", err)
		}
		done <- obs.Exec
	}()
	for _, q := range []string{"one", "two", "three"} {
		if _, err := io.WriteString(questions, q+"\n"); err != nil {
			t.Fatal(err)
		}
		if got := <-answers; got != "<"+q+">\n" {
			t.Errorf("%q was answered with %q", q, got)
		}
	}
	questions.Close()
	if got := <-done; got == nil || got.ExitCode != 0 || <-answers != "over\n" {
		t.Errorf("after the end of the input: %+v", got)
	}

	// The input goes on, the program does not.
	in, questions = io.Pipe()
	a = sh("exit 4")
	a.Input = in
	if got := s.run(t, r, a); got.ExitCode != 4 {
		t.Errorf("a program that does not listen: %+v", got)
	}
	if _, err := io.WriteString(questions, "anybody?"); err == nil {
		t.Error("the input of a program that is over can be written to")
	}
	in, _ = io.Pipe()
	a.Input, a.Exec.Stdin = in, []byte("x")
	var e *vmhost.ActionError
	if _, err := r.Execute(s.ctx(t), a); !errors.As(err, &e) || e.Code != vmhost.ActionInvalid {
		t.Errorf("two inputs: %v", err)
	}
}

// terminal is a program on a terminal, with its size, its keys and its exit status.
func (s suite) terminal(t *testing.T, r vmhost.Runtime) {
	in, keys := io.Pipe()
	said := make(chan string, 64)
	sizes := make(chan wire.TerminalSize, 1)
	a := sh("test -t 0 && test -t 1 && test -t 2 && stty size; trap 'got=1; echo interrupted' INT; echo ready; " +
		"until [ \"$(stty size)\" = '50 120' ]; do sleep 0.1; done; echo resized; " +
		"until [ $got ]; do sleep 0.1; done; until read x; do :; done; exit 42") // a signal just before read waits for a line
	a.Exec.Terminal = &wire.TerminalSize{Columns: 91, Rows: 33}
	a.Input, a.Resize = in, sizes
	a.OnOutput = func(o wire.ExecOutput) { said <- string(o.Data) }
	done := make(chan *wire.ExecResult, 1)
	go func() {
		defer close(said)
		obs, err := r.Execute(s.ctx(t), a)
		if err != nil {
			t.Errorf("a program on a terminal: %v", err)
		}
		done <- obs.Exec
	}()
	heard := ""
	await := func(text string) {
		t.Helper()
		for !strings.Contains(heard, text) {
			more, open := <-said
			if heard += more; !open {
				t.Fatalf("it says %q, and not %q", heard, text)
			}
		}
	}
	press := func(text string) {
		t.Helper()
		if _, err := io.WriteString(keys, text); err != nil {
			t.Fatal(err)
		}
	}
	await("33 91\r\nready\r\n")
	sizes <- wire.TerminalSize{Columns: 120, Rows: 50}
	await("resized")
	press("\x03")
	await("interrupted")
	press("\r")
	if got := <-done; got == nil || got.ExitCode != 42 || got.Ended != "" {
		t.Errorf("it ends with %+v", got)
	}
}

func (s suite) streams(t *testing.T, r vmhost.Runtime) {
	a := sh("i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done; head -c 3000000 /dev/zero; echo last >&2")
	var stdout, stderr []byte
	active := 0
	a.OnOutput = func(o wire.ExecOutput) {
		if active++; active != 1 {
			t.Error("two calls at a time")
		}
		if o.Stream == wire.Stdout {
			stdout = append(stdout, o.Data...)
		} else {
			stderr = append(stderr, o.Data...)
		}
		active--
	}
	got := s.run(t, r, a)
	var want bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	want.Write(make([]byte, 3000000))
	if !bytes.Equal(stdout, want.Bytes()) || string(stderr) != "last\n" {
		t.Errorf("%d bytes of stdout, want %d; stderr %q", len(stdout), want.Len(), stderr)
	}
	if len(got.Stdout)+len(got.Stderr) != 0 || got.Truncated {
		t.Errorf("output twice: %d bytes, truncated %v", len(got.Stdout), got.Truncated)
	}
	s.untaken(t, r)
	// Without a receiver there is a limit to what comes back.
	got = s.run(t, r, sh("head -c 3000000 /dev/zero"))
	if !got.Truncated || len(got.Stdout) == 0 || len(got.Stdout) > wire.MaxRunOut || got.ExitCode != 0 {
		t.Errorf("large output: %d bytes, truncated %v", len(got.Stdout), got.Truncated)
	}
}

func (s suite) doesNotStart(t *testing.T, r vmhost.Runtime) {
	for _, a := range []vmhost.Action{
		{Exec: &wire.ExecParams{Argv: []string{"/no/such/program"}}},
		{Exec: &wire.ExecParams{Argv: []string{"no-such-program"}}},
		{Exec: &wire.ExecParams{Argv: []string{"/"}}},
		{Exec: &wire.ExecParams{Argv: []string{"/bin/sh"}, Cwd: "/no/such/directory"}},
		{Exec: &wire.ExecParams{Argv: []string{"/no/such/program"}}, OnOutput: func(wire.ExecOutput) { t.Error("output") }},
	} {
		_, err := r.Execute(s.ctx(t), a)
		var e *vmhost.ActionError
		want := vmhost.ActionStart
		if a.Exec.Argv[0] != "/" && a.Exec.Cwd == "" {
			want = vmhost.ActionMissing
		}
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%q in %q: %v", a.Exec.Argv, a.Exec.Cwd, err)
		}
	}
	if st := r.Status(); st.State != vmhost.StateReady {
		t.Errorf("status %+v", st)
	}
}

func (s suite) makesNoSense(t *testing.T, r vmhost.Runtime) {
	both := sh("true")
	both.Tool = &wire.ToolParams{Op: "image.info"}
	nul := sh("echo\x00")
	long := sh("true")
	long.Exec.Env = map[string]string{"X": strings.Repeat("x", 2<<20)}
	id := sh("true")
	id.Exec.ID = "../x"
	relative := sh("true")
	relative.Exec.Cwd = "somewhere"
	for name, a := range map[string]vmhost.Action{
		"nothing": {}, "both": both, "NUL": nul, "a long variable": long, "a bad id": id, "a relative directory": relative,
		"no program": {Exec: &wire.ExecParams{}}, "an empty program": {Exec: &wire.ExecParams{Argv: []string{""}}},
	} {
		_, err := r.Execute(s.ctx(t), a)
		if e, is := errors.AsType[*vmhost.ActionError](err); !is || e.Code != vmhost.ActionInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := r.Execute(s.ctx(t), vmhost.Action{Tool: &wire.ToolParams{Op: "no.such-operation"}})
	if s.Bare {
		if _, is := errors.AsType[*vmhost.UnsupportedError](err); !is {
			t.Errorf("an operation where there are none: %v", err)
		}
	} else if r.Capabilities().Tools {
		if e, is := errors.AsType[*vmhost.ActionError](err); !is || e.Code != vmhost.ActionUnknownOp {
			t.Errorf("an unknown operation: %v", err)
		}
	}
	if st := r.Status(); st.State != vmhost.StateReady {
		t.Errorf("status %+v", st)
	}
}

func (s suite) limits(t *testing.T, r vmhost.Runtime) {
	caps := r.Capabilities().Limits
	if caps.Wall {
		for name, on := range map[string]func(wire.ExecOutput){"": nil, "streamed": func(wire.ExecOutput) {}} {
			a := sh("sleep 600")
			a.Exec.Limits.WallMS = 200
			a.OnOutput = on
			if got := s.run(t, r, a); got.Ended != wire.EndedTimeout || got.ExitCode == 0 || got.WallMS < 200 {
				t.Errorf("wall time %s: %+v", name, got)
			}
		}
	}
	if caps.Output {
		n := 0
		a := sh("cat /dev/zero")
		a.Exec.Limits.OutputBytes = 1 << 20
		a.OnOutput = func(o wire.ExecOutput) { n += len(o.Data) }
		if got := s.run(t, r, a); got.Ended != wire.EndedOutputLimit || got.ExitCode == 0 || n > 1<<20 {
			t.Errorf("output: %+v, %d bytes", got, n)
		}
	}
}

func (s suite) cancel(t *testing.T, r vmhost.Runtime) {
	for name, on := range map[string]bool{"without output": false, "with output": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(s.ctx(t))
			defer cancel(nil)
			why := errors.New("the person changed their mind")
			// The shell waits for a child, so that there is a tree to end.
			a := sh("echo $$; sleep 600; echo never")
			started := make(chan string, 1)
			if on {
				a.OnOutput = func(o wire.ExecOutput) { started <- strings.TrimSpace(string(o.Data)) }
			} else {
				started <- ""
			}
			pid := ""
			go func() {
				pid = <-started
				cancel(why)
			}()
			began := time.Now()
			_, err := r.Execute(ctx, a)
			if !errors.Is(err, why) {
				t.Errorf("Execute: %v", err)
			}
			if took := time.Since(began); took > s.Patience/2 {
				t.Errorf("it took %v", took)
			}
			if on {
				if got := s.run(t, r, sh("kill -0 "+pid)); got.ExitCode == 0 {
					t.Errorf("process %s is still there", pid)
				}
			}
		})
	}
	t.Run("before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(s.ctx(t))
		cancel()
		if _, err := r.Execute(ctx, sh("true")); !errors.Is(err, context.Canceled) {
			t.Errorf("Execute: %v", err)
		}
	})
	t.Run("as it begins", func(t *testing.T) {
		for i := range 10 {
			ctx, cancel := context.WithCancel(s.ctx(t))
			time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
			if _, err := r.Execute(ctx, sh("sleep 600")); !errors.Is(err, context.Canceled) {
				t.Errorf("Execute: %v", err)
			}
		}
	})
	if st := r.Status(); st.State != vmhost.StateReady {
		t.Errorf("status %+v", st)
	}
}

func (s suite) several(t *testing.T, r vmhost.Runtime) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			want := strings.Repeat(strconv.Itoa(i), 1000)
			var got bytes.Buffer
			a := sh("for i in 1 2 3; do printf %s " + want + "; done; exit " + strconv.Itoa(i))
			a.OnOutput = func(o wire.ExecOutput) { got.Write(o.Data) }
			obs, err := r.Execute(s.ctx(t), a)
			if err != nil || obs.Exec.ExitCode != i || got.String() != want+want+want {
				t.Errorf("%d: %+v %v, %d bytes", i, obs.Exec, err, got.Len())
			}
		})
	}
	wg.Wait()
	a, b := sh("sleep 1"), sh("true")
	a.Exec.ID, b.Exec.ID = "same", "same"
	a.OnOutput, b.OnOutput = func(wire.ExecOutput) {}, func(wire.ExecOutput) {}
	var errs [2]error
	wg.Go(func() { _, errs[0] = r.Execute(s.ctx(t), a) })
	wg.Go(func() { _, errs[1] = r.Execute(s.ctx(t), b) })
	wg.Wait()
	var e *vmhost.ActionError
	if err := errors.Join(errs[:]...); err != nil && (!errors.As(err, &e) || e.Code != vmhost.ActionInvalid) {
		t.Errorf("one id twice: %v", err)
	}
}

// slowReceiver shows that output waits for its receiver.
func (s suite) slowReceiver(t *testing.T, r vmhost.Runtime) {
	n := 0
	a := sh("head -c 8000000 /dev/zero")
	a.OnOutput = func(o wire.ExecOutput) {
		if n == 0 {
			<-time.After(300 * time.Millisecond)
		}
		n += len(o.Data)
	}
	if got := s.run(t, r, a); n != 8000000 || got.ExitCode != 0 {
		t.Errorf("%d bytes, %+v", n, got)
	}
}

// receiverAsks shows that a receiver may ask the runtime something.
func (s suite) receiverAsks(t *testing.T, r vmhost.Runtime) {
	a := sh("echo go")
	asked := 0
	a.OnOutput = func(wire.ExecOutput) {
		asked++
		if obs, err := r.Execute(s.ctx(t), sh("exit 5")); err != nil || obs.Exec.ExitCode != 5 {
			t.Errorf("from the receiver: %+v %v", obs.Exec, err)
		}
	}
	if got := s.run(t, r, a); got.ExitCode != 0 || asked == 0 {
		t.Errorf("%+v, asked %d times", got, asked)
	}
}
