package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/aitask"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
)

// What changes while a conversation goes on reaches the model with the next message, and the
// system prompt stays the same.
func TestModelHearsTheTime(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Turn{Parts: []string{"ok"}} })
	w := aiWorld(t, "", server.URL)
	if err := os.MkdirAll(filepath.Join(w.base, "Notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := openPi(t, w, nil)
	wait := w.listen(c)
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("TZ", "Asia/Tokyo")
	id := w.start(c, aiTask(w.base)).ID
	wait(id, task.StateDone)
	prompt := func() string {
		b, err := os.ReadFile(filepath.Join(c.o.DataDir, tasksDir, id, aitask.StateDir, "pi", "system.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := prompt()
	t.Setenv("TZ", "America/Lima")
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "And now?", Detached: true}); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateDone)
	if prompt() != before {
		t.Errorf("the system prompt is another: %s", prompt())
	}
	var last string
	for _, q := range server.Questions() {
		if q.Method == http.MethodPost {
			last = string(q.Body)
		}
	}
	for _, want := range []string{`+09:00, Asia/Tokyo, de_DE.UTF-8]\n\nReport about`, `-05:00, America/Lima, de_DE.UTF-8]\n\nAnd now?`} {
		if !strings.Contains(last, want) {
			t.Errorf("the model was not told %s: %s", want, last)
		}
	}
	if got := strings.Join(saidAndNoted(t, c, id), "|"); got != "Report about my notes|And now?" {
		t.Errorf("the timeline has %q", got)
	}
}
