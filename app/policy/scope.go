package policy

import (
	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// scope are the entities that who acts and what it is about have to be in for a rule: where
// they are not, the rule is not evaluated. A decision has to be quick with hundreds of rules, and
// most are about something else. It is only what the scope of the rule says (between its first
// brackets), which never fails.
type scope struct {
	who, what   types.EntityUID
	hasWho, has bool
}

func scopeIn(p *cedar.Policy) (s scope) {
	tree := (*ast.Policy)(p.AST())
	s.who, s.hasWho = named(tree.Principal)
	s.what, s.has = named(tree.Resource)
	return s
}

// named is the entity that a scope names, alone or with all that is in it.
func named(node any) (types.EntityUID, bool) {
	switch n := node.(type) {
	case ast.ScopeTypeEq:
		return n.Entity, true
	case ast.ScopeTypeIn:
		return n.Entity, true
	case ast.ScopeTypeIsIn:
		return n.Entity, true
	}
	return types.EntityUID{}, false
}

// holds reports whether a rule with the scope can hold.
func (s scope) holds(w *world) bool {
	return (!s.hasWho || w.in(s.who)) && (!s.has || w.in(s.what))
}
