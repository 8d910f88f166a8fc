package model

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Alphabet is what histories are made of.
type Alphabet struct {
	Names   []string // in each of the two directories
	Task    []string // verbs; those that begin with # go through a handle
	Person  []string
	Worlds  []string
	MadeDir int // names in a directory that the task makes
}

// Full has every operation; Small those that change names, and writing through an old handle.
var (
	Full = Alphabet{Names: []string{"x", "y", "z"}, MadeDir: 1,
		Task: []string{"create", "write", "trunc", "append", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "chmod", "xattr", "utimes",
			"#write", "#trunc", "#append", "#chmod", "#xattr", "#utimes"},
		Person: []string{"save", "replace", "delete", "move", "new"},
		Worlds: []string{"one", "two", "hard", "sym", "ahead", "nested"}}
	Small = Alphabet{Names: []string{"x", "y"}, MadeDir: 1,
		Task:   []string{"create", "#write", "rename", "link", "unlink", "mkdir", "rmdir"},
		Person: []string{"save", "replace", "delete", "move", "new"},
		Worlds: []string{"one", "hard", "nested"}}
)

// places returns the names that steps are about: what is there, and of the names that never meant
// anything the first, because they are all alike.
func (m *folder) places(a *Alphabet) (taken, free []place) {
	for d := range m.nodes {
		if m.nodes[d].kind != dir || d != 0 && m.linkOf(d).now.dir < 0 {
			continue
		}
		names := a.Names
		switch {
		case d == 0:
			names = []string{"A", "B"}
		case m.nodes[d].origin != original:
			names = names[:min(a.MadeDir, len(names))]
		}
		fresh := false
		for _, name := range names {
			p := place{d, name}
			switch {
			case m.find(p) != nil:
				taken = append(taken, p)
			case slices.Contains(m.seen, p):
				free = append(free, p)
			case !fresh:
				fresh = true
				free = append(free, p)
			}
		}
	}
	return taken, free
}

// next returns the steps that somebody can do now, always in the same order.
func (m *folder) next(a *Alphabet, who byte, verbs []string) []Step {
	taken, free := m.places(a)
	var out []Step
	try := func(s Step) {
		if s.Who = who; m.can(s) {
			out = append(out, s)
		}
	}
	name := func(p place) string { s, _ := m.path(p); return s }
	for _, v := range verbs {
		switch v {
		case "create", "mkdir", "symlink", "new":
			for _, p := range free {
				try(Step{Verb: v, A: name(p)})
			}
		case "rename", "link", "move":
			for _, p := range taken {
				for _, q := range slices.Concat(taken, free) {
					if p != q {
						try(Step{Verb: v, A: name(p), B: name(q)})
					}
				}
			}
		default:
			if v[0] == '#' {
				for n := range m.nodes {
					if m.nodes[n].kind == file && m.nodes[n].origin != ofPerson {
						try(Step{Verb: v[1:], A: m.nodes[n].label, Handle: true})
					}
				}
				continue
			}
			for _, p := range taken {
				try(Step{Verb: v, A: name(p)})
			}
		}
	}
	return out
}

// keys are what a step is about: nodes and names of its own, and the directories that it goes through.
type keys struct {
	own     []place // {node, ""} is a node
	through []place
}

func (m *folder) keysOf(s Step) keys {
	var k keys
	if s.Handle {
		k.own = append(k.own, place{m.handle(s.A), ""})
		return k
	}
	for _, path := range []string{s.A, s.B} {
		p := m.put(path)
		if path == "" || p.dir < 0 {
			continue
		}
		k.own = append(k.own, p)
		if l := m.find(p); l != nil {
			k.own = append(k.own, place{l.node, ""})
		}
		for d := p.dir; d > 0; d = m.linkOf(d).now.dir {
			k.through = append(k.through, place{d, ""})
		}
	}
	return k
}

func (k keys) meets(o keys) bool {
	share := func(a, b []place) bool {
		return slices.ContainsFunc(a, func(p place) bool { return slices.Contains(b, p) })
	}
	return share(k.own, o.own) || share(k.own, o.through) || share(k.through, o.own)
}

// together reports whether steps cannot be parted into some that have nothing to do with the others:
// such a history is two shorter ones.
func together(all []keys) bool {
	met, todo := map[int]bool{0: true}, []int{0}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for j := range all {
			if !met[j] && all[i].meets(all[j]) {
				met[j], todo = true, append(todo, j)
			}
		}
	}
	return len(met) == len(all)
}

// endings are what is done in the end: of a short history there and back and in parts, else one of both.
func endings(short bool, hash uint64) [][]string {
	there := []string{"undo", "redo", "undo"}
	part := []string{"part " + strconv.Itoa(int(hash%2)), "undo", "redo", "undo"} //nolint:gosec // 0 or 1
	switch {
	case short:
		return [][]string{there, part}
	case hash/2%3 == 0:
		return [][]string{part}
	}
	return [][]string{there}
}

// begin returns a world after its prologue.
func begin(w World) (*folder, []Step) {
	m := w.folder()
	var steps []Step
	for _, text := range w.Prologue {
		h, _ := Parse(w.Name + ": " + text)
		m.apply(h.Steps[0])
		steps = append(steps, h.Steps[0])
	}
	m.steps = 0
	return m, steps
}

// Set is a set of short histories. A task makes up to Steps steps; with Person, a person may make one.
type Set struct {
	Alphabet
	Steps  int
	Person bool
}

// Every are the sets that ./scripts/test all plays. Of the large ones it plays a shard.
var (
	Every = []Set{{Full, 3, false}, {Full, 2, true}, {Small, 4, false}, {Small, 3, true}}
	Large = []Set{{Full, 3, true}, {Small, 4, true}}
)

// Each yields the histories of one shard of a set. It yields one of several histories that differ only in
// names, or in the order of two neighbouring steps about different files. It leaves out a history that
// consists of two independent shorter ones.
func (s Set) Each(shard, shards uint64) iter.Seq[History] {
	return func(yield func(History) bool) {
		for _, name := range s.Worlds {
			w, _ := worldNamed(name)
			m, _ := begin(w)
			e := &enumeration{a: &s.Alphabet, n: s.Steps, person: s.Person, world: w, play: func(h History, sum uint64) bool {
				return sum%shards != shard || yield(h)
			}}
			if !e.from(m, nil, nil, false) {
				return
			}
		}
	}
}

type enumeration struct {
	a      *Alphabet
	n      int
	person bool
	play   func(h History, sum uint64) bool
	world  World
}

func (e *enumeration) from(m *folder, steps []Step, about []keys, edited bool) bool {
	tasks := len(steps)
	if edited {
		tasks--
	}
	if tasks > 0 && together(about) && !(steps[0].Who == 'p' && !slices.ContainsFunc(steps, func(s Step) bool { return s.Handle })) {
		h := History{World: e.world, Steps: slices.Clone(steps)}
		sum := fnv.New64a()
		sum.Write([]byte(h.String()))
		for _, end := range endings(tasks < 3, sum.Sum64()) {
			h.End = end
			if !e.play(h, sum.Sum64()>>8) {
				return false
			}
		}
	}
	do := func(s Step) bool {
		next := m.clone()
		k := m.keysOf(s)
		if last := len(steps) - 1; last >= 0 && !k.meets(about[last]) && s.String() < steps[last].String() {
			return true // the other order is played
		}
		if !next.apply(s) {
			return true
		}
		if s.Verb == "create" || s.Verb == "mkdir" || s.Verb == "symlink" || s.Verb == "new" || s.Verb == "replace" {
			k.own = append(k.own, place{len(next.nodes) - 1, ""})
		}
		return e.from(next, append(steps[:len(steps):len(steps)], s), append(about[:len(about):len(about)], k), edited || s.Who == 'p')
	}
	if tasks < e.n {
		for _, s := range m.next(e.a, 't', e.a.Task) {
			if !do(s) {
				return false
			}
		}
	}
	if e.person && !edited {
		for _, s := range m.next(e.a, 'p', e.a.Person) {
			if !do(s) {
				return false
			}
		}
	}
	return true
}

// Pick is what a random history is made of.
type Pick func(n int) int

// draw returns a step that may be possible.
func (m *folder) draw(a *Alphabet, verb string, pick Pick) Step {
	if verb[0] == '#' {
		return Step{Verb: verb[1:], A: m.nodes[pick(len(m.nodes))].label, Handle: true}
	}
	taken, free := m.places(a)
	name := func(list []place) string {
		if len(list) == 0 {
			return "?/?" // which is nowhere
		}
		s, _ := m.path(list[pick(len(list))])
		return s
	}
	switch verb {
	case "create", "mkdir", "symlink", "new":
		return Step{Verb: verb, A: name(free)}
	case "rename", "link", "move":
		return Step{Verb: verb, A: name(taken), B: name(slices.Concat(taken, free))}
	}
	return Step{Verb: verb, A: name(taken)}
}

// Chances are of what may happen in a random history besides what the task does: once in so many
// steps, 0 is never.
type Chances struct {
	Person, Control int
	Two             bool
}

// Walk returns a random history of an alphabet with n steps of the task, without an end.
func Walk(a Alphabet, n int, c Chances, pick Pick) History {
	w, _ := worldNamed(a.Worlds[pick(len(a.Worlds))])
	m, _ := begin(w)
	h := History{World: w}
	add := func(who byte, verbs []string) {
		for range 100 { // a verb may have no place
			s := m.draw(&a, verbs[pick(len(verbs))], pick)
			if s.Who = who; m.apply(s) {
				h.Steps = append(h.Steps, s)
				return
			}
		}
	}
	one := func(chance int) bool { return chance > 0 && pick(chance) == 0 }
	for range n {
		if one(c.Person) {
			add('p', a.Person)
		}
		if one(c.Control) {
			s := Step{Who: 'c', Verb: []string{"restart", "list"}[pick(2)]}
			m.apply(s)
			h.Steps = append(h.Steps, s)
		}
		who := byte('t')
		if c.Two && pick(2) == 0 {
			who = '2'
		}
		add(who, a.Task)
	}
	if c.Person > 0 && pick(3) == 0 {
		add('p', a.Person)
	}
	return h
}

// Random returns a Pick with a seed.
func Random(seed uint64) Pick {
	r := rand.New(rand.NewPCG(seed, 61)) //nolint:gosec // a test's choice
	return r.IntN
}

// Short returns a random one of the histories that Each has.
func Short(pick Pick) History {
	a, n := Full, 1+pick(3)
	if pick(3) == 0 {
		a, n = Small, 2+pick(3)
	}
	c := Chances{}
	if pick(3) > 0 {
		c.Person = n
	}
	h := Walk(a, n, c, pick)
	h.End = [][]string{{"undo", "redo", "undo"}, {"part 0", "undo", "redo", "undo"}, {"part 1", "undo"}}[pick(3)]
	return h
}

// Long is the alphabet of random histories: everything, in more names and directories.
var Long = Alphabet{Names: []string{"x", "y", "z", "w"}, MadeDir: 2, Task: Full.Task, Person: Full.Person,
	Worlds: []string{"one", "two", "hard", "sym", "ahead", "nested", "big"}}

// Front is the alphabet of what a guest asks for by paths, or of content through an open file.
var Front = Alphabet{Names: Full.Names, MadeDir: 1, Person: Full.Person, Worlds: Full.Worlds,
	Task: []string{"create", "write", "trunc", "append", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "chmod", "utimes", "#write", "#trunc", "#append"}}

// OfFront returns a random short history of Front.
func OfFront(pick Pick) History {
	n := 1 + pick(4)
	h := Walk(Front, n, Chances{Person: []int{0, n}[pick(2)]}, pick)
	h.End = []string{"undo", "redo", "undo"}
	return h
}

// Any returns a random history of up to n steps: of one task or two, with a person or without, with
// restarts, with a crash while the task works or while it is undone.
func Any(n int, pick Pick) History {
	size := 1 + pick(min(n, 6))
	switch pick(8) {
	case 0:
		size = 1 + pick(n)
	case 1, 2:
		size = 1 + pick(min(n, 40))
	}
	c := Chances{Person: []int{0, 0, 3, 10}[pick(4)], Control: []int{0, 0, 5}[pick(3)], Two: pick(5) == 0}
	h := Walk(Long, size, c, pick)
	if c.Two {
		h.End = [][]string{{"undo 2", "undo"}, {"undo", "undo 2", "undo"}, {"undo", "undo 2"}}[pick(3)]
		return h
	}
	if i := len(h.Steps) - 1; i >= 0 && h.Steps[i].Who == 't' && pick(6) == 0 {
		h.Steps = slices.Insert(h.Steps, i, Step{Who: 'c', Verb: []string{"kill", "cut"}[pick(2)], A: strconv.Itoa(pick(40))})
		renumber(h.Steps[i+1:], i+1)
	}
	die := func(what string) string {
		if pick(3) > 0 {
			return what
		}
		return what + " !" + strconv.Itoa(1+pick(40))
	}
	switch pick(4) {
	case 0:
		h.End = []string{die("part " + strconv.Itoa(pick(5))), "part " + strconv.Itoa(pick(5)), die("undo")}
	case 1:
		h.End = []string{die("undo")}
	case 2:
		h.End = []string{die("undo"), die("redo")}
	default:
		h.End = []string{"undo", die("redo"), die("undo"), "redo"}
	}
	h.End = append(h.End, "undo")
	return h
}

// renumber gives steps the labels that follow from one more step, the n-th.
func renumber(steps []Step, n int) {
	for i := range steps {
		if k, err := strconv.Atoi(steps[i].A); err == nil && steps[i].Handle && k >= n {
			steps[i].A = strconv.Itoa(k + 1)
		}
	}
}
