package policy

import (
	"iter"
	"slices"
	"strconv"
	"time"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// Rules are all layers at one moment. It does not change.
type Rules struct {
	layers [3][]compiled // managed, yours, default
	files  [2]RuleFile
	places []place
	alters bool // a written rule is about changing or deleting files, so that each change has to be asked about
	timed  bool // as of Timed
	faults []RuleFault
}

// order is that of Rules.layers.
var order = [3]Layer{Managed, Yours, Default}

// RuleFile is a file of rules.
type RuleFile struct {
	Layer Layer      `json:"layer" enum:"managed,yours"`
	Path  string     `json:"path"`
	There bool       `json:"there" doc:"the file exists"`
	Fault *RuleFault `json:"fault,omitempty"`
}

// RuleMatch is a rule that is about a request.
type RuleMatch struct {
	Layer  Layer  `json:"layer" enum:"managed,yours,default"`
	Rule   string `json:"rule"`
	Effect Effect `json:"effect" enum:"allow,ask,deny"`
	Failed string `json:"failed,omitempty" doc:"why it could not be evaluated; it counts all the same, unless it allows"`
	hard   bool
	text   string // as of Decision
}

// Alters reports whether a written rule may refuse or ask about changes of files.
func (s *Rules) Alters() bool { return s.alters }

// Connects is a written rule that may refuse or ask about hosts, where there is one.
func (s *Rules) Connects() (Decision, bool) {
	for i := range s.layers[:2] {
		for n := range s.layers[i] {
			if c := &s.layers[i][n]; c.stricter(Connect) {
				return Decision{Effect: Deny, Rule: c.ID, Layer: c.Layer}, true
			}
		}
	}
	return Decision{}, false
}

// Files are those of the written layers.
func (s *Rules) Files() []RuleFile { return s.files[:] }

// Fault is the first of a file, nil for none.
func (s *Rules) Fault() *RuleFault {
	if len(s.faults) == 0 {
		return nil
	}
	f := s.faults[0]
	return &f
}

// All are the rules of all layers.
func (s *Rules) All() []WrittenRule {
	out := []WrittenRule{}
	for i := range s.layers {
		for _, c := range s.layers[i] {
			out = append(out, c.WrittenRule)
		}
	}
	return out
}

// Decide answers a request.
func (s *Rules) Decide(r Request, now time.Time) Decision {
	if len(s.faults) > 0 {
		f := s.faults[0]
		return Decision{Effect: Deny, Fault: &f}
	}
	resource, ok := r.resource(s.places)
	if !ok {
		return Decision{Effect: Deny}
	}
	return s.decide(&r, resource, now, nil)
}

// Explain answers a request, and says which rules are about it. heard may be nil.
func (s *Rules) explain(r Request, now time.Time) (Decision, []RuleMatch) {
	all := []RuleMatch{}
	resource, ok := r.resource(s.places)
	if !ok || len(s.faults) > 0 {
		return s.Decide(r, now), all
	}
	d := s.decide(&r, resource, now, func(m RuleMatch) { all = append(all, m) })
	return d, all
}

// decide weighs all layers. heard, where it is not nil, hears each rule that is about the
// request; without it a forbid ends the search.
func (s *Rules) decide(r *Request, resource types.Entity, now time.Time, heard func(RuleMatch)) Decision {
	w := &world{principal: r.principal(), resource: resource}
	q := cedar.Request{
		Principal: w.principal.UID, Action: types.NewEntityUID(typeAction, types.String(r.Action)), Resource: resource.UID, Context: r.context(now),
	}
	var of [3][3]*RuleMatch // by layer and effect: the first
	hard := (*RuleMatch)(nil)
	for i, layer := range order {
		for _, f := range evaluated(s.layers[i], r.Action, w, q) {
			c := &s.layers[i][f.n]
			m := &RuleMatch{Layer: layer, Rule: c.ID, Effect: c.Effect, Failed: f.failed, hard: c.Hard, text: c.text}
			if heard != nil {
				heard(*m)
			}
			if of[i][c.Effect.rank()] == nil {
				of[i][c.Effect.rank()] = m
			}
			if c.Hard && hard == nil {
				hard = m
			}
		}
		if of[i][Deny.rank()] != nil && heard == nil {
			return of[i][Deny.rank()].decision()
		}
	}
	for _, m := range []*RuleMatch{
		of[0][2], of[1][2], of[2][2], // who forbids
		of[0][1], of[1][1], hard, // who has a person asked
		of[0][0], of[1][0], // who allows
		of[2][1], of[2][0],
	} {
		if m != nil {
			return m.decision()
		}
	}
	return Decision{Effect: Deny}
}

func (m *RuleMatch) decision() Decision {
	return Decision{Effect: m.Effect, Rule: m.Rule, Layer: m.Layer, text: m.text}
}

// concerns reports whether the scope of a rule has an action. It is asked first: most rules
// are about another one.
func (r *WrittenRule) concerns(a Action) bool {
	return len(r.Sentence.Actions) == 0 || slices.Contains(r.Sentence.Actions, string(a))
}

// finding is a rule that is about a request, by its number in its layer.
type finding struct {
	n      int
	failed string // why it could not be evaluated
}

// evaluated are the rules of a layer that are about a request, in their order. One that fails
// as it is evaluated counts, unless it allows.
func evaluated(layer []compiled, a Action, w *world, q cedar.Request) (out []finding) {
	for _, effect := range []cedar.Effect{cedar.Forbid, cedar.Permit} { // cedar names what permits only where nothing forbids
		_, why := cedar.Authorize(part{layer, a, effect, w}, w, q)
		for _, r := range why.Reasons {
			n, _ := strconv.Atoi(string(r.PolicyID))
			out = append(out, finding{n: n})
		}
		for _, e := range why.Errors {
			n, _ := strconv.Atoi(string(e.PolicyID))
			if layer[n].Effect != Allow {
				out = append(out, finding{n, e.Message})
			}
		}
	}
	slices.SortFunc(out, func(a, b finding) int { return a.n - b.n })
	return out
}

// part are the rules of a layer that have an action in their scope, and an effect.
type part struct {
	layer  []compiled
	action Action
	effect cedar.Effect
	world  *world
}

// All implements cedar.PolicyIterator: a rule is called after its number. Those whose scope is
// about somebody or something else are left out: they would hold for nothing.
func (p part) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for n := range p.layer {
			c := &p.layer[n]
			if c.policy.Effect() == p.effect && c.concerns(p.action) && c.within.holds(p.world) && !yield(c.number, c.policy) {
				return
			}
		}
	}
}
