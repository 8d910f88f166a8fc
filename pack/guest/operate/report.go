package operate

import (
	"cmp"
	"container/heap"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// maxReported bounds how many files and folders one report looks at. What is
// kept of them does not grow with their number.
const maxReported = 5_000_000

// least keeps the first n of what is added, in the order of less.
type least[T any] struct {
	n    int
	less func(a, b T) int
	list []T // a heap with the last one on top
}

func (l *least[T]) Len() int           { return len(l.list) }
func (l *least[T]) Less(i, j int) bool { return l.less(l.list[i], l.list[j]) > 0 }
func (l *least[T]) Swap(i, j int)      { l.list[i], l.list[j] = l.list[j], l.list[i] }
func (l *least[T]) Push(x any)         { v, _ := x.(T); l.list = append(l.list, v) }
func (l *least[T]) Pop() any {
	last := l.list[len(l.list)-1]
	l.list = l.list[:len(l.list)-1]
	return last
}

func (l *least[T]) add(v T) {
	switch {
	case len(l.list) < l.n:
		heap.Push(l, v)
	case l.less(v, l.list[0]) < 0:
		l.list[0] = v
		heap.Fix(l, 0)
	}
}

// sorted is what was kept, in order.
func (l *least[T]) sorted() []T {
	out := append([]T{}, l.list...)
	slices.SortFunc(out, l.less)
	return out
}

// reporter collects a report while a folder is walked.
type reporter struct {
	root   string
	report tools.FolderReport
	kinds  map[string]*tools.KindSize
	big    least[dated]
	fresh  least[dated]
	stale  least[dated]
	parts  least[tools.FolderSize]
	empty  least[string]
	part   *tools.FolderSize // the folder right in root that is walked
	open   []openFolder      // the folders from root to where the walk is
}

// dated is a file with the time of its last change.
type dated struct {
	tools.FileInfo
	time time.Time
}

type openFolder struct {
	path string // relative
	full bool   // there is something in it that is no folder
}

func newReporter(root string, top int) *reporter {
	path := func(a, b dated) int { return strings.Compare(a.Path, b.Path) }
	return &reporter{
		root: root, kinds: map[string]*tools.KindSize{},
		big:   least[dated]{n: top, less: func(a, b dated) int { return cmp.Or(cmp.Compare(b.Size, a.Size), path(a, b)) }},
		fresh: least[dated]{n: top, less: func(a, b dated) int { return cmp.Or(b.time.Compare(a.time), path(a, b)) }},
		stale: least[dated]{n: top, less: func(a, b dated) int { return cmp.Or(a.time.Compare(b.time), path(a, b)) }},
		parts: least[tools.FolderSize]{n: top, less: func(a, b tools.FolderSize) int {
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Path, b.Path))
		}},
		empty: least[string]{n: top, less: strings.Compare},
		open:  []openFolder{{path: "."}},
	}
}

// take counts what the walk finds; it comes in the order of names, each folder
// before what is in it.
func (c *reporter) take(p string, d fs.DirEntry, info fs.FileInfo) {
	rel, err := filepath.Rel(c.root, p)
	if err != nil {
		rel = p
	}
	rel = strings.ToValidUTF8(filepath.ToSlash(rel), "\uFFFD")
	c.leave(filepath.ToSlash(filepath.Dir(rel)))
	if d.IsDir() {
		c.report.Folders++
		if len(c.open) == 1 {
			c.closePart()
			c.part = &tools.FolderSize{Path: rel}
		}
		c.open = append(c.open, openFolder{path: rel})
		return
	}
	c.open[len(c.open)-1].full = true
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		c.report.Links++
		return
	case !d.Type().IsRegular() || info == nil:
		c.report.Others++
		return
	}
	size := info.Size()
	c.report.Files++
	c.report.Bytes += size
	kind := fileKind(rel)
	if c.kinds[kind] == nil {
		c.kinds[kind] = &tools.KindSize{Kind: kind}
	}
	c.kinds[kind].Files++
	c.kinds[kind].Bytes += size
	if c.part != nil && len(c.open) > 1 {
		c.part.Files++
		c.part.Bytes += size
	}
	f := dated{tools.FileInfo{Path: rel, Size: size, MTime: mtime(info)}, info.ModTime()}
	c.big.add(f)
	c.fresh.add(f)
	c.stale.add(f)
}

// leave closes the folders that the walk is no longer in.
func (c *reporter) leave(dir string) {
	for len(c.open) > 1 && c.open[len(c.open)-1].path != dir {
		last := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		if last.full {
			c.open[len(c.open)-1].full = true
		} else {
			c.report.Empty++
			c.empty.add(last.path)
		}
	}
}

func (c *reporter) closePart() {
	if c.part != nil {
		c.parts.add(*c.part)
	}
	c.part = nil
}

// finish is the report of all that was taken.
func (c *reporter) finish() tools.FolderReport {
	c.leave(".")
	c.closePart()
	r := c.report
	r.Path = c.root
	r.Kinds = []tools.KindSize{}
	for _, k := range c.kinds {
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(a, b tools.KindSize) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Kind, b.Kind))
	})
	r.Biggest, r.Newest, r.Oldest = infos(c.big), infos(c.fresh), infos(c.stale)
	r.Parts, r.EmptyFolders = c.parts.sorted(), c.empty.sorted()
	return r
}

func infos(l least[dated]) []tools.FileInfo {
	out := []tools.FileInfo{}
	for _, f := range l.sorted() {
		out = append(out, f.FileInfo)
	}
	return out
}

// fileReport is file.report.
func fileReport(ctx context.Context, r *job.Job, p *tools.FileReport) error {
	root := r.Order.Tool.In[0]
	if !isFolder(r, root) {
		return nil
	}
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	c := newReporter(root, p.Top)
	err := r.WalkMost(ctx, []string{root}, true, maxReported, func(p string, d fs.DirEntry) error {
		if job.IsPart(p) { // of an operation that is under way
			return nil
		}
		var info fs.FileInfo
		if d.Type().IsRegular() {
			var err error
			if info, err = d.Info(); err != nil {
				r.FoundProblem(tools.InputProblem(p, err))
				return nil
			}
		}
		c.take(p, d, info)
		return nil
	})
	if err != nil {
		return err
	}
	report := c.finish()
	const out = "report"
	if err := writeReport(r, report, p, out); err != nil {
		return err
	}
	if err := r.PlaceResult(ctx, out, to); err != nil {
		return err
	}
	r.AddInfo(shortened(report))
	r.Done(1, root)
	return nil
}

// shortened makes a report fit in an answer: of lists of long paths less is
// said there than in the file.
func shortened(r tools.FolderReport) tools.FolderReport {
	const most = 2 * job.MaxPart // each of the lists, as JSON
	files := func(list []tools.FileInfo) []tools.FileInfo {
		n := 0
		for i, f := range list {
			if n += job.JSONSize(f); n > most {
				return list[:i]
			}
		}
		return list
	}
	r.Biggest, r.Newest, r.Oldest = files(r.Biggest), files(r.Newest), files(r.Oldest)
	n := 0
	for i, p := range r.EmptyFolders {
		if n += job.JSONSize(p); n > most {
			r.EmptyFolders = r.EmptyFolders[:i]
			break
		}
	}
	return r
}
