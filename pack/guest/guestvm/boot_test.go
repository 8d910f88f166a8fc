//go:build vm && linux

package guestvm

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	RemovePrograms()
	os.Exit(code)
}

func TestProofBootPrintsReady(t *testing.T) {
	tier.Rest(t, "TestProveSlowModeForReal of vmhost/qemu")
	Boot(t, Options{Proof: true, NoRPC: true})
}

func TestHelloInProofBoot(t *testing.T) {
	tier.Rest(t, "TestProveSlowModeForReal of vmhost/qemu")
	m := Boot(t, Options{Proof: true})
	h := Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"})
	if err := h.Validate(); err != nil {
		t.Error(err)
	}
	if h.Version != wire.Version || h.BootID == "" || h.Kernel == "" || h.MarksMS["port"] == 0 {
		t.Errorf("hello = %+v", h)
	}
	t.Logf("marks %v errors %v", h.MarksMS, h.Errors)

	_, err := Try[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: 99})
	wantCode(t, err, wire.CodeVersion)
	_, err = Try[wire.Empty](m, "guest.unheard-of", nil)
	wantCode(t, err, jrpc2.MethodNotFound)
	m.AwaitConsole(wire.ConsoleReady)
	Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

// A host that goes and comes back finds what it started, whatever it left half
// said.
func TestReconnect(t *testing.T) {
	tier.Rest(t, "")
	n := newNotes()
	m := Boot(t, Options{Dial: true, OnNotify: n.take})
	conn := m.Redial()
	prepare(m)
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "x", Argv: []string{"sh", "-c", "read a; echo got $a; exit 5"}, KeepIn: true})
	var times []time.Duration
	for i := range 5 {
		if _, err := conn.Write([]byte(`{"jsonrpc":"2.0","id":99,"method":"guest.ec`)); err != nil {
			t.Fatal(err)
		}
		m.Client.Close()
		if i == 2 {
			time.Sleep(1500 * time.Millisecond) // longer than a missed event would take to be noticed
		}
		began := time.Now()
		conn = m.Redial()
		if e := Call[wire.EchoParams](m, wire.MethodEcho, wire.EchoParams{Data: "again"}); e.Data != "again" {
			t.Errorf("%+v", e)
		}
		times = append(times, time.Since(began).Round(time.Millisecond))
	}
	t.Logf("from dialling to an answer: %v", times)
	slices.Sort(times)
	if times[2] > 500*time.Millisecond {
		t.Errorf("it takes %v: the guest does not hear of the host", times)
	}
	Call[wire.Empty](m, wire.MethodExecWrite, wire.ExecWrite{ID: "x", Data: []byte("it\n"), Close: true})
	m.Client.Close() // before the output was heard, perhaps
	m.Redial()
	r := Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "x"})
	if r.ExitCode != 5 {
		t.Errorf("%+v", r)
	}
}

// Output that nobody hears waits for the host.
func TestOutputWaits(t *testing.T) {
	tier.Rest(t, "")
	n := newNotes()
	m := Boot(t, Options{Dial: true, OnNotify: n.take})
	m.Redial()
	prepare(m)
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "x", Argv: []string{"sh", "-c", "sleep 2; echo late; head -c 1000000 /dev/zero"}})
	m.Client.Close()
	time.Sleep(4 * time.Second) // it has ended, or is held
	m.Redial()
	r := Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "x"})
	if out := n.text("x/stdout"); r.ExitCode != 0 || len(out) != 1_000_005 || !strings.HasPrefix(out, "late\n") {
		t.Errorf("%+v, %d bytes of output", r, len(out))
	}
}

func wantCode(t *testing.T, err error, code jrpc2.Code) {
	t.Helper()
	if e, is := errors.AsType[*jrpc2.Error](err); !is || e.Code != code {
		t.Errorf("error = %v, want code %d", err, code)
	}
}
