package policy

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"time"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// Batch answers many requests about paths, for one who asks and one condition: 10,000 changes
// of a task that are undone at once. Where no rule looks at more of a path than what it is in,
// a directory is decided once for all that is directly in it.
type Batch struct {
	s     *Rules
	at    time.Time
	plain bool
	ids   map[types.String]bool // of the places that rules name
	kin   map[string][]types.EntityUID
	known map[dirAction]Decision
}

type dirAction struct {
	dir    string
	action Action
}

// Batch begins one. It is for one goroutine.
func (s *Rules) Batch(at time.Time) *Batch {
	b := &Batch{s: s, at: at, plain: true, ids: map[types.String]bool{}, kin: map[string][]types.EntityUID{}, known: map[dirAction]Decision{}}
	for i := range s.layers[:2] {
		b.plain = b.plain && !slices.ContainsFunc(s.layers[i], func(c compiled) bool { return c.looks && (c.concerns(Write) || c.concerns(Delete)) })
	}
	for _, p := range s.places {
		b.ids[types.String(p.id)] = true
	}
	return b
}

// Decide answers a request of the batch: it differs from the others in its action and its path
// alone.
func (b *Batch) Decide(r Request) Decision {
	id := PathID(r.Path)
	if id == "" || len(b.s.faults) > 0 || r.Action != Write && r.Action != Delete {
		return b.s.Decide(r, b.at)
	}
	own := same(r.Path, b.s.places) // it can be named itself, or be another name of what is
	key := dirAction{path.Dir(id), r.Action}
	alike := b.plain && len(own) == 0 && !b.ids[types.String(id)]
	if alike {
		if d, ok := b.known[key]; ok {
			return d
		}
	}
	up, ok := b.kin[key.dir]
	if !ok {
		up = kin(filepath.Dir(filepath.Clean(r.Path)), b.s.places)
		b.kin[key.dir] = up
	}
	d := b.s.decide(&r, pathEntity(id, slices.Concat(own, up)), b.at, nil)
	if alike {
		b.known[key] = d
	}
	return d
}

// looksAt reports whether the conditions of a rule are about the resource: about more of it
// than its scope says.
func looksAt(p *cedar.Policy) bool {
	scope := *p.AST()
	scope.Conditions = nil
	word := []byte("resource")
	return bytes.Count(p.MarshalCedar(), word) > bytes.Count(cedar.NewPolicyFromAST(&scope).MarshalCedar(), word)
}
