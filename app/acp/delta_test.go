package acp

import (
	"io"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
)

// A message that never ends is kept as far as a message can be, and not further.
func TestDeltasAreBounded(t *testing.T) {
	d, err := Open(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := &turn{d: d, s: &session{}}
	u.told.now, u.told.done = written{id: "m", part: 1, text: strings.Repeat("x", agent.MaxText-1)}, map[string]bool{}
	unheard(t, d)
	for part := 2; part < 9; part++ {
		u.delta(task.DeltaData{ID: "m", Part: part, Text: strings.Repeat("x", 1000)})
	}
	if n := len(u.told.now.text); n > agent.MaxText+1000 {
		t.Errorf("%d bytes are kept", n)
	}
}

// unheard has a door speak with nobody.
func unheard(t *testing.T, d *Door) {
	t.Helper()
	in, typed := io.Pipe()
	t.Cleanup(func() { _ = typed.Close() })
	d.conn = sdk.NewAgentSideConnection(d, io.Discard, in)
}
