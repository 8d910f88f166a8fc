package execution

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// driver is a shell that does what it reads from its control descriptor.
const driver = `while IFS= read -r c <&5; do eval "$c" 5<&- 6>&-; echo "done $?" >&6; done; echo bye; exit 3`

// controlled starts a program with a control descriptor. Its output comes as one text, the
// control stream in brackets.
func controlled(t *testing.T, p wire.ExecParams) (e *Engine, await func(text string) string) {
	t.Helper()
	var mu sync.Mutex
	var said strings.Builder
	more := make(chan struct{}, 1)
	e = newTestEngine(t, func(_ context.Context, o wire.ExecOutput) error {
		mu.Lock()
		defer mu.Unlock()
		if o.Stream == wire.Control {
			fmt.Fprintf(&said, "[%s]", o.Data)
		} else {
			said.Write(o.Data)
		}
		select {
		case more <- struct{}{}:
		default:
		}
		return nil
	})
	p.Control = true
	if err := e.Start(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return e, func(text string) string {
		t.Helper()
		late := time.After(30 * time.Second)
		for {
			mu.Lock()
			all := said.String()
			mu.Unlock()
			if strings.Contains(all, text) {
				return all
			}
			select {
			case <-more:
			case <-late:
				t.Fatalf("it does not say %q but %.2000q", text, all)
			}
		}
	}
}

func control(t *testing.T, e *Engine, text string, last bool) {
	t.Helper()
	if err := e.Write(t.Context(), wire.ExecWrite{ID: "c", Data: []byte(text), Close: last, Control: true}); err != nil {
		t.Fatal(err)
	}
}

// TestControl: what the program says on its control descriptor comes after all that it, and
// what it waited for, wrote before.
func TestControl(t *testing.T) {
	e, await := controlled(t, sh("c", driver))
	want := ""
	for i := range 10 {
		control(t, e, fmt.Sprintf("head -c 100000 /dev/zero | tr '\\000' %c; echo end %d >&2; (exit %d)\n", 'A'+i, i, i), false)
		want += fmt.Sprintf("end %d\n[done %d\n]", i, i)
		await(fmt.Sprintf("[done %d\n]", i))
	}
	got := await("[done 9\n]")
	zeros := 0
	for i := range 10 {
		letter := string(rune('A' + i))
		for _, run := range strings.FieldsFunc(got, func(r rune) bool { return string(r) != letter }) {
			if len(run) > 1000 {
				zeros += len(run)
				got = strings.Replace(got, run, "", 1)
			}
		}
	}
	if zeros != 10*100_000 || got != want {
		t.Errorf("%d bytes, and %.500q", zeros, got)
	}
	control(t, e, "", true) // the end of what it is told
	r, err := e.Wait(t.Context(), "c")
	if err != nil || r.ExitCode != 3 || r.Ended != "" || r.PeakKB < 100 {
		t.Errorf("%+v %v", r, err)
	}
}

// A background program that never stops writing holds nobody up.
func TestControlBesideOutputWithoutEnd(t *testing.T) {
	e, await := controlled(t, sh("c", driver))
	control(t, e, "while :; do echo noise; done & \n", false)
	await("[done 0\n]")
	control(t, e, "echo heard\n", false)
	await("heard\n")
	if err := e.Cancel("c"); err != nil {
		t.Error(err)
	}
	if r, err := e.Wait(t.Context(), "c"); err != nil || r.Ended != wire.EndedCancelled {
		t.Errorf("%+v %v", r, err)
	}
}

// Without it there are no such descriptors, and nobody writes to them.
func TestNoControl(t *testing.T) {
	e := newTestEngine(t, func(context.Context, wire.ExecOutput) error { return nil })
	r, err := e.Run(t.Context(), sh("n", "ls /proc/self/fd | wc -l; : >&6"))
	if err != nil || strings.TrimSpace(string(r.Stdout)) != "4" || r.ExitCode == 0 {
		t.Errorf("%+v %v", r, err)
	}
	if err := e.Start(t.Context(), sh("c", "sleep 60")); err != nil {
		t.Fatal(err)
	}
	if err := e.Write(t.Context(), wire.ExecWrite{ID: "c", Data: []byte("x"), Control: true}); !errors.Is(err, ErrNoControl) {
		t.Error(err)
	}
}

// TestCleanEnvironment: nothing of the agent's, but a way to find programs.
func TestCleanEnvironment(t *testing.T) {
	e := newTestEngine(t, nil)
	p := wire.ExecParams{ID: "a", Argv: []string{"env"}, Env: map[string]string{"A": "1"}, Cwd: "/", Clean: true}
	if r, err := e.Run(t.Context(), p); err != nil || string(r.Stdout) != "A=1\nPATH=/usr/bin:/bin\nPWD=/\n" {
		t.Errorf("%q %v", r.Stdout, err)
	}
}
