package vmhost

import (
	"fmt"
	"slices"
	"strings"

	"piwork/pack/lazyregexp"
)

// Ability is something that only some places can do.
type Ability string

// Abilities.
const (
	AbilityTools     Ability = "tools"              // it has the operations of the pack
	AbilityReadOnly  Ability = "read-only"          // it holds folders read-only
	AbilityLimits    Ability = "limits"             // it keeps limits of memory and of processor time
	AbilityOffline   Ability = "no-network"         // it keeps programs from every network
	AbilityAllowlist Ability = "restricted-network" // it lets programs reach named hosts only
	AbilityGPU       Ability = "gpu"                // it has a graphics card for programs; no place has one yet
)

// Abilities are what a place with these capabilities can do.
func (c Capabilities) Abilities() (out []Ability) {
	for _, a := range []struct {
		name Ability
		has  bool
	}{
		{AbilityTools, c.Tools}, {AbilityReadOnly, c.ReadOnly}, {AbilityLimits, c.Limits.CPU && c.Limits.Memory},
		{AbilityOffline, slices.Contains(c.Networks, NetworkDeny)}, {AbilityAllowlist, slices.Contains(c.Networks, NetworkRestricted)},
	} {
		if a.has {
			out = append(out, a.name)
		}
	}
	return out
}

// isolations are in their order, the strongest first. A machine that is emulated is kept
// apart as well as one that is not: what differs is speed.
var isolations = map[Isolation]int{IsolationHardware: 0, IsolationEmulated: 0, IsolationNamespace: 1, IsolationNone: 2}

// Weaker reports whether a place keeps less apart than another one. What is unknown keeps
// nothing apart.
func (i Isolation) Weaker(than Isolation) bool {
	rank := func(i Isolation) int {
		if n, ok := isolations[i]; ok {
			return n
		}
		return isolations[IsolationNone]
	}
	return rank(i) > rank(than)
}

// Requirement is what an action needs of the place where it is done, whatever that place is
// chosen for otherwise. The zero value needs nothing.
type Requirement struct {
	Kinds   []string  `json:"kinds,omitempty" maxItems:"16" doc:"the only kinds of places that will do, such as vm and container; remote and kubernetes are each of theirs"`
	AtLeast Isolation `json:"atLeast,omitempty" enum:"hardware,emulated,namespace,none" doc:"how well it has to keep programs apart"`
	Can     []Ability `json:"can,omitempty" maxItems:"8" enum:"tools,read-only,limits,no-network,restricted-network,gpu" doc:"what it has to be able to do"`
}

// Words that a requirement is said with, beside the names of kinds.
var (
	isolationWords = []Isolation{IsolationHardware, IsolationEmulated, IsolationNamespace, IsolationNone}
	abilityWords   = []Ability{AbilityTools, AbilityReadOnly, AbilityLimits, AbilityOffline, AbilityAllowlist, AbilityGPU}
)

// kindName is a kind of place; remote and kubernetes can name one of theirs.
var kindName = lazyregexp.New(`^(vm|sandbox|container|host|(remote|kubernetes)(:[a-z0-9][a-z0-9-]{0,30})?)$`)

// RequirementWords are all words that [Requirement.Add] knows.
func RequirementWords() []string {
	out := []string{KindVM, KindSandbox, KindContainer, KindHost, KindRemote + "[:NAME]", KindKubernetes + "[:NAME]"}
	for _, i := range isolationWords {
		out = append(out, string(i))
	}
	for _, a := range abilityWords {
		out = append(out, string(a))
	}
	return out
}

// Add requires what a word says, too; false is that there is no such word. Everything that
// was added has to hold; of kinds, one.
func (r *Requirement) Add(word string) bool {
	switch {
	case slices.Contains(isolationWords, Isolation(word)):
		if i := Isolation(word); r.AtLeast == "" || r.AtLeast.Weaker(i) {
			r.AtLeast = i
		}
	case slices.Contains(abilityWords, Ability(word)):
		r.Can = append(r.Can, Ability(word))
	case kindName().MatchString(word):
		r.Kinds = append(r.Kinds, word)
	default:
		return false
	}
	return true
}

// Words say the requirement as [Requirement.Add] takes it.
func (r *Requirement) Words() (out []string) {
	if r == nil {
		return nil
	}
	out = append(out, r.Kinds...)
	if r.AtLeast != "" {
		out = append(out, string(r.AtLeast))
	}
	for _, a := range r.Can {
		out = append(out, string(a))
	}
	return out
}

// What a place lacks: RequirementError.Lacks, beside the abilities.
const (
	LacksKind      = "kind"
	LacksIsolation = "isolation"
)

// RequirementError is that an action was refused, since the place where it was to be done
// does not have what it needs. Nothing of it was done.
type RequirementError struct {
	Runtime string // Capabilities.Name
	Lacks   string
	Kinds   []string  // the only ones that would do, of LacksKind
	AtLeast Isolation // what would do, of LacksIsolation
	Rule    bool      // it was Action.Rule that was not met
}

func (e *RequirementError) Error() string {
	return fmt.Sprintf("the action needs another place than %s: %s", e.Runtime, e.Lacks)
}

// Check returns a *RequirementError for the first thing that a place with these capabilities
// does not have.
func (r Requirement) Check(c Capabilities) *RequirementError {
	family, _, _ := strings.Cut(c.Name, ":")
	var lacks string
	switch {
	case len(r.Kinds) > 0 && !slices.Contains(r.Kinds, c.Name) && !slices.Contains(r.Kinds, family):
		lacks = LacksKind
	case r.AtLeast != "" && c.Isolation.Weaker(r.AtLeast):
		lacks = LacksIsolation
	default:
		can := c.Abilities()
		i := slices.IndexFunc(r.Can, func(a Ability) bool { return !slices.Contains(can, a) })
		if i < 0 {
			return nil
		}
		lacks = string(r.Can[i])
	}
	e := &RequirementError{Runtime: c.Name, Lacks: lacks}
	switch lacks {
	case LacksKind:
		e.Kinds = r.Kinds
	case LacksIsolation:
		e.AtLeast = r.AtLeast
	}
	return e
}

// Meets returns a *RequirementError where a place with these capabilities is not what the
// action requires.
func (a Action) Meets(c Capabilities) error {
	if err := a.Requires.Check(c); err != nil {
		return err
	}
	if err := a.Rule.Check(c); err != nil {
		err.Rule = true
		return err
	}
	return nil
}
