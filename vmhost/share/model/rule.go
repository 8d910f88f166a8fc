package model

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Problem is one breach of the rule.
type Problem struct{ Kind, Path, Detail string }

// Kinds of problems.
const (
	Lost      = "lost"       // a content of the person is neither in the folder nor given out by a journal
	TakenAway = "taken away" // what the person made last is not in the folder, and that is not said
	NotBack   = "not back"   // the journal has it, the folder does not, and nothing of the person is in its place
	Differs   = "differs"    // mode, time, attributes, links
	LeftOver  = "left over"
	Unsaid    = "unsaid" // it is not as before, and the report does not name it
	Untrue    = "untrue" // a word of the report
	Needless  = "needless conflict"
	Listed    = "still listed"
	Hangs     = "hangs"
	Fails     = "fails"   // an undo or a redo has an error
	Refused   = "refused" // a step of the task
	WrongNow  = "wrong while the task ran"
	NotRedo   = "redo differs"
)

// grave reports whether a problem costs a person something, or undo does not end.
func (p Problem) grave() bool {
	switch p.Kind {
	case Lost, TakenAway, Hangs, Fails, WrongNow:
		return true
	}
	return p.Kind == LeftOver && strings.Contains(p.Path, ".piwork") // what stays under a name that nobody knows
}

// ruling compares a folder with the rule.
type ruling struct {
	m         *folder
	before    tree
	now       tree
	said      map[string]bool
	kept      func(data string) bool // a journal gives it out
	matched   map[string]int         // path on the disk → link
	displaced map[int]bool           // nodes that cannot go back
	problems  []Problem
	known     [choices][][]string // what dirPaths returned, by directory
}

func (r *ruling) fail(kind, path, format string, args ...any) {
	r.problems = append(r.problems, Problem{kind, path, fmt.Sprintf(format, args...)})
}

// exact holds a tree to another, to the time of each file, and of each directory if dirTimes.
func exact(want, now tree, dirTimes bool) string {
	var b strings.Builder
	for _, p := range want.paths() {
		w, n := want[p], now[p]
		if w.kind == dir && n.kind == dir && !dirTimes {
			w.mtime = n.mtime
		}
		if n.kind == 0 {
			fmt.Fprintf(&b, "%q: not back: %s\n", p, w)
		} else if w.kind != n.kind || w.state != n.state {
			fmt.Fprintf(&b, "%q: differs: want %s, is %s\n", p, w, n)
		}
		for q, v := range want {
			if p < q && v.kind != dir && n.kind != 0 && now[q].kind != 0 && (v.ino == w.ino) != (now[p].ino == now[q].ino) {
				fmt.Fprintf(&b, "%q and %q: links\n", p, q)
			}
		}
	}
	for _, p := range now.paths() {
		if _, ok := want[p]; !ok {
			fmt.Fprintf(&b, "%q: left over: %s\n", p, now[p])
		}
	}
	return b.String()
}

// A choice gives the places that a directory may be in, so that the paths below it are known.
type choice int

const (
	nows   choice = iota // where it is when the task has ended
	ideals               // where it is when all is undone
	ever                 // where it has been at any time
	homes                // where it was before the task
	choices
)

// pathsMost is how many paths of one directory are looked at: the shortest.
const pathsMost = 50

// pathsBy returns the paths that a place may have by the places that its directories may be in.
func (r *ruling) pathsBy(p place, by choice) []string {
	switch {
	case p.dir < 0:
		return nil
	case p.dir == 0:
		return []string{p.name}
	}
	if r.known[by] == nil {
		r.known[by] = r.dirPaths(by)
	}
	var out []string
	for _, d := range r.known[by][p.dir] {
		out = append(out, d+"/"+p.name)
	}
	return out
}

// dirPaths returns the paths of each directory, those by its first place first. It goes one level down at a
// time: directories that were in each other by turns have paths without end.
func (r *ruling) dirPaths(by choice) [][]string {
	type orders map[string]string // path → which of its places each directory on the way has there, the last directory first
	out := make([][]string, len(r.m.nodes))
	all := make([]orders, len(r.m.nodes))
	level := map[int]orders{0: {"": ""}}
	for n := 0; n < len(r.m.nodes) && len(level) > 0; n++ {
		next := map[int]orders{}
		for d := 1; d < len(r.m.nodes); d++ {
			room := pathsMost - len(all[d])
			if r.m.nodes[d].kind != dir || room <= 0 {
				continue
			}
			found := orders{}
			for k, q := range r.placesOf(d, by) {
				for up, order := range level[q.dir] {
					rel, order := path.Join(up, q.name), string(rune(k))+order
					if old, ok := found[rel]; !ok || order < old {
						found[rel] = order
					}
				}
			}
			list := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Compare(found[a], found[b]) })
			for _, rel := range list[min(len(list), room):] {
				delete(found, rel)
			}
			if len(found) > 0 {
				next[d] = found
			}
		}
		for d, found := range next {
			if all[d] == nil {
				all[d] = orders{}
			}
			maps.Copy(all[d], found)
		}
		level = next
	}
	for d, found := range all {
		out[d] = slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Compare(found[a], found[b]) })
	}
	return out
}

// placesOf returns the places that a directory may be in.
func (r *ruling) placesOf(d int, by choice) []place {
	l := r.m.linkOf(d)
	switch by {
	case nows:
		return []place{l.now}
	case ideals:
		return r.ideal(l)
	case homes:
		return []place{l.home}
	}
	return append(l.been[:len(l.been):len(l.been)], l.home)
}

// say adds to what the report names.
func (r *ruling) say(p string) {
	r.said[p], r.known[ideals] = true, nil
}

// ideal are the places of a directory when all is undone, those that have to be said included.
func (r *ruling) ideal(l *link) []place {
	switch {
	case l.removed && l.home.dir < 0:
		return []place{l.last}
	case l.removed:
		return []place{l.home, l.last}
	case l.theirs.dir >= 0:
		return []place{l.theirs}
	case l.home.dir < 0:
		return []place{l.now, l.last}
	case l.now != l.home && r.saysLink(l):
		return []place{l.home, l.now}
	}
	return []place{l.home}
}

// paths are all by which a report may name a link.
func (r *ruling) paths(l *link) []string {
	var out []string
	for _, p := range slices.Concat(l.been, []place{l.home, l.editedAt}) {
		out = append(out, r.pathsBy(p, ever)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pathsOf are all by which a report may name a node.
func (r *ruling) pathsOf(n int) []string {
	var out []string
	for i := range r.m.links {
		if r.m.links[i].node == n {
			out = append(out, r.paths(&r.m.links[i])...)
		}
	}
	return out
}

// saysLink reports whether the report names a link or, of what the person edited, another name.
func (r *ruling) saysLink(l *link) bool {
	if len(r.said) == 0 {
		return false
	}
	for i := range r.m.links {
		if o := &r.m.links[i]; (o == l || o.node == l.node && r.m.nodes[l.node].edited) && r.says(r.paths(o)...) {
			return true
		}
	}
	return false
}

func (r *ruling) says(paths ...string) bool {
	for _, p := range paths {
		for ; p != "." && p != "/"; p = path.Dir(p) {
			if r.said[p] {
				return true
			}
		}
	}
	return false
}

// want returns the state that a node must have after undo.
func (o *node) want() state {
	s := o.before
	switch {
	case o.origin == ofTask:
		s = o.now
		s.mtime = 0
	case o.origin == original && o.edited:
		s.mtime = o.newest.mtime
	}
	if o.edited {
		s.data, s.mtime = o.newest.data, o.newest.mtime
	}
	return s
}

// needed reports whether a link has to be in the folder when all is undone.
func (r *ruling) needed(l *link) bool {
	o := &r.m.nodes[l.node]
	if l.removed || o.kind == dir || o.destroyed || l.origin == ofTask && l.now.dir < 0 {
		return false
	}
	return l.theirs.dir >= 0 || l.home.dir >= 0
}

// judge holds the folder to the rule.
func (r *ruling) judge() []Problem {
	r.known = [choices][][]string{}
	r.matched, r.displaced = map[string]int{}, map[int]bool{}
	order := make([]int, len(r.m.links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.m.links[b].when - r.m.links[a].when })
	order = slices.DeleteFunc(order, func(i int) bool { return !r.needed(&r.m.links[i]) || r.inPlace(i) })
	for n := -1; n != len(order); { // where one cannot go back, others cannot
		n = len(order)
		order = slices.DeleteFunc(order, func(i int) bool { return r.judgeLink(i, false) })
	}
	for _, i := range order {
		r.judgeLink(i, true)
	}
	for n := range r.m.nodes {
		if o := &r.m.nodes[n]; o.kind == file && o.edited && o.origin == ofTask {
			r.judgeEdited(n)
		}
	}
	r.judgeDirs()
	r.judgeRest()
	return r.problems
}

func (r *ruling) same(p string, o *node, data string) bool {
	e, ok := r.now[p]
	return ok && e.kind == o.kind && e.data == data
}

// places are where a link has to be.
func (r *ruling) places(l *link) []string {
	if l.theirs.dir >= 0 {
		return r.pathsBy(l.theirs, ideals)
	}
	return r.pathsBy(l.home, ideals)
}

// inPlace finds a link where it has to be.
func (r *ruling) inPlace(i int) bool {
	l := &r.m.links[i]
	o := &r.m.nodes[l.node]
	want, ideal := o.want(), r.places(l)
	for _, p := range ideal {
		j, other := r.matched[p]
		if other && r.m.links[j].node == l.node { // two names became one
			return true
		}
		if !other && r.same(p, o, want.data) {
			r.matched[p] = i
			r.attributes(p, l, o, want)
			return true
		}
		if !other && o.edited && l.now.dir < 0 && r.same(p, o, o.before.data) { // edited when this name was gone
			r.matched[p] = i
			return true
		}
	}
	if l.theirs.dir >= 0 && !o.edited && r.saysLink(l) { // the person moved it: its content may be as the task left it
		for _, p := range ideal {
			if r.same(p, o, o.now.data) {
				r.matched[p] = i
				return true
			}
		}
	}
	return false
}

// judgeLink decides about a link that inPlace did not find. It returns true when the person's edits explain
// that and the report names it; otherwise, with last, it records a problem.
func (r *ruling) judgeLink(i int, last bool) bool {
	l := &r.m.links[i]
	o := &r.m.nodes[l.node]
	want, ideal := o.want(), r.places(l)
	var stay []string
	for k := range r.m.links {
		if s := &r.m.links[k]; s.node == l.node {
			stay = append(append(stay, r.pathsBy(s.now, nows)...), r.pathsBy(s.editedAt, nows)...)
			stay = append(append(stay, r.pathsBy(s.now, ideals)...), r.pathsBy(s.editedAt, ideals)...)
		}
	}
	safe := r.now.has(want.data) || o.kind == symlink || r.kept(want.data)
	said := r.saysLink(l)
	if said && safe {
		if o.edited || r.taken(ideal) || r.homeless(l) || r.mixed(l) || r.busy() {
			r.displaced[l.node] = true
			for _, p := range stay {
				if _, other := r.matched[p]; !other && (r.same(p, o, want.data) || r.same(p, o, o.now.data)) {
					r.matched[p] = i
				}
			}
			return true
		}
	}
	if last {
		kind := NotBack
		switch {
		case !safe:
			kind = Lost
		case o.edited && !r.now.has(want.data):
			kind = TakenAway
		case !said:
			kind = Unsaid
		}
		r.fail(kind, first(ideal), "%.60q of %v", want.data, r.paths(l))
	}
	return false
}

// taken reports whether something of the person is where one of the paths is, or no directory is there.
func (r *ruling) taken(paths []string) bool {
	for _, p := range paths {
		if i, ok := r.matched[p]; ok && i >= 0 && (r.m.links[i].theirs.dir >= 0 || r.m.nodes[r.m.links[i].node].edited || r.displaced[r.m.links[i].node]) {
			return true
		}
		if d := path.Dir(p); d != "." && r.now[d].kind != dir {
			return true
		}
		if e, ok := r.now[p]; ok && (e.kind == dir || r.anyone(e.data) || r.last(e.data)) {
			return true
		}
	}
	return len(paths) == 0
}

// anyone reports whether some content is the newest of the person's.
func (r *ruling) anyone(data string) bool {
	return slices.ContainsFunc(r.m.nodes, func(o node) bool { return o.edited && o.newest.data == data })
}

// last reports whether a content belongs to a file of which the person removed a name. Undo leaves such a
// file its last name, which may be in the way of a directory.
func (r *ruling) last(data string) bool {
	return slices.ContainsFunc(r.m.links, func(l link) bool { return l.removed && r.m.nodes[l.node].before.data == data })
}

// mixed reports whether the person had a hand in where a link or its directories are.
func (r *ruling) mixed(l *link) bool {
	if l.removed || l.theirs.dir >= 0 {
		return true
	}
	for _, p := range append(l.been[:len(l.been):len(l.been)], l.home) {
		for k := 0; p.dir > 0 && k <= len(r.m.nodes); k++ {
			d := r.m.linkOf(p.dir)
			if d.theirs.dir >= 0 || d.removed {
				return true
			}
			p = d.home
		}
	}
	return false
}

func first(paths []string) string {
	if len(paths) == 0 {
		return "?"
	}
	return paths[0]
}

// attributes holds what was found to mode, time, attributes and links.
func (r *ruling) attributes(p string, l *link, o *node, want state) {
	e := r.now[p]
	got := e.state
	if want.mtime == 0 {
		got.mtime = 0
	}
	asMoved := o.origin == ofTask && l.theirs.dir >= 0 && got.mode == o.moved.mode && got.xattr == o.moved.xattr
	if got != want && !asMoved && !((o.edited || r.mixed(l) || o.origin == ofTask) && r.saysLink(l)) {
		r.fail(Differs, p, "want %04o %d %q, is %04o %d %q", want.mode, want.mtime, want.xattr, got.mode, got.mtime, got.xattr)
	}
	for q, j := range r.matched {
		if q == p || j < 0 {
			continue
		}
		k := &r.m.links[j]
		if together := r.now[q].ino == e.ino; together != (k.node == l.node) && !(o.edited || r.mixed(l) || r.mixed(k)) {
			r.fail(Differs, p, "links with %q", q)
		}
	}
}

// judgeEdited looks for what the person made of a file of the task.
func (r *ruling) judgeEdited(n int) {
	o := &r.m.nodes[n]
	found, gone, said := false, true, false
	for i := range r.m.links {
		l := &r.m.links[i]
		if l.node != n {
			continue
		}
		gone = gone && l.removed
		said = said || r.saysLink(l)
		for _, at := range []place{l.theirs, l.now, l.editedAt} {
			for _, p := range append(r.pathsBy(at, ideals), r.pathsBy(at, nows)...) {
				if j, other := r.matched[p]; (!other || j == i) && r.same(p, o, o.newest.data) {
					r.matched[p], found = i, true
				}
			}
		}
	}
	switch {
	case found || gone || o.destroyed:
		// judgeRest checks that the report names it
	case r.now.has(o.newest.data):
	case said && r.kept(o.newest.data):
	default:
		kind := Lost
		if r.kept(o.newest.data) {
			kind = NotBack
		}
		r.fail(kind, "#"+o.label, "the person's %q", o.newest.data)
	}
}

func (r *ruling) judgeDirs() {
	r.matched[""] = -1
	var found []func()
	defer func() {
		for _, f := range found {
			f()
		}
	}()
	for n := range r.m.nodes {
		o := &r.m.nodes[n]
		if o.kind != dir {
			continue
		}
		if n == 0 {
			found = append(found, func() { r.dirState("", n, nil) })
			continue
		}
		l := r.m.linkOf(n)
		if o.origin != original {
			continue
		}
		target := l.home
		if l.theirs.dir >= 0 {
			target = l.theirs
		}
		ideal := r.pathsBy(target, ideals)
		i := slices.IndexFunc(ideal, func(p string) bool { return r.isDir(n, p) })
		switch {
		case i >= 0:
			r.matched[ideal[i]] = -1
			if !l.removed && !r.replaced(n, ideal[i]) {
				found = append(found, func() { r.dirState(ideal[i], n, l) })
			}
		case l.removed:
		case !r.saysLink(l):
			r.fail(Unsaid, first(ideal), "directory is not back")
		case !r.taken(ideal) && !r.mixed(l) && !r.stirred() && !r.busy():
			r.fail(NotBack, first(ideal), "directory")
		default:
			for _, p := range append(r.pathsBy(l.now, nows), r.pathsBy(l.now, ideals)...) {
				r.matched[p] = -1
			}
		}
	}
}

// isDir reports whether an original directory, or what undo made of it anew, is at a path.
func (r *ruling) isDir(n int, p string) bool {
	if r.now[p].kind != dir {
		return false
	}
	ino := func(n int) uint64 {
		l := r.m.linkOf(n)
		if l == nil || l.origin != original {
			return 0
		}
		for _, q := range r.pathsBy(l.home, homes) {
			return r.before[q].ino
		}
		return 0
	}
	is := r.now[p].ino
	for _, e := range r.now {
		if e.kind == dir && e.ino == ino(n) {
			return is == ino(n)
		}
	}
	for k := range r.m.nodes {
		if r.m.nodes[k].kind == dir && is == ino(k) {
			return r.replaced(n, p)
		}
	}
	return true
}

// homeless reports whether the directory that a link has to be in is nowhere.
func (r *ruling) homeless(l *link) bool {
	p := l.home
	if l.theirs.dir >= 0 {
		p = l.theirs
	}
	if p.dir <= 0 {
		return false
	}
	return !slices.ContainsFunc(r.places(r.m.linkOf(p.dir)), func(q string) bool { return r.isDir(p.dir, q) })
}

// replaced reports whether the person put another directory where one was: that stands for it.
func (r *ruling) replaced(n int, p string) bool {
	return slices.ContainsFunc(r.m.links, func(k link) bool {
		return k.node != n && k.theirs.dir >= 0 && r.m.nodes[k.node].kind == dir && slices.Contains(r.pathsBy(k.theirs, ideals), p)
	})
}

// busy reports whether the person did so much that what is in whose way is not worked out here: then
// that it is said is enough.
func (r *ruling) busy() bool { return len(r.m.dirs) > 3 }

// stirred reports whether the person moved a directory. Example: the task moved A into B, the person moved
// it back, the task moved B into A.
func (r *ruling) stirred() bool {
	return slices.ContainsFunc(r.m.links, func(l link) bool { return l.theirs.dir >= 0 && r.m.nodes[l.node].kind == dir })
}

func (r *ruling) dirState(p string, n int, l *link) {
	o, e := &r.m.nodes[n], r.now[p]
	want := o.before
	if want.mtime != e.mtime && (r.touchedIn(n) || !r.sameNames(p, n)) {
		want.mtime = e.mtime
	}
	if got := (state{mode: e.mode, xattr: e.xattr, mtime: e.mtime}); got != want && (l == nil || !r.saysLink(l)) {
		r.fail(Differs, p, "directory: want %04o %d %q, is %04o %d %q", want.mode, want.mtime, want.xattr, got.mode, got.mtime, got.xattr)
	}
}

// touchedIn reports whether the person made, moved or removed a name in a directory.
func (r *ruling) touchedIn(d int) bool {
	return slices.Contains(r.m.dirs, d)
}

// sameNames reports whether a directory has the names that it had, and what they meant.
func (r *ruling) sameNames(p string, d int) bool {
	old := map[string]bool{}
	for i := range r.m.links {
		h := r.m.links[i].home
		if h.dir != d {
			continue
		}
		if j, ok := r.matched[path.Join(p, h.name)]; !ok || j >= 0 && r.m.links[j].node != r.m.links[i].node {
			return false
		}
		old[h.name] = true
	}
	for q := range r.now {
		if q != "" && path.Dir(q) == cmpDot(p) && !old[path.Base(q)] {
			return false
		}
	}
	return true
}

func cmpDot(p string) string {
	if p == "" {
		return "."
	}
	return p
}

// judgeRest looks at what nobody wants.
func (r *ruling) judgeRest() {
	all := r.now.paths()
	slices.Reverse(all) // what is in a directory before that
	for _, p := range all {
		if _, ok := r.matched[p]; ok {
			continue
		}
		e := r.now[p]
		switch {
		case strings.Contains(p, ".piwork"):
			r.fail(LeftOver, p, "a name of undo's own: %s", e)
		case r.says(p): // the person hears that it stays
			r.matched[p] = -1
		case e.kind == dir && r.holds(p): // the person put something into it: it has become theirs
		case r.excused(p, e):
			r.matched[p] = -1
		default:
			kind := LeftOver
			if r.theirsWas(e.data) {
				kind = Differs
			}
			r.fail(kind, p, "%s, said: %v", e, r.says(p))
		}
	}
}

// holds reports whether something that is as it should be is in a directory.
func (r *ruling) holds(d string) bool {
	for p := range r.matched {
		if strings.HasPrefix(p, d+"/") {
			return true
		}
	}
	return false
}

// theirsWas reports whether a content is one that was there before or that the person made.
func (r *ruling) theirsWas(data string) bool {
	return slices.ContainsFunc(r.m.nodes, func(o node) bool {
		return o.kind == file && (o.origin == original && o.before.data == data || o.edited && o.newest.data == data)
	})
}

// excused reports whether something may be at a path: what could not go back, when that is said, or
// what was before of what the person removed or moved elsewhere.
func (r *ruling) excused(p string, e entry) bool {
	for i := range r.m.links {
		l := &r.m.links[i]
		o := &r.m.nodes[l.node]
		at := func(q place) bool {
			return slices.Contains(r.pathsBy(q, ideals), p) || slices.Contains(r.pathsBy(q, nows), p)
		}
		hand := o.edited || o.destroyed || r.displaced[l.node] || slices.ContainsFunc(r.m.links, func(k link) bool { return k.node == l.node && r.mixed(&k) })
		switch {
		case o.kind == e.kind && o.origin == ofTask && l.theirs.dir >= 0 && at(l.theirs) && (e.data == o.now.data || e.data == o.moved.data):
			return true // they chose its place, so that it is theirs: they need not hear that it stays
		case hand && r.says(p) && at(l.home): // something of the task that is in its place
			return true
		case o.kind != e.kind:
		case hand && (r.says(p) || r.saysLink(l)) && at(l.now) && (e.data == o.now.data || e.data == o.want().data):
			return true
		case o.edited && slices.ContainsFunc(l.been, at) && e.data == o.newest.data:
			return true
		case o.edited && at(l.editedAt) && e.data == o.newest.data, o.destroyed && at(l.home) && e.data == o.newest.data:
			return true
		case (l.removed || l.theirs.dir >= 0 || o.destroyed) && at(l.home) && (e.data == o.before.data || e.kind == dir):
			return l.last != l.home || l.movedTask || o.destroyed || e.kind == dir
		}
	}
	return false
}

// losses reports each content of the person that is lost. It is the check after redo, after a crash and
// between the undos of two tasks, where the exact state is not defined.
func (r *ruling) losses() []Problem {
	for n := range r.m.nodes {
		o := &r.m.nodes[n]
		if o.kind != file || o.destroyed || o.origin == ofTask && !o.edited || o.changed[0] && o.changed[1] {
			continue // to each of two tasks that take turns, what the other writes is a person's
		}
		theirs := slices.ContainsFunc(r.m.links, func(l link) bool {
			return l.node == n && !l.removed && (o.origin == ofTask || l.home.dir >= 0 || l.theirs.dir >= 0)
		})
		if d := o.want().data; theirs && !r.now.has(d) && !r.kept(d) {
			r.fail(Lost, "#"+o.label, "%q", d)
		}
	}
	return r.problems
}
