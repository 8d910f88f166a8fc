package vmhost

import (
	"errors"
	"testing"
)

// A place that lacks something of what an action needs is told from one that has it all.
func TestRequirement(t *testing.T) {
	machine := Capabilities{
		Name: KindVM, Isolation: IsolationEmulated, Networks: []NetworkPolicy{NetworkDeny, NetworkRestricted}, ReadOnly: true, Tools: true,
		Limits: LimitSupport{CPU: true, Memory: true},
	}
	lab := Capabilities{Name: KindRemote + ":lab", Isolation: IsolationNamespace, Networks: []NetworkPolicy{NetworkAllow}, Limits: LimitSupport{CPU: true}}
	for name, row := range map[string]struct {
		r    Requirement
		in   Capabilities
		want string // what it lacks
	}{
		"nothing":               {Requirement{}, lab, ""},
		"the kind":              {Requirement{Kinds: []string{KindContainer, KindVM}}, machine, ""},
		"another kind":          {Requirement{Kinds: []string{KindContainer, KindVM}}, lab, LacksKind},
		"any other computer":    {Requirement{Kinds: []string{KindRemote}}, lab, ""},
		"that computer":         {Requirement{Kinds: []string{"remote:lab"}}, lab, ""},
		"another computer":      {Requirement{Kinds: []string{"remote:la"}}, lab, LacksKind},
		"emulated is as good":   {Requirement{AtLeast: IsolationHardware}, machine, ""},
		"too weak":              {Requirement{AtLeast: IsolationEmulated}, lab, LacksIsolation},
		"strong enough":         {Requirement{AtLeast: IsolationNamespace}, lab, ""},
		"unknown isolation":     {Requirement{AtLeast: IsolationNamespace}, Capabilities{Isolation: "?"}, LacksIsolation},
		"abilities":             {Requirement{Can: []Ability{AbilityTools, AbilityReadOnly, AbilityLimits, AbilityOffline, AbilityAllowlist}}, machine, ""},
		"no tools":              {Requirement{Can: []Ability{AbilityTools}}, lab, "tools"},
		"not read-only":         {Requirement{Can: []Ability{AbilityReadOnly}}, lab, "read-only"},
		"one of two limits":     {Requirement{Can: []Ability{AbilityLimits}}, lab, "limits"},
		"always with a network": {Requirement{Can: []Ability{AbilityOffline}}, lab, "no-network"},
		"no allowlist":          {Requirement{Can: []Ability{AbilityAllowlist}}, lab, "restricted-network"},
		"an unknown ability":    {Requirement{Can: []Ability{"fly"}}, machine, "fly"},
	} {
		for rule, a := range map[bool]Action{false: {Requires: row.r}, true: {Rule: row.r}} {
			err := a.Meets(row.in)
			if e, is := errors.AsType[*RequirementError](err); (err == nil) != (row.want == "") || err != nil && (!is || e.Lacks != row.want || e.Runtime != row.in.Name || e.Rule != rule) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
