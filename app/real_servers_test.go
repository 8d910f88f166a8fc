//go:build vm

package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/mcpservers"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// eyes is an MCP server without packages. Its tool says what it finds around it.
const eyes = `
const fs = require("node:fs"), net = require("node:net");
const reach = (port, host) => new Promise((done) => {
  const s = net.connect({ port, host, timeout: 2000 }, () => (s.destroy(), done("open")));
  s.on("error", (e) => done(e.code)).on("timeout", () => (s.destroy(), done("timeout")));
});
const write = (path) => { try { fs.writeFileSync(path, "x"); return "written"; } catch (e) { return e.code; } };
async function look() {
  return JSON.stringify({
    token: process.env.TOKEN === "hunter2-hunter2" ? "has " + process.env.TOKEN : "none", uid: process.getuid(), folders: fs.readdirSync("/folders"),
    write: write("/folders/" + fs.readdirSync("/folders")[0] + "/x"), gateway: await reach(8377, "127.0.0.1"), internet: await reach(80, "93.184.216.34"), agents: fs.existsSync("/state/pi"),
  });
}
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "eyes", version: "1" } }
    : method === "tools/list" ? { tools: [{ name: "look", description: "Looks around.", inputSchema: { type: "object", properties: { at: { type: "string" } } } }] }
    : method === "tools/call" ? { content: [{ type: "text", text: params.arguments.at + ": " + (await look()) }] } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
});
`

// The real pi calls the tool of a real server, which is node's in the pack: in a machine of its
// own, which has the folder of its program and nothing of the task's, no network, and no way to
// models. The secret comes back as none, and is nowhere in the task's machine or files.
func TestRealServer(t *testing.T) {
	code, notes := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(code, "eyes.js"), []byte(eyes), 0o644); err != nil {
		t.Fatal(err)
	}
	script := &turns{list: []gatewaytest.Turn{
		{Tools: []gatewaytest.Tool{{Name: "eyes__look", Input: map[string]any{"at": "here"}}}},
		{Tools: bash("ls /folders; env | grep -c hunter2; grep -l hunter2 -r /state /proc/[0-9]*/environ 2>/dev/null; echo searched")},
		{Parts: []string{"Done."}},
	}}
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	server.Reply(script.reply)
	c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, "anthropic"})
	if _, err := c.AddMCPServer(t.Context(), mcpservers.Addition{
		Name: "eyes", Command: "node", Args: []string{filepath.Join(code, "eyes.js")}, Folders: []string{code}, Env: map[string]string{"TOKEN": "hunter2-hunter2"},
	}); err != nil {
		t.Fatal(err)
	}
	v, err := c.CheckMCPServer(t.Context(), "eyes")
	if err != nil || len(v.Tools) != 1 || v.Tools[0].Offered != "eyes__look" {
		t.Fatalf("%+v %v", v, err)
	}
	if _, err := c.AllowMCPTool(t.Context(), "eyes", mcpservers.ToolChoice{Tool: "look", Hash: v.Tools[0].Hash, Allow: true}); err != nil {
		t.Fatal(err)
	}
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Look"}, Network: task.NetworkOff, Folders: []task.FolderRequest{{Path: notes, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	limit := time.After(10 * time.Minute)
	for over := false; !over; {
		select {
		case e := <-events:
			switch d := e.Data.(type) {
			case vmhost.Question:
				codes = append(codes, d.Text.Code)
				if _, err := c.Answer(context.Background(), started.ID, d.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}); err != nil {
					t.Fatal(err)
				}
			case task.StateData:
				over = d.State.Final()
			}
		case <-limit:
			t.Fatal(timelineText(t, c, started.ID))
		}
	}
	if got := ended(t, c, started.ID); got.State != task.StateDone {
		t.Fatalf("%+v\n%s", got.Error, timelineText(t, c, started.ID))
	}
	if codes[0] != mcpservers.AskCall {
		t.Errorf("asked %q", codes)
	}
	all := script.questions()
	heard := all[len(all)-1]
	if strings.Contains(heard, "hunter2-hunter2") || !strings.Contains(heard, "searched") || !strings.Contains(heard, `MCP server \"eyes\"`) {
		t.Errorf("the model heard %s", heard)
	}
	i := strings.Index(heard, `here: {`)
	if i < 0 {
		t.Fatalf("the model heard %s", heard)
	}
	var text string
	if err := json.NewDecoder(strings.NewReader(`"` + heard[i:])).Decode(&text); err != nil {
		t.Fatal(err)
	}
	var saw struct {
		Token, Write, Gateway, Internet string
		UID                             int
		Folders                         []string
		Agents                          bool
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "here: ")), &saw); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if saw.Token != "has ***************" || saw.Write != "EROFS" && saw.Write != "EACCES" || saw.UID == 0 || len(saw.Folders) != 1 || saw.Folders[0] != filepath.Base(code) || saw.Agents || saw.Gateway == "open" || saw.Internet == "open" {
		t.Errorf("the server saw %+v", saw)
	}
	if !strings.Contains(all[0], "Looks around.") || !strings.Contains(all[0], "in its own words") {
		t.Error("the model was not told of the tool, or not whose words these are")
	}
}
