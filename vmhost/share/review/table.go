package review

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
)

// node is a file, directory or link of the merged view that the task changed or
// has open. Nodes that it only has open are not kept in the log.
//
// A node of an original says at which path of the original it is, so that a directory is moved
// without looking into it, and what is below it follows; another path to it in the merged view
// does not exist. A node that the task made has none. Content is in objects/N; mode, times and
// extended attributes are in the node. All handles of a file share its node, so a reader sees what
// another handle writes, and files without a name go on.
type node struct {
	nodeRec
	kind    at.Kind           // Kind, which never changes: to be read without a lock
	kept    bool              // in the log
	dropped bool              // without a name: it ends with its last handle
	unnamed bool              // of Tmpfile: dropped, but not for good
	names   map[string]*entry // of a directory: what the task decided about
	order   []*entry          // of names, by seq
	links   []*entry          // names that mean it
	lost    int               // names of the original that do not mean it any more
	opens   int               // handles

	// io is held for reading by what reads and writes the content, and for
	// writing by what changes where it is. It is taken before base.mu; src and
	// have change with both held.
	io      sync.RWMutex
	src     source
	lower   *os.File  // the original, when somebody has it open
	upper   *os.File  // the object, when somebody has it open
	have    spans.Set // of the parts
	charged atomic.Int64
	damaged bool         // the object lacks what it had; under io
	dirty   atomic.Bool  // among volatile.dirty
	cuts    atomic.Int64 // how often the object became shorter
	progress
}

// progress is how a program goes on in a large file.
type progress struct {
	next  int64 // the granule after those that were taken over last; under io, with ahead
	ahead int64 // how many were taken over ahead of it
}

// source is where the content of a node is, as its record says too.
type source struct {
	obj  uint64
	part bool
	low  int64
	busy bool
	orig *stamp
}

// assign takes over what is written down of n.
func (n *node) assign(r nodeRec) {
	n.nodeRec = r
	if n.kind != r.Kind {
		n.kind = r.Kind
	}
	if n.src.obj != r.Obj || n.src.part != r.Part || n.src.low != r.Low || n.src.busy != r.Busy {
		if n.src.part && !r.Part {
			n.have = nil
		}
		n.src = source{r.Obj, r.Part, r.Low, r.Busy, r.Orig}
	}
}

// entry is a name in a directory that the task gave another meaning than it has
// in the original.
type entry struct {
	seq  uint64
	dir  *node
	name string
	node *node  // nil: nothing
	orig *stamp // what the original had there, nil: nothing
	hid  *node  // the node of that, if it has one
}

// tables are what the log says. They are changed by apply alone, while the
// program runs and when it reads the log: what was written down is what holds.
type tables struct {
	layer   string // random, in names that guests must not guess
	nodes   map[uint64]*node
	byBase  map[string]*node // also those that are only open
	byID    map[at.ID]*node  // originals that have several names
	root    *node
	last    uint64 // the last number given to a node, an entry or an object
	kept    int
	entries int
	going   *movedRec         // what Apply is about to move
	temps   map[string]uint64 // left by Apply in the original → the lifted node
	dev     uint64            // of the folder now
	logDev  uint64            // of the folder when the record was written
	folder  at.ID             // what the folder was then; zero in old layers, whose folder is not compared
	dropped []*node           // by the last apply
	touched map[*node]bool    // by records that go on
	attrs   int               // bytes of extended attributes in nodes
}

const rootID = 1

// newTables returns the tables of a folder that nothing was done to; info is the
// folder itself.
func newTables(info at.Info) *tables {
	t := &tables{nodes: map[uint64]*node{}, byBase: map[string]*node{}, byID: map[at.ID]*node{},
		temps: map[string]uint64{}, dev: info.Dev, logDev: info.Dev, last: rootID}
	t.root = t.add(rootID)
	t.root.nodeRec = nodeRec{N: rootID, Kind: at.Directory, Base: ".", Orig: stampOf(info, "")}
	t.root.kept = true
	t.byBase["."] = t.root
	return t
}

func (t *tables) add(id uint64) *node {
	n := &node{names: map[string]*entry{}}
	n.N = id
	t.nodes[id] = n
	t.last = max(t.last, id)
	return n
}

// next returns a number that nothing has.
func (t *tables) next() uint64 {
	t.last++
	return t.last
}

// apply takes a record over.
func (t *tables) apply(r *record) error {
	t.dropped = nil
	if r.Layer != "" {
		t.layer = r.Layer
	}
	if r.Dev != nil {
		t.logDev = *r.Dev
	}
	if r.Folder != nil {
		t.folder = *r.Folder
	}
	if r.Going != nil {
		t.going = r.Going
	}
	if r.Moved != nil {
		t.going = nil
		t.moved(string(r.Moved.From), string(r.Moved.To))
	}
	for i := range r.Nodes {
		if err := t.setNode(r.Nodes[i]); err != nil {
			return err
		}
	}
	for _, x := range r.Ranges {
		n := t.nodes[x.N]
		if n == nil || !n.Part {
			return fmt.Errorf("%w: ranges of node %d", errRecord, x.N)
		}
		n.have.Add(spans.Span{Off: x.First, End: x.First + x.Count})
	}
	for _, x := range r.Safe {
		if n := t.nodes[x.N]; n != nil && n.Obj == x.Obj {
			n.Safe = &x.Size
		}
	}
	if t.touched == nil {
		t.touched = map[*node]bool{}
	}
	for _, x := range r.Names {
		if err := t.setName(x, t.touched); err != nil {
			return err
		}
	}
	if !r.More {
		for n := range t.touched {
			t.dropUnnamed(n)
		}
		t.touched = nil
	}
	for _, id := range r.Clean {
		if n := t.nodes[id]; n != nil && n != t.root && n.Base != "" {
			t.dropUnchanged(n)
		}
	}
	if r.Temp != "" {
		t.temps[string(r.Temp)] = r.Lift
		if n, err := strconv.ParseUint(strings.TrimPrefix(string(r.Temp), t.tempPrefix()), 10, 32); err == nil {
			t.last = max(t.last, n) // else a temporary file gets the name of a lifted original
		}
	}
	delete(t.temps, string(r.NoTemp))
	return nil
}

// moved gives nodes the path that their originals have now.
func (t *tables) moved(from, to string) {
	var list []*node
	for base, n := range t.byBase {
		if base == from || strings.HasPrefix(base, from+"/") {
			list = append(list, n)
			delete(t.byBase, base)
		}
	}
	for _, n := range list {
		n.Base = raw(to + string(n.Base)[len(from):])
		if old := t.byBase[string(n.Base)]; old != nil {
			t.detach(old)
		}
		t.byBase[string(n.Base)] = n
	}
}

func (t *tables) here(id at.ID) at.ID {
	if id.Dev == t.logDev {
		id.Dev = t.dev
	}
	return id
}

func (t *tables) setNode(r nodeRec) error {
	n := t.nodes[r.N]
	if n == nil {
		n = t.add(r.N)
	}
	if n.kept && n.Kind != r.Kind || n == t.root && r.Base != "." {
		return fmt.Errorf("%w: node %d is something else", errRecord, r.N)
	}
	if r.Orig != nil {
		s := *r.Orig
		s.ID = t.here(s.ID)
		r.Orig = &s
	}
	r.Ino = t.here(r.Ino)
	if t.byBase[string(n.Base)] == n && n.Base != r.Base {
		delete(t.byBase, string(n.Base))
	}
	if n.kept {
		t.attrs -= n.Attrs.size()
	}
	n.assign(r)
	if !n.dropped {
		t.attrs += n.Attrs.size()
	}
	t.last = max(t.last, r.Obj)
	if !n.kept && !n.dropped {
		n.kept = true
		t.kept++
	}
	if r.Base != "" {
		if old := t.byBase[string(r.Base)]; old != nil && old != n {
			t.detach(old)
		}
		t.byBase[string(r.Base)] = n
		if r.Kind == at.File && r.Orig.Links > 1 {
			t.byID[r.Orig.ID] = n
		}
	}
	return nil
}

func (t *tables) setName(x nameRec, touched map[*node]bool) error {
	dir, n, hid := t.nodes[x.Dir], t.nodes[x.Node], t.nodes[x.Hid]
	if dir == nil || dir.Kind != at.Directory || x.Node != 0 && n == nil || n == t.root || hid == t.root {
		return fmt.Errorf("%w: a name in node %d", errRecord, x.Dir)
	}
	name := string(x.Name)
	e := dir.names[name]
	if x.Drop && e == nil {
		return nil
	}
	if e == nil {
		if x.Orig != nil {
			s := *x.Orig
			s.ID = t.here(s.ID)
			x.Orig = &s
		}
		e = &entry{seq: x.E, dir: dir, name: name, orig: x.Orig, hid: hid}
		t.last = max(t.last, x.E)
		t.entries++
		dir.names[name] = e
		i, _ := slices.BinarySearchFunc(dir.order, e.seq, bySeq)
		dir.order = slices.Insert(dir.order, i, e)
		if hid != nil {
			hid.lost++
			touched[hid] = true
		}
	}
	if x.Free {
		e.orig = nil
		if e.hid != nil {
			e.hid.lost--
			touched[e.hid] = true
		}
		e.hid = nil
	}
	if old := e.node; old != nil {
		old.links = slices.DeleteFunc(old.links, func(o *entry) bool { return o == e })
		touched[old] = true
	}
	e.node = n
	if n != nil {
		n.links = append(n.links, e)
		touched[n] = true
	}
	if x.Drop {
		t.unbindName(e, touched)
	}
	return nil
}

// unbindName gives a name the meaning back that it has in the original.
func (t *tables) unbindName(e *entry, touched map[*node]bool) {
	if e.node != nil {
		e.node.links = slices.DeleteFunc(e.node.links, func(o *entry) bool { return o == e })
		touched[e.node] = true
	}
	t.entries--
	delete(e.dir.names, e.name)
	if i, ok := slices.BinarySearchFunc(e.dir.order, e.seq, bySeq); ok {
		e.dir.order = slices.Delete(e.dir.order, i, i+1)
	}
	if e.hid != nil {
		e.hid.lost--
		touched[e.hid] = true
	}
}

func bySeq(e *entry, seq uint64) int { return cmp.Compare(e.seq, seq) }

// nlink returns how many names a node has in the merged view.
func (n *node) nlink() uint64 {
	c := int64(len(n.links) - n.lost)
	if n.Base != "" {
		c += int64(n.Orig.Links)
	}
	return uint64(max(c, 0))
}

// gone reports whether no name means n any more.
func (n *node) gone() bool {
	if n.Base != "" && n.Kind == at.Directory {
		return n.Base != "." && n.lost > 0 && len(n.links) == 0
	}
	return n.nlink() == 0
}

// dropUnnamed drops a node that has lost its last name. The directory of an
// original stays: what was in it is in the list of changes.
func (t *tables) dropUnnamed(n *node) {
	if n.dropped || !n.gone() || n.Base != "" && n.Kind == at.Directory {
		return
	}
	t.detach(n)
}

// detach takes a node out of the tables; it goes on for whoever has it open.
func (t *tables) detach(n *node) {
	if n == t.root {
		return
	}
	if n.kept {
		t.kept--
		t.attrs -= n.Attrs.size()
	}
	n.kept, n.dropped = false, true
	delete(t.nodes, n.N)
	if t.byBase[string(n.Base)] == n {
		delete(t.byBase, string(n.Base))
	}
	if n.Orig != nil && t.byID[n.Orig.ID] == n {
		delete(t.byID, n.Orig.ID)
	}
	t.dropped = append(t.dropped, n)
}

// dropUnchanged forgets a node that nothing is to be remembered of. Whoever has it open
// goes on with the original.
func (t *tables) dropUnchanged(n *node) {
	if len(n.links) > 0 || len(n.names) > 0 || n.lost > 0 || n.Obj != 0 || n.Mode != nil || n.Times || n.Attrs != nil || n.From != "" {
		return
	}
	if n.opens == 0 || n.Base == "" {
		t.detach(n)
		return
	}
	if n.kept {
		t.kept--
	}
	n.kept = false
}

// current reports whether a name still means what it did when it was looked at.
func (e *entry) current() bool { return e.dir.names[e.name] == e && !e.dir.dropped }
