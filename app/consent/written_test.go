package consent

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/audit/audittest"
	"piwork/app/events"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
)

// alone is a Consent of no program, whose settings are in a directory.
func alone(t *testing.T) (c *Consent, dir string) {
	t.Helper()
	dir = t.TempDir()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := approval.OpenRules(filepath.Join(dir, RulesName), time.Now, func() {})
	if err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	return New(Options{
		Rules: rules, Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none.cedar")}), Audit: audittest.Open(t),
		Store: store, Registry: registry.New(store, broker, log), Log: log, Now: time.Now,
	}), dir
}

// A file of rules that cannot be read is not replaced unseen, and it is said which one it is.
func TestRulesThatCannotBeRead(t *testing.T) {
	c, dir := alone(t)
	file := filepath.Join(dir, policy.FileName)
	if err := os.WriteFile(file, []byte(strings.Repeat("// long\n", policy.MaxFile/8+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	seen, err := c.Policy(t.Context())
	if err != nil || seen.Text != "" || seen.Files[1].Fault == nil {
		t.Fatalf("%+v %v", seen.Files, err)
	}
	_, err = c.SetPolicy(t.Context(), PolicyText{Text: "// new\n", Before: &seen.Text})
	if p := problem.From(err); p == nil || p.Code != problem.CodePolicyFault || p.Cause != "file" || p.Params["path"] != file {
		t.Errorf("%v", err)
	}
	if now, err := c.SetPolicy(t.Context(), PolicyText{Text: "// new\n"}); err != nil || now.Text != "// new\n" {
		t.Errorf("%+v %v", now, err)
	}
}

// A decision that is narrowed to what another one is about is in conflict with it.
func TestNarrowedToWhatIsDecided(t *testing.T) {
	c, _ := alone(t)
	add := func(r approval.Rule) string {
		t.Helper()
		r, err := c.rules.Add(r)
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	folder := t.TempDir()
	wide := add(approval.Rule{Topic: "hidden", Answer: vmhost.AnswerAllow})
	add(approval.Rule{Topic: "hidden", Folder: folder, Answer: vmhost.AnswerDeny})
	_, err := c.NarrowRule(t.Context(), wide, RuleScope{Folder: folder})
	if p := problem.From(err); p == nil || p.Cause != "decided" || p.Class() != problem.ClassConflict {
		t.Errorf("%v", err)
	}
}

// A refusal is taken back only where that is recorded; a yes in any case.
func TestRefusalsAreTakenBackOnTheRecord(t *testing.T) {
	c, _ := alone(t)
	add := func(answer string) string {
		t.Helper()
		r, err := c.rules.Add(approval.Rule{Topic: "network/" + answer + ".example", Answer: answer})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	if err := c.RemoveRule(t.Context(), add(vmhost.AnswerDeny)); err != nil {
		t.Error(err)
	}
	if got := audittest.Decisions(t, c.o.Audit); len(got) != 1 || got[0] != "network/deny.example revoked person" {
		t.Errorf("%q", got)
	}
	no, yes := add(vmhost.AnswerDeny), add(vmhost.AnswerAllow)
	if err := c.o.Audit.Close(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{no, yes} {
		if err := c.RemoveRule(t.Context(), id); err == nil {
			t.Error("removed without a record")
		}
	}
	if left := c.rules.All(); len(left) != 1 || left[0].ID != no {
		t.Errorf("%+v", left)
	}
}
