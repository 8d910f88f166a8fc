package model

import (
	"fmt"
	"slices"
	"strings"
)

// Attribute is the extended attribute that files have or have not.
const Attribute = "user.model"

// Kinds of nodes.
const (
	file    = 'f'
	dir     = 'd'
	symlink = 'l'
)

// Origins of nodes and names.
const (
	original = 'o' // there before the task
	ofTask   = 't'
	ofPerson = 'p'
)

// state is what a node is besides its names.
type state struct {
	data  string // content, or the target of a symbolic link
	mode  uint32
	xattr string // of the one attribute
	mtime int64  // 0: whatever it is
}

// node is an inode.
type node struct {
	kind, origin byte
	label        string // by which a step names a handle to it
	now, before  state
	edited       bool    // the person changed the content in place, or made it
	newest       state   // what the person made of it last
	moved        state   // when the person moved it last
	destroyed    bool    // the person removed its last name
	owner        byte    // the task that made it
	changed      [2]bool // by which tasks
}

// place is a name in a directory, which is known by its node.
type place struct {
	dir  int
	name string
}

var nowhere = place{dir: -1}

// link is one name of a node on its way through a history.
type link struct {
	node      int
	origin    byte
	home      place // before the task
	now       place
	been      []place // everywhere, the last of them
	last      place   // before it was removed
	theirs    place   // where the person put it last
	when      int     // and which step that was
	removed   bool    // by the person
	editedAt  place   // where it was when the person changed what it names
	movedTask bool    // the task moved or removed it
}

// folder is a folder in memory. Node 0 is its top.
type folder struct {
	nodes []node
	links []link
	seen  []place // names that meant something at any time
	dirs  []int   // in which the person changed names
	steps int
}

func (m *folder) clone() *folder {
	return &folder{nodes: slices.Clone(m.nodes), links: slices.Clone(m.links), seen: slices.Clone(m.seen), dirs: slices.Clone(m.dirs), steps: m.steps}
}

// World is a folder before the task.
type World struct {
	Name     string
	Seed     []string // "A/" is a directory, "A/x" a file, "A/x = B/x" a hard link, "A/x -> t" a symbolic link
	Prologue []string // steps of the task before those of a history
	Size     int      // bytes of each file at least
}

// Worlds are the folders that histories begin with.
var Worlds = []World{
	{Name: "one", Seed: []string{"A/", "B/", "A/x"}},
	{Name: "two", Seed: []string{"A/", "B/", "A/x", "A/y", "B/x"}},
	{Name: "hard", Seed: []string{"A/", "B/", "A/x", "B/x = A/x", "A/y"}},
	{Name: "sym", Seed: []string{"A/", "B/", "A/x -> t", "A/y"}},
	// Enough files of A are waited for that the recorder keeps the others ahead.
	{Name: "ahead", Seed: []string{"A/", "B/", "A/x", "A/y", "A/p", "A/q", "A/r"}, Prologue: []string{"write A/p", "write A/q", "write A/r"}},
	{Name: "big", Seed: []string{"A/", "B/", "A/x", "A/y", "B/x = A/x"}, Size: 1<<20 + 5000},
	{Name: "nested", Seed: []string{"A/", "A/B/", "A/B/x", "A/y"}},
}

func worldNamed(name string) (World, bool) {
	i := slices.IndexFunc(Worlds, func(w World) bool { return w.Name == name })
	if i < 0 {
		return World{}, false
	}
	return Worlds[i], true
}

// firstTime is the time of the first thing of a world, in seconds; the others follow by hours.
const firstTime = 1_588_748_889

// filler is what makes content long.
var filler = strings.Repeat("0123456789abcdef", 1<<17)

func (w World) folder() *folder {
	m := &folder{nodes: []node{{kind: dir, origin: original}}}
	m.nodes[0].before = state{mode: 0o755, mtime: firstTime*1e9 + 123456789}
	m.nodes[0].now = m.nodes[0].before
	for i, s := range w.Seed {
		st := state{mode: 0o644, mtime: (firstTime+int64(i+1)*3600)*1e9 + 123456789}
		if name, target, ok := strings.Cut(s, " = "); ok {
			l, _ := m.at(target)
			d, n := m.split(name)
			m.add(l.node, original, place{d, n})
			continue
		}
		kind := byte(file)
		path, target, ok := strings.Cut(s, " -> ")
		switch {
		case ok:
			kind, st.data, st.mode = symlink, target, 0o777
		case strings.HasSuffix(s, "/"):
			kind, path, st.mode, st.xattr = dir, strings.TrimSuffix(s, "/"), 0o755, "of "+s
		default:
			st.data, st.xattr = "content of "+s, "of "+s
			st.data += filler[:max(0, w.Size-len(st.data))]
		}
		d, n := m.split(path)
		m.nodes = append(m.nodes, node{kind: kind, origin: original, label: path, before: st, now: st})
		m.add(len(m.nodes)-1, original, place{d, n})
	}
	return m
}

func (m *folder) add(n int, origin byte, p place) *link {
	l := link{node: n, origin: origin, home: nowhere, now: p, been: []place{p}, last: nowhere, theirs: nowhere, editedAt: nowhere}
	if origin == original {
		l.home = p
	}
	m.links = append(m.links, l)
	m.seen = append(m.seen, p)
	return &m.links[len(m.links)-1]
}

// find returns the link at a place.
func (m *folder) find(p place) *link {
	for i := range m.links {
		if m.links[i].now == p {
			return &m.links[i]
		}
	}
	return nil
}

// at returns what a path means.
func (m *folder) at(path string) (*link, bool) {
	d, n := m.split(path)
	if d < 0 {
		return nil, false
	}
	l := m.find(place{d, n})
	return l, l != nil
}

// split returns the node of a path's directory (-1: no such directory) and the last name.
func (m *folder) split(path string) (int, string) {
	d := 0
	for {
		name, rest, more := strings.Cut(path, "/")
		if !more {
			return d, name
		}
		l := m.find(place{d, name})
		if l == nil || m.nodes[l.node].kind != dir {
			return -1, ""
		}
		d, path = l.node, rest
	}
}

func (m *folder) put(path string) place {
	d, n := m.split(path)
	return place{d, n}
}

// path returns where a place is now; ok says whether it is.
func (m *folder) path(p place) (string, bool) {
	s := p.name
	for range len(m.nodes) {
		switch {
		case p.dir < 0:
			return "", false
		case p.dir == 0:
			return s, true
		}
		l := m.linkOf(p.dir)
		if l == nil {
			return "", false
		}
		p = l.now
		s = p.name + "/" + s
	}
	return "", false
}

// linkOf returns the one name of a directory, also when that was removed.
func (m *folder) linkOf(d int) *link {
	for i := range m.links {
		if m.links[i].node == d {
			return &m.links[i]
		}
	}
	return nil
}

func (m *folder) empty(d int) bool {
	return !slices.ContainsFunc(m.links, func(l link) bool { return l.now.dir == d })
}

func (m *folder) names(n int) int {
	c := 0
	for i := range m.links {
		if m.links[i].node == n && m.links[i].now.dir >= 0 {
			c++
		}
	}
	return c
}

// inside reports whether directory d is e or lies in it.
func (m *folder) inside(d, e int) bool {
	for range len(m.nodes) + 1 {
		if d == e {
			return true
		}
		l := m.linkOf(d)
		if l == nil || l.now.dir < 0 {
			return false
		}
		d = l.now.dir
	}
	return true
}

// Step is one thing that somebody does.
type Step struct {
	Who    byte   // 't', '2' or 'p'; 'c' is what is done with the journal
	Verb   string //
	A, B   string // paths; A is a label when Handle
	Handle bool   // through the handle that was opened before all else
}

func (s Step) String() string {
	text := s.Verb
	switch {
	case s.Handle:
		text = "#" + s.A + " " + s.Verb
	case s.A != "":
		text += " " + s.A
	}
	if s.B != "" {
		text += " " + s.B
	}
	switch s.Who {
	case 'p':
		return "P " + text
	case '2':
		return "2 " + text
	}
	return text
}

// The values that a step writes contain its number.
func madeData(i int) string   { return fmt.Sprintf("made %02d", i) }
func overData(i int) string   { return fmt.Sprintf("t%02d", i) }
func moreData(i int) string   { return fmt.Sprintf("+t%02d", i) }
func personData(i int) string { return fmt.Sprintf("person %02d %s", i, strings.Repeat(".", 20+i)) }

// savedData is what a person saves over was: in every other step as much as there was.
func savedData(i int, was string) string {
	if d := fmt.Sprintf("person %02d", i); i%2 == 1 && len(was) > len(d) {
		return d + strings.Repeat("-", len(was)-len(d))
	}
	return personData(i)
}
func stepTime(i int) int64 { return (1_000_000_000+int64(i))*1e9 + 5e8 }
func otherMode(s state, k byte) uint32 {
	switch {
	case k == dir && s.mode == 0o755:
		return 0o700
	case k == dir:
		return 0o755
	case s.mode == 0o600:
		return 0o640
	}
	return 0o600
}
func cutTo(s state) int {
	if len(s.data) > 2 {
		return 2
	}
	return 40
}

// can reports whether a step would do something.
func (m *folder) can(s Step) bool {
	if s.Who == 'c' {
		return true
	}
	if s.Handle {
		n := m.handle(s.A)
		return n >= 0 && m.nodes[n].kind == file && m.nodes[n].origin != ofPerson && (m.nodes[n].owner == 0 || m.nodes[n].owner == s.Who)
	}
	p := m.put(s.A)
	if p.dir < 0 {
		return false
	}
	l := m.find(p)
	switch s.Verb {
	case "create", "mkdir", "symlink", "new":
		return l == nil
	}
	if l == nil {
		return false
	}
	kind := m.nodes[l.node].kind
	switch s.Verb {
	case "write", "trunc", "append", "save", "replace":
		return kind == file
	case "chmod", "xattr":
		return kind != symlink
	case "utimes":
		return true
	case "unlink":
		return kind != dir
	case "rmdir":
		return kind == dir && m.empty(l.node)
	case "delete":
		return kind != dir || m.empty(l.node)
	}
	q := m.put(s.B)
	switch s.Verb {
	case "rename":
		return m.mayMove(l, q)
	case "move":
		return m.find(q) == nil && m.mayMove(l, q)
	case "link":
		return kind != dir && q.dir >= 0 && m.find(q) == nil
	}
	return false
}

// apply does a step in the model. It returns false when the step would fail or change nothing.
func (m *folder) apply(s Step) bool {
	if !m.can(s) {
		return false
	}
	m.steps++
	switch i, n := m.steps, len(m.nodes); {
	case s.Verb == "restart":
		for n := range m.nodes {
			m.nodes[n].owner = '-' // nobody has a handle to it any more
		}
	case s.Who == 'c':
	case s.Who == 'p':
		m.edit(s, i)
	default:
		m.work(s, i)
		if len(m.nodes) > n {
			m.nodes[n].owner = s.Who
		}
	}
	return true
}

func (m *folder) handle(label string) int {
	for n := range m.nodes {
		if m.nodes[n].label == label && label != "" {
			return n
		}
	}
	return -1
}

// work does a step of a task; can has allowed it.
func (m *folder) work(s Step, i int) {
	switch s.Verb {
	case "create", "mkdir", "symlink":
		m.make(s.Verb, m.put(s.A), i)
		return
	}
	n := m.handle(s.A)
	var l *link
	if !s.Handle {
		l, _ = m.at(s.A)
		n = l.node
	}
	o := &m.nodes[n]
	who := 0
	if s.Who == '2' {
		who = 1
	}
	o.changed[who] = true
	switch d := o.now.data; s.Verb {
	case "write":
		o.now.data = overData(i) + d[min(len(d), len(overData(i))):]
	case "append":
		o.now.data += moreData(i)
	case "trunc":
		o.now.data = (d + strings.Repeat("\x00", 64))[:cutTo(o.now)]
	case "chmod":
		o.now.mode = otherMode(o.now, o.kind)
	case "xattr":
		o.now.xattr = overData(i)
	case "utimes":
		o.now.mtime = stepTime(i)
	case "unlink", "rmdir":
		m.drop(l)
	case "link":
		p := m.put(s.B)
		if old := m.lost(n, p); old != nil {
			m.to(old, p)
		} else {
			m.add(n, ofTask, p)
		}
		m.stamp(p.dir)
	case "rename":
		p := m.put(s.B)
		if v := m.find(p); v != nil {
			m.nodes[v.node].changed[who] = true
			m.drop(v)
		}
		m.stamp(l.now.dir)
		l.movedTask = true
		m.to(l, p)
		m.stamp(p.dir)
	}
	if s.Verb == "write" || s.Verb == "append" || s.Verb == "trunc" {
		o.now.mtime = 0
	}
}

func (m *folder) make(verb string, p place, i int) {
	o := node{kind: file, origin: ofTask, label: fmt.Sprint(i), now: state{data: madeData(i), mode: 0o644}}
	switch verb {
	case "mkdir":
		o.kind, o.now = dir, state{mode: 0o755}
	case "symlink":
		o.kind, o.now = symlink, state{data: overData(i), mode: 0o777}
	}
	m.nodes = append(m.nodes, o)
	m.add(len(m.nodes)-1, ofTask, p)
	m.stamp(p.dir)
}

// lost returns the name of a node that the task removed at a place, nil for none. Example: the task unlinks x
// and then links y, another name of the same file, to x; that undoes the unlink.
func (m *folder) lost(n int, p place) *link {
	i := slices.IndexFunc(m.links, func(l link) bool { return l.node == n && l.home == p && l.now == nowhere && !l.removed })
	if i < 0 {
		return nil
	}
	return &m.links[i]
}

func (m *folder) stamp(d int) { m.nodes[d].now.mtime = 0 }

func (m *folder) drop(l *link) {
	m.stamp(l.now.dir)
	l.last, l.now, l.movedTask = l.now, nowhere, true
}

func (m *folder) to(l *link, p place) {
	l.now = p
	l.been = append(l.been[max(0, len(l.been)-4):len(l.been):len(l.been)], p)
	m.seen = append(m.seen, p)
}

// mayMove reports whether rename(2) does something.
func (m *folder) mayMove(l *link, p place) bool {
	if p.dir < 0 || l.now == p || m.nodes[l.node].kind == dir && m.inside(p.dir, l.node) {
		return false
	}
	v := m.find(p)
	switch {
	case v == nil:
		return true
	case v.node == l.node, (m.nodes[v.node].kind == dir) != (m.nodes[l.node].kind == dir):
		return false
	}
	return m.nodes[v.node].kind != dir || m.empty(v.node)
}

// edit does a step of the person; can has allowed it.
func (m *folder) edit(s Step, i int) {
	p := m.put(s.A)
	if s.Verb == "new" {
		m.theirs(p, i)
		return
	}
	l := m.find(p)
	o := &m.nodes[l.node]
	if s.Verb != "save" {
		m.dirs = append(m.dirs, p.dir)
	}
	switch s.Verb {
	case "save":
		o.now.data, o.now.mtime = savedData(i, o.now.data), 0
		o.edited, o.newest = true, o.now
		for k := range m.links {
			if m.links[k].node == l.node {
				m.links[k].editedAt = m.links[k].now
			}
		}
	case "replace":
		m.take(l)
		m.theirs(p, i)
	case "delete":
		m.take(l)
	case "move":
		q := m.put(s.B)
		m.stamp(p.dir)
		m.dirs = append(m.dirs, q.dir)
		l.theirs, l.when, o.moved = q, i, o.now
		m.to(l, q)
		m.stamp(q.dir)
	}
}

// take has the person remove a name.
func (m *folder) take(l *link) {
	m.drop(l)
	l.removed, l.movedTask = true, false
	m.nodes[l.node].destroyed = m.names(l.node) == 0
}

// theirs makes a file of the person.
func (m *folder) theirs(p place, i int) {
	m.dirs = append(m.dirs, p.dir)
	o := node{kind: file, origin: ofPerson, label: fmt.Sprint(i), edited: true, now: state{data: personData(i), mode: 0o644}}
	o.newest, o.before = o.now, o.now
	m.nodes = append(m.nodes, o)
	l := m.add(len(m.nodes)-1, ofPerson, p)
	l.theirs, l.when = p, i
	m.stamp(p.dir)
}
