package consent

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/task"
	"piwork/vmhost"
)

// A rule about an AI program is about the servers that work for it, and for no other.
func TestServersAreOfTheProgramTheyWorkFor(t *testing.T) {
	dir := t.TempDir()
	rules := `forbid (principal in Agent::"opencode", action == Action::"run", resource == Program::"notes");`
	if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Options{Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
	for agent, want := range map[string]policy.Effect{"": policy.Allow, "pi": policy.Allow, "opencode": policy.Deny} {
		a := c.Apart("notes", "t", agent, approval.Who{}, task.NetworkOff, nil)
		if d := a.Place(vmhost.Capabilities{Name: vmhost.KindVM, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM}); d.Effect != want {
			t.Errorf("%q: %+v", agent, d)
		}
		if _, refused := a.Reached(); refused != (want == policy.Deny) {
			t.Errorf("%q: at an address: %v", agent, refused)
		}
	}
}

// Nobody is asked while a server runs: a rule that asks about a place refuses it, also the machine.
func TestServersAreRefusedWhereARuleAsks(t *testing.T) {
	dir := t.TempDir()
	rules := `@effect("ask") permit (principal, action == Action::"startRuntime", resource == Runtime::"vm");`
	if err := os.WriteFile(filepath.Join(dir, policy.FileName), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Options{Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
	a := c.Apart("notes", "t", "", approval.Who{}, task.NetworkOff, nil)
	for kind, want := range map[string]policy.Effect{vmhost.KindVM: policy.Deny, vmhost.KindSandbox: policy.Ask} { // that one the person may allow always
		if d := a.Place(vmhost.Capabilities{Name: kind, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM}); d.Effect != want {
			t.Errorf("%s: %+v", kind, d)
		}
	}
}
