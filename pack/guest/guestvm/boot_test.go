//go:build vm && linux

package guestvm

import (
	"errors"
	"os"
	"testing"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	RemoveAgent()
	os.Exit(code)
}

func TestProofBootPrintsReady(t *testing.T) {
	Boot(t, Options{Proof: true, NoRPC: true})
}

func TestHelloInProofBoot(t *testing.T) {
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

func wantCode(t *testing.T, err error, code jrpc2.Code) {
	t.Helper()
	var e *jrpc2.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("error = %v, want code %d", err, code)
	}
}
