package consent

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/vmhost"
)

// plannedTask is one that has not begun.
type plannedTask struct {
	Task
	of task.Task
}

func (t *plannedTask) Last() *task.Task { return &t.of }

// What is said of a task that is only thought of is what the task will hear.
func TestPlaceForIsPlace(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := func(mode task.Mode) []task.Folder { return []task.Folder{{ID: "f", Path: home, Mode: mode}} }
	changes := task.Task{ID: "1", Kind: task.KindExec, Network: task.NetworkOff, Folders: folder(task.ModeReadWrite)}
	reads := task.Task{ID: "1", Kind: task.KindExec, Network: task.NetworkOff, Folders: folder(task.ModeReadOnly)}
	online := task.Task{ID: "1", Kind: task.KindExec, Network: task.NetworkOn}
	chore := task.Task{ID: "1", Kind: task.KindChore, Chore: "zip", Network: task.NetworkOff}
	ai := task.Task{ID: "1", Kind: task.KindAI, AI: &task.AI{}, Network: task.NetworkOff}
	for rule, refused := range map[string][]task.Task{
		``: nil,
		`forbid (principal, action == Action::"startRuntime", resource == Runtime::"sandbox");`:                        {changes, reads, online, chore, ai},
		`forbid (principal, action == Action::"write", resource) when { context.runtime == "sandbox" };`:               {changes},
		`forbid (principal, action == Action::"delete", resource) when { context.isolation == "namespace" };`:          {changes},
		`forbid (principal, action == Action::"read", resource) when { context.runtime == "sandbox" };`:                {changes, reads},
		`forbid (principal, action == Action::"write", resource in Path::"/elsewhere");`:                               nil,
		`forbid (principal, action == Action::"connect", resource == Host::"example.org");`:                            {online},
		`forbid (principal, action == Action::"run", resource) when { resource.kind == "chore" };`:                     {chore},
		`forbid (principal in Agent::"pi", action == Action::"run", resource) when { context.runtime == "sandbox" };`:  {ai},
		`forbid (principal, action == Action::"run", resource == Program::"shell") when { context.network == "off" };`: {changes, reads},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(rule), 0o600); err != nil {
			t.Fatal(err)
		}
		c := New(Options{Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
		if f := c.written.Rules().Fault(); f != nil {
			t.Fatalf("%s: %+v", rule, f)
		}
		k := vmhost.Capabilities{Name: vmhost.KindSandbox, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainContainer}
		for name, of := range map[string]task.Task{"changes": changes, "reads": reads, "online": online, "chore": chore, "ai": ai} {
			n := runtimes.Need{Work: of.Kind, Network: of.Network, Folders: len(of.Folders) > 0, Changes: name == "changes"}
			will, said := c.Gate(&plannedTask{of: of}, of.Kind, false, approval.Who{}).Place(k), c.PlaceFor(n, k)
			want := false
			for _, r := range refused {
				want = want || r.Kind == of.Kind && r.Network == of.Network && len(r.Folders) == len(of.Folders) && (len(r.Folders) == 0 || r.Folders[0].Mode == of.Folders[0].Mode)
			}
			if will.Effect != said.Effect || will.Name() != said.Name() || (will.Effect == policy.Deny) != want {
				t.Errorf("%s: %s: the task hears %+v, before it was %+v; refused: %v", rule, name, will, said, want)
			}
		}
	}
}
