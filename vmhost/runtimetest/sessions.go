package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// driver is a shell that does what it reads from its control descriptor. It opens what it has
// by name first, as shells do that read a script from there: a program may open its own.
const driver = `: </proc/self/fd/5 || exit 9; for fd in 1 2 6; do : >/proc/self/fd/$fd || exit 9; done; while IFS= read -r c <&5; do eval "$c" 5<&- 6>&-; echo "done $?" >&6; done; exit 3`

// Signals by their numbers on Linux.
const (
	sigKILL = 9
	sigUSR1 = 10
)

// told is a program with a control descriptor that runs.
type told struct {
	t       *testing.T
	orders  *io.PipeWriter
	signals chan int
	end     context.CancelFunc
	over    chan struct{} // closed when it has ended
	result  *wire.ExecResult
	err     error

	mu   sync.Mutex
	said strings.Builder // the control stream is in brackets
	more chan struct{}
}

// tell starts a script with a control descriptor.
func (s suite) tell(t *testing.T, r vmhost.Runtime, script string) *told {
	t.Helper()
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(s.ctx(t))
	p := &told{t: t, orders: write, signals: make(chan int), end: cancel, over: make(chan struct{}), more: make(chan struct{}, 1)}
	a := sh(script)
	a.Control, a.Signal, a.OnOutput = read, p.signals, p.hear
	go func() {
		defer close(p.over)
		obs, err := r.Execute(ctx, a)
		p.result, p.err = obs.Exec, err
	}()
	t.Cleanup(func() { cancel(); <-p.over })
	return p
}

func (p *told) hear(o wire.ExecOutput) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Stream == wire.Control {
		fmt.Fprintf(&p.said, "[%s]", strings.TrimSpace(string(o.Data)))
	} else {
		p.said.Write(o.Data)
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// does tells it to do something and returns what it said until it was done.
func (p *told) does(order string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.orders, order+"\n"); err != nil {
		p.t.Fatal(err)
	}
	return p.await("[done ")
}

// await returns what it said up to a text, and the next "]".
func (p *told) await(text string) string {
	p.t.Helper()
	for {
		p.mu.Lock()
		all := p.said.String()
		if at := strings.Index(all, text); at >= 0 {
			if end := strings.IndexByte(all[at:], ']'); end >= 0 {
				p.said.Reset()
				p.said.WriteString(all[at+end+1:])
				p.mu.Unlock()
				return all[:at+end+1]
			}
		}
		p.mu.Unlock()
		select {
		case <-p.more:
		case <-p.over:
			p.t.Fatalf("it ended with %+v, %v, and said %.500q", p.result, p.err, all)
		}
	}
}

// sessions: a shell that is told what to do keeps its directory, its variables and its
// programs; what it answers comes after all that was written before; it takes signals, and
// its end is that of everything it started.
func (s suite) sessions(t *testing.T, r vmhost.Runtime) {
	p := s.tell(t, r, driver)
	for _, tt := range []struct{ order, want string }{
		{"cd /; x='a b'; f() { echo \"<$x>\"; }", "[done 0]"},
		{"pwd; f", "/\n<a b>\n[done 0]"},
		{"head -c 300000 /dev/zero | wc -c >&2; echo to stderr >&2; (exit 7)", "300000\nto stderr\n[done 7]"},
		{"sleep 300 & job=$!; kill -0 $job && echo runs", "runs\n[done 0]"},
		{"kill $job && echo still there; { wait $job; } 2>/dev/null; echo $?", "still there\n143\n[done 0]"},
		{"echo forged >&6", "[done 2]"}, // what it runs has no such descriptor
		{"exec 6>&-", "[done 0]"},
	} {
		got := p.does(tt.order)
		if tt.want == "[done 2]" { // with the shell's own words
			if strings.Contains(got, "[forged") || strings.HasSuffix(got, "[done 0]") {
				t.Errorf("%s: %q", tt.order, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%s: %.300q, not %q", tt.order, got, tt.want)
		}
	}
	if err := p.orders.Close(); err != nil {
		t.Error(err)
	}
	if <-p.over; p.err != nil || p.result.ExitCode != 3 || p.result.Signal != 0 {
		t.Errorf("after the end of its orders: %+v %v", p.result, p.err)
	}

	p = s.tell(t, r, "trap 'echo \"[got it]\"' USR1; echo '[ready]'; while :; do sleep 0.05; done")
	p.await("[ready")
	p.signals <- sigUSR1
	p.await("[got it")
	p.signals <- sigKILL
	if <-p.over; p.err != nil || p.result.Signal != sigKILL {
		t.Errorf("killed: %+v %v", p.result, p.err)
	}

	p = s.tell(t, r, "trap '' TERM HUP INT; (trap '' TERM HUP; echo '[ready]'; exec sleep 300) & wait; sleep 300")
	p.await("[ready")
	p.end()
	if <-p.over; !errors.Is(p.err, context.Canceled) {
		t.Errorf("closed: %+v %v", p.result, p.err)
	}

	a := sh("echo $LANG$TERM$A")
	a.Exec.Clean, a.Exec.Env = true, map[string]string{"A": "only"}
	if got := s.run(t, r, a); string(got.Stdout) != "only\n" {
		t.Errorf("a clean environment: %q", got.Stdout)
	}
	if got := s.run(t, r, sh("true")); got.PeakKB <= 0 {
		t.Errorf("how much memory it took is not known: %+v", got)
	}
}
