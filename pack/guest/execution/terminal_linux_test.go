package execution

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// onTerminal starts a script on a terminal and waits until it said "ready".
func onTerminal(t *testing.T, script string) (*Engine, *outputs, func(string)) {
	t.Helper()
	out, said := &outputs{data: map[string]*bytes.Buffer{}}, make(chan struct{}, 1)
	e := newTestEngine(t, func(ctx context.Context, o wire.ExecOutput) error {
		err := out.take(ctx, o)
		select {
		case said <- struct{}{}:
		default:
		}
		return err
	})
	p := sh("t", script)
	p.KeepIn, p.Terminal = true, &wire.TerminalSize{Columns: 91, Rows: 33}
	if err := e.Start(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return e, out, func(text string) {
		t.Helper()
		late := time.After(30 * time.Second)
		for !strings.Contains(out.String("t/stdout"), text) {
			select {
			case <-said:
			case <-late:
				t.Fatalf("it does not say %q but %q", text, out.String("t/stdout"))
			}
		}
	}
}

func TestTerminal(t *testing.T) {
	script := `test -t 0 && test -t 1 && test -t 2 || exit 9
stty size; echo $TERM; echo err >&2; : >/dev/tty
trap 'stty size; sized=1' WINCH
trap 'echo interrupted; got=1' INT
echo ready
until [ $sized ] && [ $got ]; do sleep 0.05; done # a signal just before read waits for a line
until read line; do :; done
echo "got $line"; read line; exit 42`
	e, out, await := onTerminal(t, script)
	await("ready\r\n")
	if got, want := out.String("t/stdout"), "33 91\r\nxterm\r\nerr\r\nready\r\n"; got != want {
		t.Errorf("it says %q, not %q", got, want)
	}
	if err := e.Resize(wire.ExecResize{ID: "t", TerminalSize: wire.TerminalSize{Columns: 120, Rows: 50}}); err != nil {
		t.Fatal(err)
	}
	await("50 120")
	write := func(text string) {
		t.Helper()
		if err := e.Write(t.Context(), wire.ExecWrite{ID: "t", Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	write("\x03")
	await("interrupted")
	write("word\r")
	await("got word")
	write("\x04") // the end of the input, as typed
	r, err := e.Wait(t.Context(), "t")
	if err != nil || r.ExitCode != 42 {
		t.Errorf("it ends with %+v %v", r, err)
	}
	if err := e.Resize(wire.ExecResize{ID: "t", TerminalSize: wire.TerminalSize{Columns: 1, Rows: 1}}); !errors.Is(err, ErrEnded) {
		t.Errorf("resized after its end: %v", err)
	}
}

func TestTerminalOutputIsWhole(t *testing.T) {
	e, out, _ := onTerminal(t, "stty -opost; i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done")
	if r, err := e.Wait(t.Context(), "t"); err != nil || r.ExitCode != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if got := out.String("t/stdout"); strings.Count(got, "\n") != 20000 || !strings.HasSuffix(got, "\n19999\n") {
		t.Errorf("%d bytes, %d lines", len(got), strings.Count(got, "\n"))
	}
}

func TestCancelEndsAProgramOnATerminal(t *testing.T) {
	e, _, await := onTerminal(t, "trap '' INT TERM HUP; sleep 1000 & echo ready; while :; do wait; done")
	await("ready")
	if err := e.Cancel("t"); err != nil {
		t.Fatal(err)
	}
	if r, err := e.Wait(t.Context(), "t"); err != nil || r.Ended != wire.EndedCancelled || r.Signal != 9 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestPipesHaveNoSize(t *testing.T) {
	e := newTestEngine(t, nil)
	p := sh("p", "read x")
	p.KeepIn = true
	if err := e.Start(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := e.Resize(wire.ExecResize{ID: "p", TerminalSize: wire.TerminalSize{Columns: 1, Rows: 1}}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("%v", err)
	}
}

func TestStartErrorsSayWhy(t *testing.T) {
	e := newTestEngine(t, nil)
	for argv, want := range map[string]int{"no-such-program": 2, "/no/such": 2, "/etc/passwd": 13, "/etc": 13} {
		_, err := e.Run(t.Context(), wire.ExecParams{ID: "x", Argv: []string{argv}})
		if start, is := errors.AsType[*StartError](err); !is || start.Errno() != want {
			t.Errorf("%s: %v, errno %d", argv, err, start.Errno())
		}
	}
	var start *StartError
	if _, err := e.Run(t.Context(), wire.ExecParams{ID: "x", Argv: []string{"true"}, Cwd: "/no/such"}); !errors.As(err, &start) || start.Errno() != 0 {
		t.Errorf("a directory that is not there: %v", err)
	}
}
