package runtimes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Need is what a task must have.
type Need struct {
	Named   string           `json:"named,omitempty" maxLength:"64" doc:"the only kind that will do; without it any"`
	Work    task.Kind        `json:"work,omitempty" enum:"chore,ai,exec,tool" doc:"kind of task"`
	Network task.Network     `json:"network,omitempty" enum:"off,restricted,on" doc:"off where it is not said"`
	AddOns  bool             `json:"addOns,omitempty" doc:"it needs an add-on of the runtime"`
	Limits  bool             `json:"limits,omitempty" doc:"it has limits of memory, of processor time or of what it reads and writes"`
	Size    bool             `json:"size,omitempty" doc:"a size of its machine was chosen"`
	Cache   bool             `json:"cache,omitempty" doc:"it uses the cache of a project"`
	Folders bool             `json:"folders,omitempty" doc:"it works on folders of the person"`
	Changes bool             `json:"changes,omitempty" doc:"it may change files in them"`
	GPU     bool             `json:"gpu,omitempty" doc:"it computes on a graphics card"`
	Slow    bool             `json:"slow,omitempty" doc:"its machine is to work without acceleration, by choice"`
	AtLeast vmhost.Isolation `json:"atLeast,omitempty" enum:"hardware,emulated,namespace,none" doc:"how well it has to be kept apart"`

	Requires *vmhost.Requirement `json:"requiresRuntime,omitempty" doc:"what it needs of its place besides"`

	Alone bool `json:"-"` // it may not leave this computer, and nobody can be asked

	// Rules is what the rules that are written say to the task in a kind of place; nil has
	// the Chooser ask them about the kind.
	Rules func(vmhost.Capabilities) policy.Decision `json:"-"`
}

// HostedWork are the tasks of kinds that are no machine, which may have operations: an AI is
// in none of them.
func HostedWork(operations bool) []task.Kind {
	if !operations {
		return []task.Kind{task.KindExec}
	}
	return []task.Kind{task.KindChore, task.KindExec, task.KindTool}
}

// Standing is a kind as it is on this computer.
type Standing struct {
	vmhost.Capabilities
	Work    []task.Kind      // that it can do
	AddOns  bool             // it has them
	Folders bool             // it can be given folders whose changes can be taken back
	ByName  bool             // it is used only when a person names, prefers or always allows it
	Problem *problem.Problem // why it does not work here; nil for one that is proven
	engine  *vmhost.Engine   // as Kind.By has it
}

// Allowance is what a person says to a kind that keeps a task less apart than the
// strongest one.
type Allowance string

// Allowances. Without a choice a kind is asked about, and one without any isolation is off.
const (
	AllowAsk    Allowance = "ask"
	AllowAlways Allowance = "always"
	AllowNever  Allowance = "never"
)

// Settings are what a person chose.
type Settings struct {
	Prefer []string             `json:"prefer,omitempty" maxItems:"16" doc:"kinds that are taken before the others, the first one first"`
	Weaker map[string]Allowance `json:"weaker,omitempty" doc:"what is said to kinds that keep a task less apart than a virtual machine"`
	Files  []string             `json:"files,omitempty" maxItems:"16" doc:"the only kinds in which tasks may change files of the person; without any, all"`

	Rootless []string `json:"rootless,omitempty" maxItems:"16" doc:"kinds that are preferred or always allowed only while what runs them has no administrator rights: as when that was said. A change that leaves a kind out here says it anew"`
}

// allows is what a person says to a kind.
func (s Settings) allows(k Standing) Allowance {
	said := s.Weaker[k.Name]
	switch {
	case said == AllowAlways && s.exceeds(k):
		return AllowAsk
	case said == "" && k.Isolation == vmhost.IsolationNone:
		return AllowNever
	}
	return cmp.Or(said, AllowAsk)
}

// exceeds reports whether what runs a kind has rights that it had not when a person said yes.
func (s Settings) exceeds(k Standing) bool {
	return k.engine != nil && !k.engine.Rootless && slices.Contains(s.Rootless, k.Name)
}

// Without are the settings without what was said about kinds that are gone.
func (s Settings) Without(gone func(kind string) bool) Settings {
	s.Prefer, s.Rootless = slices.DeleteFunc(slices.Clone(s.Prefer), gone), slices.DeleteFunc(slices.Clone(s.Rootless), gone)
	s.Weaker = maps.Clone(s.Weaker)
	maps.DeleteFunc(s.Weaker, func(kind string, _ Allowance) bool { return gone(kind) })
	return s
}

// Reason says in a code why a kind is taken, or is not.
type Reason string

// Reasons. Those of the kind that is taken come first.
const (
	ReasonNamed     Reason = "named"     // it was asked for
	ReasonPreferred Reason = "preferred" // a person prefers it
	ReasonStrongest Reason = "strongest" // it keeps the task apart best
	ReasonAllowed   Reason = "allowed"   // none that is stronger does, and a person allows it always
	ReasonPermitted Reason = "permitted" // none that is stronger does, and a written rule allows it
	ReasonAsk       Reason = "ask"       // none that is stronger does, and a person is to be asked

	ReasonOther     Reason = "another"             // another one was asked for
	ReasonWork      Reason = "work"                // it cannot do this kind of task
	ReasonNetwork   Reason = "network"             // it cannot enforce what the task may reach
	ReasonFolders   Reason = "folders"             // it cannot be given folders whose changes can be taken back
	ReasonAddOns    Reason = "add-ons"             // it has no add-ons
	ReasonLimits    Reason = "limits"              // it cannot enforce limits that the task has
	ReasonCache     Reason = "cache"               // it has no caches of projects
	ReasonRequired  Reason = problem.CauseRequired // it does not have what the task says that it needs
	ReasonIsolation Reason = "isolation"           // it keeps the task less apart than is needed
	ReasonFiles     Reason = "files"               // a person allows no changes of files there
	ReasonRule      Reason = "rule"                // a written rule refuses it
	ReasonGPU       Reason = "gpu"                 // it has no graphics card
	ReasonAway      Reason = "away"                // it is another computer
	ReasonOff       Reason = "off"                 // a person did not switch it on
	ReasonUnnamed   Reason = "unnamed"             // nobody named it, prefers it or always allows it
	ReasonProblem   Reason = "problem"             // it does not work here
	ReasonWeaker    Reason = "weaker"              // another one keeps the task apart better
	ReasonAfter     Reason = "after"               // another one is preferred
)

// Verdict is what is found of one kind.
type Verdict struct {
	Kind    string                   `json:"kind"`
	Taken   bool                     `json:"taken"`
	Reason  Reason                   `json:"reason"`
	Problem *problem.Problem         `json:"problem,omitempty"` // of ReasonProblem
	Text    string                   `json:"text,omitempty" words:"shown"`
	Rule    string                   `json:"rule,omitempty"` // of ReasonRule and ReasonPermitted: its layer and id
	Lacks   string                   `json:"lacks,omitempty" doc:"of required: the first of requiresRuntime that the place is not, or does not have"`
	Engine  *vmhost.Engine           `json:"engine,omitempty" doc:"what runs the kind that is taken, where that is a program of this computer"`
	missing *vmhost.RequirementError // of ReasonRequired
	refused policy.Decision          // of ReasonRule
}

// Choice is where a task works; Kind is "" where none will do.
type Choice struct {
	Kind     string    `json:"kind"`
	Ask      bool      `json:"ask"` // not before a person says yes
	Verdicts []Verdict `json:"verdicts"`
}

// Taken is what is found of the kind where the task works.
func (c Choice) Taken() Verdict {
	i := slices.IndexFunc(c.Verdicts, func(v Verdict) bool { return v.Taken })
	return c.Verdicts[i]
}

// Choose finds the place of a task. The kinds come with the strongest isolation first.
func Choose(n Need, all []Standing, s Settings) Choice {
	c := Choice{Verdicts: make([]Verdict, len(all))}
	order := make([]int, 0, len(all)) // in which they are taken
	for _, name := range s.Prefer {
		if i := slices.IndexFunc(all, func(k Standing) bool { return k.Name == name }); i >= 0 && !slices.Contains(order, i) && !s.exceeds(all[i]) {
			order = append(order, i)
		}
	}
	preferred := len(order)
	for i := range all {
		if !slices.Contains(order[:preferred], i) {
			order = append(order, i)
		}
	}
	taken := -1
	for rank, i := range order {
		k := all[i]
		if n.Slow && k.Name == vmhost.KindVM {
			k.Isolation = vmhost.IsolationEmulated
		}
		v := Verdict{Kind: k.Name}
		chosen := rank < preferred || n.Named == k.Name // by a person
		var say policy.Decision
		if v.Reason = k.lacks(n); v.Reason == "" {
			say = n.rules(k.Capabilities, i)
		}
		ask := say.Effect == policy.Ask && (say.Written() || !chosen && s.allows(k) != AllowAlways)
		switch {
		case v.Reason == ReasonRequired:
			v.missing = n.Requires.Check(k.Capabilities)
			v.Lacks = cmp.Or(strings.Join(v.missing.Kinds, ", "), string(v.missing.AtLeast), v.missing.Lacks)
		case v.Reason != "":
		case n.Changes && len(s.Files) > 0 && !slices.Contains(s.Files, k.Name):
			v.Reason = ReasonFiles
		case say.Effect == policy.Deny:
			v.Reason, v.Rule, v.refused = ReasonRule, say.Name(), say
		case s.allows(k) == AllowNever && i > 0:
			v.Reason = ReasonOff
		case k.ByName && !chosen && s.allows(k) != AllowAlways:
			v.Reason = ReasonUnnamed
		case k.Problem != nil:
			v.Reason, v.Problem = ReasonProblem, k.Problem
		case taken >= 0:
			v.Reason = ReasonWeaker
			if taken > i {
				v.Reason = ReasonAfter
			}
		case n.Alone && ask:
			v.Reason = ReasonUnnamed
		default:
			taken = i
			c.Kind, c.Ask, v.Taken, v.Engine = k.Name, ask, true, k.engine
			v.Reason = reasonFor(i, n.Named == k.Name, chosen, c.Ask)
			if v.Reason == ReasonAllowed && s.allows(k) != AllowAlways {
				v.Reason, v.Rule = ReasonPermitted, say.Name()
			}
		}
		c.Verdicts[i] = v
	}
	return c
}

// rules is what the rules say to a kind; without any the strongest is allowed, and the others
// are asked about.
func (n Need) rules(k vmhost.Capabilities, i int) policy.Decision {
	switch {
	case n.Rules != nil:
		return n.Rules(k)
	case i > 0:
		return policy.Decision{Effect: policy.Ask}
	}
	return policy.Decision{Effect: policy.Allow}
}

func reasonFor(i int, named, chosen, ask bool) Reason {
	switch {
	case named:
		return ReasonNamed
	case chosen:
		return ReasonPreferred
	case i == 0:
		return ReasonStrongest
	case ask:
		return ReasonAsk
	}
	return ReasonAllowed
}

// lacks is what a task needs and a kind never has; "" for nothing.
func (k Standing) lacks(n Need) Reason {
	policy := map[task.Network]vmhost.NetworkPolicy{task.NetworkRestricted: vmhost.NetworkRestricted, task.NetworkOn: vmhost.NetworkAllow}
	switch {
	case n.Named != "" && n.Named != k.Name:
		return ReasonOther
	case n.Alone && k.Domain == vmhost.DomainRemote:
		return ReasonAway
	case n.Work != "" && !slices.Contains(k.Work, n.Work):
		return ReasonWork
	case n.AtLeast != "" && k.Isolation.Weaker(n.AtLeast):
		return ReasonIsolation
	case !slices.Contains(k.Networks, cmp.Or(policy[n.Network], vmhost.NetworkDeny)):
		return ReasonNetwork
	case n.AddOns && !k.AddOns:
		return ReasonAddOns
	case n.Limits && !(k.Capabilities.Limits.CPU && k.Capabilities.Limits.Memory):
		return ReasonLimits
	case n.Size && !k.Capabilities.Limits.Size:
		return ReasonLimits
	case n.Cache && k.Name != vmhost.KindVM:
		return ReasonCache
	case n.Folders && !k.Folders:
		return ReasonFolders
	case n.Requires != nil && n.Requires.Check(k.Capabilities) != nil:
		return ReasonRequired
	case n.GPU: // none has one yet
		return ReasonGPU
	}
	return ""
}
