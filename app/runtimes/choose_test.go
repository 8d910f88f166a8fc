package runtimes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// kinds are all that there may be, as they are where everything works.
func kinds() []Standing {
	every := []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow}
	all := []task.Kind{task.KindChore, task.KindExec, task.KindTool, task.KindAI}
	kind := func(name string, i vmhost.Isolation, networks []vmhost.NetworkPolicy, folders bool, work ...task.Kind) Standing {
		return Standing{Capabilities: vmhost.Capabilities{Name: name, Isolation: i, Networks: networks}, Folders: folders, Work: work}
	}
	machine := kind("vm", vmhost.IsolationHardware, every, true, all...)
	machine.AddOns, machine.Limits = true, vmhost.LimitSupport{CPU: true, Memory: true, Size: true}
	return []Standing{
		machine,
		kind("container", vmhost.IsolationNamespace, every[:1], true, all[:3]...),
		kind("sandbox", vmhost.IsolationNamespace, every[:1], true, all[:3]...),
		kind("host", vmhost.IsolationNone, every[2:], false, task.KindExec, task.KindTool),
	}
}

// What is used only by its name is taken by no other way, but for one that a person chose.
func TestByName(t *testing.T) {
	all := kinds()
	all[0].Problem = problem.New(problem.CodeUnsupported)
	all = append(all[:1], Standing{Capabilities: vmhost.Capabilities{Name: "remote:x", Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainRemote, Networks: all[1].Networks}, ByName: true})
	for _, row := range []struct {
		need Need
		s    Settings
		want Reason
	}{
		{Need{}, Settings{}, ReasonUnnamed},
		{Need{Named: "remote:x"}, Settings{}, ReasonNamed},
		{Need{Alone: true}, Settings{Prefer: []string{"remote:x"}}, ReasonAway},
		{Need{}, Settings{Prefer: []string{"remote:x"}}, ReasonPreferred},
		{Need{}, Settings{Weaker: map[string]Allowance{"remote:x": AllowAlways}}, ReasonAllowed},
		{Need{Named: "remote:x"}, Settings{Weaker: map[string]Allowance{"remote:x": AllowNever}}, ReasonOff},
	} {
		c := Choose(row.need, all, row.s)
		if got := c.Verdicts[1]; got.Reason != row.want || c.Ask {
			t.Errorf("%+v %+v: %+v", row.need, row.s, c)
		}
	}
}

// Every need, standing and choice that differs, and what is said of each kind.
func TestChoose(t *testing.T) {
	weaker := func(kind string, a Allowance) Settings { return Settings{Weaker: map[string]Allowance{kind: a}} }
	for _, row := range []struct {
		name   string
		need   Need
		broken string // kinds that do not work here
		s      Settings
		want   string // a reason for each kind, the taken one with a star, a question mark where it is asked about
	}{
		{"all work", Need{Work: task.KindExec}, "", Settings{}, "strongest* weaker weaker network"},
		{"no virtual machine", Need{Work: task.KindExec}, "vm", Settings{}, "problem ask*? weaker network"},
		{"neither that nor a container", Need{Work: task.KindExec}, "vm container", Settings{}, "problem problem ask*? network"},
		{"a container may always", Need{Work: task.KindExec}, "vm", weaker("container", AllowAlways), "problem allowed* weaker network"},
		{"a container may never", Need{Work: task.KindExec}, "vm", weaker("container", AllowNever), "problem off ask*? network"},
		{"never does not touch what is strongest", Need{}, "", weaker("vm", AllowNever), "strongest* weaker weaker network"},
		{"named", Need{Named: "sandbox"}, "", Settings{}, "another another named* another"},
		{"named, and it does not work: nothing else", Need{Named: "sandbox"}, "sandbox", Settings{}, "another another problem another"},
		{"named, and never allowed", Need{Named: "sandbox"}, "", weaker("sandbox", AllowNever), "another another off another"},
		{"the host is off", Need{Named: "host", Network: task.NetworkOn}, "", Settings{}, "another another another off"},
		{"the host is on", Need{Named: "host", Network: task.NetworkOn}, "", weaker("host", AllowAsk), "another another another named*"},
		{"the host is no way out by itself", Need{Network: task.NetworkOn}, "vm", Settings{}, "problem network network off"},
		{"the host as the last, which is asked about", Need{Network: task.NetworkOn}, "vm", weaker("host", AllowAsk), "problem network network ask*?"},
		{"unknown", Need{Named: "cloud"}, "", Settings{}, "another another another another"},
		{"an AI needs a machine", Need{Work: task.KindAI, Network: task.NetworkRestricted}, "vm", Settings{}, "problem work work work"},
		{"hosts that a rule names", Need{Network: task.NetworkRestricted}, "vm", Settings{}, "problem network network network"},
		{"folders", Need{Folders: true, Network: task.NetworkOn}, "vm", weaker("host", AllowAlways), "problem network network folders"},
		{"add-ons", Need{AddOns: true}, "vm", Settings{}, "problem add-ons add-ons network"},
		{"limits", Need{Limits: true}, "vm", weaker("sandbox", AllowAlways), "problem limits limits network"},
		{"limits, and named", Need{Limits: true, Named: "sandbox"}, "", Settings{}, "another another limits another"},
		{"apart as a machine", Need{AtLeast: vmhost.IsolationHardware}, "vm", weaker("sandbox", AllowAlways), "problem isolation isolation isolation"},
		{"apart as a kernel keeps it", Need{AtLeast: vmhost.IsolationNamespace, Network: task.NetworkOn}, "", weaker("host", AllowAlways), "strongest* network network isolation"},
		{"one of some kinds", Need{Requires: &vmhost.Requirement{Kinds: []string{"container", "sandbox"}}}, "container", Settings{}, "required problem ask*? network"},
		{"what it requires, and named elsewhere", Need{Named: "sandbox", Requires: &vmhost.Requirement{Kinds: []string{"vm"}}}, "", Settings{}, "another another required another"},
		{"apart as a machine, required", Need{Requires: &vmhost.Requirement{AtLeast: vmhost.IsolationEmulated}}, "vm", weaker("sandbox", AllowAlways), "problem required required network"},
		{"a graphics card", Need{GPU: true}, "", weaker("sandbox", AllowAlways), "gpu gpu gpu network"},
		{"files change in some kinds only", Need{Folders: true, Changes: true}, "vm", Settings{Files: []string{"vm", "container"}}, "problem ask*? files network"},
		{"files change in none that works", Need{Folders: true, Changes: true}, "", Settings{Files: []string{"sandbox"}}, "files files ask*? network"},
		{"files change there only, and it is named elsewhere", Need{Folders: true, Changes: true, Named: "sandbox"}, "", Settings{Files: []string{"vm"}}, "another another files another"},
		{"files that are only read", Need{Folders: true, Named: "sandbox"}, "", Settings{Files: []string{"vm"}}, "another another named* another"},
		{"preferred, and files do not change there", Need{Folders: true, Changes: true}, "", Settings{Files: []string{"vm"}, Prefer: []string{"sandbox"}}, "strongest* files files network"},
		{"preferred", Need{}, "", Settings{Prefer: []string{"sandbox"}}, "after after preferred* network"},
		{"preferred, then what is strongest", Need{}, "sandbox", Settings{Prefer: []string{"sandbox"}}, "strongest* weaker problem network"},
		{"preferred in an order, twice, and what nobody knows", Need{}, "sandbox", Settings{Prefer: []string{"sandbox", "cloud", "container", "sandbox"}}, "after preferred* problem network"},
		{"preferred, and never allowed", Need{}, "", Settings{Prefer: []string{"sandbox"}, Weaker: map[string]Allowance{"sandbox": AllowNever}}, "strongest* weaker off network"},
		{"alone", Need{Work: task.KindExec, Alone: true}, "vm", Settings{}, "problem unnamed unnamed network"},
		{"alone, and allowed always behind one that is not", Need{Work: task.KindExec, Alone: true}, "vm", weaker("sandbox", AllowAlways), "problem unnamed allowed* network"},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := kinds()
			for i, k := range all {
				if strings.Contains(" "+row.broken+" ", " "+k.Name+" ") {
					all[i].Problem = problem.New(problem.CodeUnsupported)
				}
			}
			c := Choose(row.need, all, row.s)
			var got []string
			for i, v := range c.Verdicts {
				said := string(v.Reason)
				if v.Taken {
					said += "*"
					if c.Ask {
						said += "?"
					}
				}
				if got = append(got, said); v.Kind != all[i].Name || v.Taken != (v.Kind == c.Kind) || (v.Problem != nil) != (v.Reason == ReasonProblem) {
					t.Errorf("%+v of %+v", v, c)
				}
			}
			if now := strings.Join(got, " "); now != row.want {
				t.Errorf("%s, not %s", now, row.want)
			}
		})
	}
}

// Whatever is needed and chosen: nobody gets what he does not need for, and nothing that is
// weaker without a decision.
func TestChooseNeverFallsSilently(t *testing.T) {
	for _, named := range []string{"", "vm", "container", "sandbox", "host", "cloud"} {
		for _, network := range []task.Network{"", task.NetworkOff, task.NetworkRestricted, task.NetworkOn} {
			for broken := range 16 {
				for chosen := range 81 {
					all, s := kinds(), Settings{Weaker: map[string]Allowance{}}
					for i, left := 0, chosen; i < len(all); i, left = i+1, left/3 {
						if broken>>i&1 == 1 {
							all[i].Problem = problem.New(problem.CodeUnsupported)
						}
						s.Weaker[all[i].Name] = []Allowance{AllowAsk, AllowAlways, AllowNever}[left%3]
					}
					n := Need{Named: named, Network: network}
					c := Choose(n, all, s)
					for i, k := range all {
						if k.Name != c.Kind {
							continue
						}
						said := fmt.Sprintf("%+v %04b %v: %+v", n, broken, s.Weaker, c)
						if k.Problem != nil || k.lacks(n) != "" {
							t.Fatalf("it does not do: %s", said)
						}
						if i > 0 && !c.Ask && named != k.Name && s.Weaker[k.Name] != AllowAlways {
							t.Fatalf("nobody decided: %s", said)
						}
						if i > 0 && s.Weaker[k.Name] == AllowNever {
							t.Fatalf("it is off: %s", said)
						}
						if i > 0 && named == "" && all[0].Problem == nil && all[0].lacks(n) == "" {
							t.Fatalf("what is strongest does: %s", said)
						}
					}
				}
			}
		}
	}
}

// The rules are asked about the kinds that could do the task, the best first: what they refuse
// elsewhere is of no account, and nobody is to be offered an exception for it.
func TestRulesAreAskedAboutKindsThatWillDo(t *testing.T) {
	var asked []string
	n := Need{Work: task.KindAI, Network: task.NetworkRestricted, Rules: func(k vmhost.Capabilities) policy.Decision {
		asked = append(asked, k.Name)
		return policy.Decision{Effect: policy.Deny}
	}}
	c := Choose(n, kinds(), Settings{})
	if len(asked) == 0 || asked[0] != vmhost.KindVM || c.Kind != "" {
		t.Errorf("asked about %v, %+v", asked, c)
	}
	for _, v := range c.Verdicts {
		if is := slices.Contains(asked, v.Kind); is != (v.Reason == ReasonRule) {
			t.Errorf("%s: asked %v, %s", v.Kind, is, v.Reason)
		}
	}
}
