package consent

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/audit/audittest"
	"piwork/app/events"
	"piwork/app/policy"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// inFolder is a task that has a folder.
type inFolder struct {
	plainTask
	folder task.Folder
}

func (t inFolder) Last() *task.Task {
	return &task.Task{ID: "t", Kind: task.KindExec, Folders: []task.Folder{t.folder}}
}

// A yes to what a rule asks is to one action in one folder, or for the task, to all that the rule
// asks until it is taken back.
func TestAYesToARule(t *testing.T) {
	for scope, want := range map[string][]string{vmhost.ScopeOnce: {"read", "write", "delete"}, vmhost.ScopeTask: {"read"}} {
		dir := t.TempDir()
		text := `@id("r") @effect("ask") permit (principal, action in [Action::"read", Action::"write", Action::"delete"], resource);`
		if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rules, err := approval.OpenRules(filepath.Join(dir, RulesName), time.Now, nil)
		if err != nil {
			t.Fatal(err)
		}
		store, err := task.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		broker, log := events.New(time.Now), slog.New(slog.DiscardHandler)
		defer broker.Close()
		c := New(Options{Registry: registry.New(store, broker, log), Log: log, Now: time.Now, Audit: audittest.Open(t), Rules: rules, Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
		p := inFolder{plainTask{ctx: t.Context(), asked: make(chan vmhost.Question)}, task.Folder{ID: "f", Path: t.TempDir(), Mode: task.ModeReadWrite}}
		g := c.Gate(p, task.KindExec, false, approval.Who{})
		ask := func(f task.Folder) (asked []string) {
			over := make(chan error)
			go func() { over <- g.MayHave(t.Context(), f) }()
			for {
				select {
				case q := <-p.asked:
					asked = append(asked, q.Text.Params["action"].(string))
					if _, err := c.inbox.Answer("t", q.ID, approval.Answer{Answer: vmhost.AnswerAllow, Scope: scope}); err != nil {
						t.Fatal(err)
					}
				case err := <-over:
					if err != nil {
						t.Fatal(err)
					}
					return asked
				}
			}
		}
		if got := ask(p.folder); !slices.Equal(got, want) {
			t.Errorf("%s: it asks about %q, want %q", scope, got, want)
		}
		if got := ask(p.folder); len(got) > 0 {
			t.Errorf("%s: it asks again about %q", scope, got)
		}
		if got := ask(task.Folder{ID: "g", Path: t.TempDir(), Mode: task.ModeReadOnly}); len(got) > 0 != (scope == vmhost.ScopeOnce) {
			t.Errorf("%s: of another folder it asks about %q", scope, got)
		}
		removes := guard.Intent{Folder: "f", Path: "a.txt", Effect: guard.Delete, Original: true}
		if v, _ := (changes{g}).Decide(removes); v != guard.Allow {
			t.Errorf("%s: a change is %v", scope, v)
		}
		for _, r := range rules.All() {
			if err := c.RemoveRule(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		}
		if v, _ := (changes{g}).Decide(removes); (v == guard.Ask) != (scope == vmhost.ScopeTask) {
			t.Errorf("%s: after it was taken back, a change is %v", scope, v)
		}
	}
}

// A move from where one rule asks to where another does is asked about by both, whatever the order.
func TestAMoveBetweenRulesThatAsk(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	var text string
	for _, name := range []string{"in", "out"} {
		text += fmt.Sprintf("@id(%q) @effect(\"ask\") permit (principal, action in [Action::\"write\", Action::\"delete\"], resource in Path::%q);\n", name, filepath.ToSlash(filepath.Join(folder, name)))
	}
	if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := approval.OpenRules(filepath.Join(dir, RulesName), time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Now: time.Now, Rules: rules, Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
	c.written.Rules()
	g := c.Gate(inFolder{plainTask{ctx: t.Context()}, task.Folder{ID: "f", Path: folder, Mode: task.ModeReadWrite}}, task.KindExec, false, approval.Who{})
	v, ask := (changes{g}).Decide(guard.Intent{Folder: "f", Path: "in/a", To: "out/a", Effect: guard.Move, Original: true})
	for i, s := range ask {
		ask[i], _, _ = strings.Cut(s, "#")
	}
	if slices.Sort(ask); v != guard.Ask || !slices.Equal(ask, []string{"rule/yours/in", "rule/yours/out"}) {
		t.Errorf("%v, %q", v, ask)
	}
}
