package consent

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/task"
	"piwork/vmhost"
	netpolicy "piwork/vmhost/network/policy"
	"piwork/vmhost/wire"
)

// refusedTask is one that rules refuse things, and that notes it at once.
type refusedTask struct{ plannedTask }

func (*refusedTask) Do(note func())             { note() }
func (*refusedTask) Record(task.EventKind, any) {}

// What a rule decided is in the audit log with what it decided about: in plain words what is no
// name of the person's, and as a digest the rest.
func TestRuleDecisionsNameTheirSubject(t *testing.T) {
	c, dir := alone(t)
	rules := `
		@id("run") forbid (principal, action == Action::"run", resource);
		@id("key") forbid (principal, action == Action::"useKey", resource);
		@id("place") forbid (principal, action == Action::"startRuntime", resource);
		@id("net") forbid (principal, action == Action::"connect", resource);`
	if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	g := c.Gate(&refusedTask{plannedTask{of: task.Task{ID: "1", Kind: task.KindExec}}}, task.KindExec, false, approval.Who{})
	exec := func(argv ...string) func() error {
		return func() error { return g.Acts(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: argv}}) }
	}
	denied := func(r policy.Request) func() error {
		return func() error { return g.Denied(g.rulesSay(r), r) }
	}
	key, place := g.request(policy.UseKey), g.request(policy.StartRuntime)
	key.Key, place.Runtime = "service/wiki", "sandbox"
	const own = "/folders/Diary/love"
	for name, row := range map[string]struct {
		refuse func() error
		about  string // that finds it, of Filter
		want   string
	}{
		"a host": {func() error {
			for _, host := range []string{"evil.example", "other.example"} {
				if answer, ok := g.Over()(netpolicy.Target{Name: host, Port: 8443}); !ok || answer != netpolicy.Refuse {
					return nil
				}
			}
			return os.ErrPermission
		}, "evil.example", `"host":"evil.example","port":8443`},
		"a program":           {exec("/usr/bin/wget", "love"), "", `"program":"wget"`},
		"one of the person's": {exec(own), own, `"in":["` + string(c.o.Audit.Digest(own)) + `"]`},
		"an operation": {func() error {
			return g.Acts(t.Context(), vmhost.Action{Tool: &wire.ToolParams{Op: "pdf.merge"}})
		}, "", `"program":"pdf.merge"`},
		"a key":   {denied(key), "", `"service":"service/wiki"`},
		"a place": {denied(place), "", `"runtime":"sandbox"`},
		"a server": {func() error {
			return cmp.Or(c.Apart("notes", "1", "", approval.Who{}, task.NetworkOff, nil).Refused("yours/run"), os.ErrPermission)
		}, "", `"program":"notes"`},
	} {
		if row.refuse() == nil {
			t.Errorf("%s: not refused", name)
		}
		page, err := c.o.Audit.Records(t.Context(), audit.Filter{About: row.about})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(page.Records, func(r audit.Record) bool {
			data, err := json.Marshal(r)
			return err == nil && strings.Contains(string(data), row.want)
		})
		if !found {
			t.Errorf("%s: no %s in %+v", name, row.want, page.Records)
		}
		for _, r := range page.Records {
			if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), "love") {
				t.Errorf("%s: %s, %v", name, data, err)
			}
		}
	}
}
