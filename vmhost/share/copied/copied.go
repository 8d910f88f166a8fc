package copied

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// Run runs the program argv in the place, gives it in and takes its output to out, until
// it ends. Its error is that of a program that could not be run, or failed.
type Run = func(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error

// Options bound a Copy. The zero value is valid.
type Options struct {
	Name  string // of the kind of place, for errors
	Files int    // names in all copies together; 0 is DefaultFiles
	Bytes int64  // of all contents that are on their way at once; 0 is DefaultBytes

	Dir            string // for contents on their way that are too large for the memory; "" is the system's
	Folders, State string // where the copies are in the place; "" is wire.FoldersDir, wire.StateDir

	// Beside hears of a file that was put beside one that a person changed. May be nil.
	Beside func(Beside)
}

// Bounds of a Copy.
const (
	DefaultFiles = 100_000
	DefaultBytes = 4 << 30
)

// Beside is a file of the task that was put beside one that a person changed.
type Beside struct {
	Folder string // its id
	Path   string // in the folder: the person's
	Beside string // the task's
}

// Copy keeps the copies of one place. It is safe for concurrent use; while a person is
// asked about a change, other actions of the place wait to begin and to end.
type Copy struct {
	set *share.Set
	o   Options

	mu      sync.Mutex
	running int // actions
	roots   []*root
	known   map[key]*known
	lost    []string // of End: what could not be made in a folder
	why     error    // the first reason
}

// root is one folder.
type root struct {
	tree     *share.Tree
	dir      string // in the place
	readOnly bool
	gone     bool // it is not shared any more
}

// key is a name: in which folder, and its path there.
type key struct {
	root int
	path string
}

// known is what is agreed on about a name.
type known struct {
	here  stamp          // in the folder
	there wire.CopyEntry // in the copy; CopyGone where it has none
	sum   []byte         // of a file's content in the copy
	again bool           // the copy is to get what the folder has, whatever that is
}

// stamp is what a name of a folder stands for. Of directories only kind and mode count.
type stamp struct {
	kind   at.Kind // Unknown: nothing
	size   int64
	mtime  int64
	mode   uint32
	target string
}

// Stamps of nothing, and of what a person changed and the copy has not: whatever is there
// differs from it.
var nothing, theirs = stamp{}, stamp{kind: at.Special}

// New returns a Copy of what is, and will be, in set.
func New(set *share.Set, o Options) *Copy {
	o.Files = cmp.Or(o.Files, DefaultFiles)
	o.Bytes = cmp.Or(o.Bytes, DefaultBytes)
	if o.Folders == "" {
		o.Folders, o.State = wire.FoldersDir, wire.StateDir
	}
	return &Copy{set: set, o: o, known: map[key]*known{}}
}

// Send brings the copies up to date, unless actions are under way.
func (c *Copy) Send(ctx context.Context, run Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running > 0 {
		return nil
	}
	return c.send(ctx, run)
}

// Begin is Send before an action.
func (c *Copy) Begin(ctx context.Context, run Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == 0 {
		if err := c.send(ctx, run); err != nil {
			return err
		}
	}
	c.running++
	return nil
}

// Fetch makes in the folders what changed in the copies at last: what can't be read is lost,
// which its error says.
func (c *Copy) Fetch(ctx context.Context, run Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.collect(ctx, run, true)
}

// End makes in the folders what changed in the copies during an action. What can't be read waits
// for the next time. Each Begin without an error has one.
func (c *Copy) End(ctx context.Context, run Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	return c.collect(ctx, run, false)
}

// find finds the folders that are shared now.
func (c *Copy) find() []*share.Tree {
	trees, _, _ := c.set.List()
	if s := c.set.Lookup(wire.StateName); s != nil {
		trees = append(trees, s)
	}
	for _, r := range c.roots {
		r.gone = !slices.Contains(trees, r.tree)
	}
	return trees
}

// add takes over what find found, and reports whether there is something new.
func (c *Copy) add(trees []*share.Tree) (fresh bool) {
	for _, t := range trees {
		if slices.ContainsFunc(c.roots, func(r *root) bool { return r.tree == t }) {
			continue
		}
		f := t.Folder()
		r := &root{tree: t, dir: c.o.Folders + "/" + f.Name, readOnly: f.ReadOnly}
		if f.ID == wire.StateName {
			r.dir = c.o.State
		}
		if i := slices.IndexFunc(c.roots, func(o *root) bool { return o.dir == r.dir }); i >= 0 {
			c.roots[i] = r // another folder by the name of one that is gone
		} else {
			c.roots = append(c.roots, r)
		}
		fresh = true
	}
	return fresh
}

// changeable reports whether a change of a name in a copy is to be made in its folder.
func (c *Copy) changeable(k key) bool {
	r := c.roots[k.root]
	uploads := r.dir == c.o.State && (k.path == wire.StateUploads || strings.HasPrefix(k.path, wire.StateUploads+"/"))
	return !r.gone && !r.readOnly && !uploads
}

// stampOf is what is at a name of a folder.
func (c *Copy) stampOf(k key) (stamp, error) {
	info, err := c.roots[k.root].tree.Lstat(k.path)
	if err != nil {
		return stamp{}, err
	}
	return c.stampFrom(k, info)
}

func (c *Copy) stampFrom(k key, info at.Info) (stamp, error) {
	s := stamp{kind: info.Kind, mode: info.Mode & 0o777}
	switch info.Kind {
	case at.File:
		s.size, s.mtime = info.Size, info.MTime.UnixNano()
	case at.Symlink:
		target, err := c.roots[k.root].tree.Readlink(k.path)
		if err != nil {
			return s, err
		}
		s.mode, s.target = 0, target
	}
	return s, nil
}

// talk runs the agent's part: feed writes its input, and read reads its output.
func (c *Copy) talk(ctx context.Context, run Run, verb string, feed func(*bufio.Writer) error, read func(*bufio.Reader) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	argv := []string{wire.CopyProgram, wire.CopyPart, verb}
	for _, r := range c.roots {
		dir := r.dir
		if verb == wire.CopyList && (r.readOnly || r.gone) {
			dir = "" // nobody asks what is in it
		}
		if verb == wire.CopyPut && r.readOnly {
			dir += "/"
		}
		argv = append(argv, dir)
	}
	in, input := io.Pipe()
	output, out := io.Pipe()
	var work sync.WaitGroup
	var fed, ran error
	work.Go(func() {
		w := bufio.NewWriterSize(input, bufferSize)
		if fed = feed(w); fed == nil {
			fed = w.Flush()
		}
		if fed != nil && !errors.Is(fed, io.ErrClosedPipe) {
			cancel(fed)
		}
		input.Close()
	})
	work.Go(func() {
		ran = run(ctx, argv, in, out)
		in.Close()
		out.CloseWithError(ran)
	})
	err := read(bufio.NewReaderSize(output, bufferSize))
	if err != nil {
		cancel(err)
	}
	output.Close()
	work.Wait()
	if errors.Is(fed, io.ErrClosedPipe) {
		fed = nil // the part ended before it had read all: it says why
	}
	if _, is := errors.AsType[*wire.InvalidError](err); is {
		return err
	}
	return errors.Join(fed, err, ran)
}

// bufferSize is more than a line.
const bufferSize = 256 << 10

// lose notes a change that could not be made.
func (c *Copy) lose(k key, err error) {
	c.lost = append(c.lost, c.roots[k.root].tree.Folder().Name+"/"+k.path)
	if c.why == nil {
		c.why = err
	}
}

// unsaved is the error for what was noted.
func (c *Copy) unsaved() error {
	if len(c.lost) == 0 {
		return nil
	}
	err := &vmhost.UnsavedError{Runtime: c.o.Name, Paths: c.lost, Err: c.why}
	c.lost, c.why = nil, nil
	return err
}
