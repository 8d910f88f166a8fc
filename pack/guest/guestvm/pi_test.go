//go:build vm && linux

package guestvm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/pack/guest/agentkit"
	"piwork/pack/packtest"
	"piwork/vmhost/wire"
)

// piState is a state directory as the host lays it down (app/agent), in a folder
// that a HostFS serves.
func piState(t *testing.T, dir string) {
	t.Helper()
	models := `{"providers":{"test":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","apiKey":"worthless","models":[{"id":"scripted","name":"scripted","reasoning":true,"input":["text"],"contextWindow":128000,"maxTokens":4096,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`
	files := map[string][]byte{"models.json": []byte(models), "system.md": []byte(agentkit.Prompt), "settings.json": []byte(`{"quietStartup":true}`)}
	files["extensions/drawing.cjs"] = []byte(drawing)
	for _, f := range agentkit.Files() {
		files["extensions/"+f.Name] = f.Data
	}
	for name, data := range files {
		file := filepath.Join(dir, wire.StateName, "pi", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// piLines takes what pi says, line by line.
type piLines struct {
	mu    sync.Mutex
	text  map[string]string // unfinished, by execution
	lines chan string
}

func newPiLines() *piLines {
	return &piLines{text: map[string]string{}, lines: make(chan string, 1000)}
}

func (l *piLines) notify(method string, params json.RawMessage) {
	var o wire.ExecOutput
	if method != wire.NotifyExecOutput || json.Unmarshal(params, &o) != nil || o.Stream != wire.Stdout {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text[o.ID] + string(o.Data)
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok {
			break
		}
		l.lines <- line
		text = rest
	}
	l.text[o.ID] = text
}

// startPi starts pi as a task does and returns when it has answered; wait ends it.
func startPi(m *Machine, l *piLines, id string) (took time.Duration) {
	m.T.Helper()
	all := map[string]string{}
	for _, v := range agentkit.Env(agentkit.AgentDir) {
		name, value, _ := strings.Cut(v, "=")
		all[name] = value
	}
	at := agentkit.StateDir + "/"
	began := time.Now()
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: id, KeepIn: true, Env: all, Cwd: wire.FoldersDir, Argv: []string{
		"node", agentkit.Program, "--mode", "rpc", "--session-dir", at + "sessions", "--session-id", "0190c0de-0000-7000-8000-" + fmt.Sprintf("%012s", id),
		"--provider", "test", "--model", "scripted", "--system-prompt", at + "system.md", "--tools", "read,bash,edit,write,grep,find,ls",
		"--no-extensions", "--extension", at + "extensions/" + agentkit.Main, "--extension", at + "extensions/drawing.cjs",
		"--no-skills", "--no-prompt-templates", "--no-themes", "--no-context-files", "--no-mcp", "--no-approve", "--offline",
	}})
	Call[wire.Empty](m, wire.MethodExecWrite, wire.ExecWrite{ID: id, Data: []byte(`{"id":"1","type":"get_state"}` + "\n")})
	for limit := time.After(stall); ; {
		select {
		case line := <-l.lines:
			var answer struct {
				ID      string
				Success bool
			}
			if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == "1" {
				if !answer.Success {
					m.T.Errorf("pi refuses: %s", line)
				}
				return time.Since(began)
			}
		case <-limit:
			m.T.Fatal("pi does not answer")
		}
	}
}

// endPi ends it as a task does, and returns how it ended.
func endPi(m *Machine, id string) wire.ExecResult {
	m.T.Helper()
	Call[wire.Empty](m, wire.MethodExecWrite, wire.ExecWrite{ID: id, Close: true})
	return Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: id})
}

// drawing is an extension that tells what its pi draws.
const drawing = `"use strict";
const crypto = require("node:crypto"), fs = require("node:fs");
module.exports = function () {
  fs.writeFileSync("` + agentkit.StateDir + `/drawn", [Math.random(), crypto.randomUUID(), globalThis.crypto.randomUUID(), crypto.randomBytes(8).toString("hex"), require("node:vm").runInNewContext("Math.random()")].join("\n"));
};
`

// Two pis in restored machines share nothing that they draw, and a booted machine
// starts pi as well. How long each takes is logged; scripts/bench compares.
func piStarts(t *testing.T) {
	packtest.Needs9P(t)
	_, opts := warmed(t, Options{ServeFS: (&HostFS{T: t, Dir: t.TempDir()}).Serve})
	lines := newPiLines()
	state := func(t *testing.T, o Options) (Options, string) {
		dir := t.TempDir()
		piState(t, dir)
		o.ServeFS = (&HostFS{T: t, Dir: dir}).Serve
		return o, filepath.Join(dir, wire.StateName, "pi", "drawn")
	}
	opts.OnNotify = lines.notify
	mount := folders
	mount.State = true
	drawn := map[string]string{} // by which machine
	for _, tt := range []struct {
		name   string
		booted bool
		starts int
	}{
		{"restored", false, 2}, {"restored again", false, 1}, {"booted", true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts, file := state(t, opts)
			if tt.booted {
				opts.From = nil
			}
			m := Boot(t, opts)
			m.T = t
			Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, &mount))
			for i := range tt.starts {
				id, used := fmt.Sprint(i+1), m.CPU()
				took := startPi(m, lines, id)
				used = m.CPU() - used
				t.Logf("%s: answer in %d ms, computed %d ms", id, took.Milliseconds(), used.Milliseconds())
				if r := endPi(m, id); r.ExitCode != 0 {
					t.Errorf("%+v", r)
				}
				b, err := os.ReadFile(file)
				words := strings.Fields(string(b))
				if err != nil || len(words) != 5 {
					t.Fatalf("%q, %v", b, err)
				}
				for _, w := range words {
					if who, there := drawn[w]; there {
						t.Errorf("%s draws %s, as %s did", id, w, who)
					}
					drawn[w] = tt.name + " " + id
				}
			}
			m.End()
		})
	}
}
