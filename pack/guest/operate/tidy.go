package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/natural"
	"piwork/vmhost/wire"
)

// found is a file that was found in a folder.
type found struct {
	path string
	info fs.FileInfo
	sum  string // SHA-256 of what was read of it, "" before
}

// files finds the files that a person would want tidied.
func files(ctx context.Context, r *job.Job, in []string, recursive bool) ([]found, error) {
	var out []found
	err := r.Walk(ctx, in, recursive, func(p string, d fs.DirEntry) error {
		switch {
		case d.IsDir() && (leaveAlone(d.Name()) || isPackage(d.Name())):
			return fs.SkipDir
		case !d.Type().IsRegular() || leaveAlone(d.Name()):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			r.FoundProblem(tools.InputProblem(p, err))
			return nil
		}
		out = append(out, found{path: p, info: info})
		return nil
	})
	return out, err
}

// proposal collects moves whose targets are free, on any file system: names are
// compared as [natural.Folded] has them.
type proposal struct {
	moves []tools.Move
	taken map[string]bool           // paths
	next  map[string]int            // the number that a path would get
	there map[string]map[string]int // how many have a name, by folder; nil for one that cannot be read
}

func newProposal() *proposal {
	return &proposal{taken: map[string]bool{}, next: map[string]int{}, there: map[string]map[string]int{}}
}

// propose adds a move to a folder under a name, made unique. A file that is
// there already stays. Its sidecars go with it and get the same number.
func (p *proposal) propose(f found, dir, name, kind string, beside ...found) {
	ext := path.Ext(name)
	target := path.Join(dir, name)
	wanted := natural.Folded(target)
	n := max(2, p.next[wanted])
	if dir == path.Dir(f.path) && target != f.path && p.isTaken(target, f.path) && isNumbered(path.Base(f.path), strings.TrimSuffix(name, ext), ext) && !p.taken[natural.Folded(f.path)] {
		target = f.path // it has the name already, with a number
	}
	number := 0
	taken := func() bool {
		return p.isTaken(target, f.path) || slices.ContainsFunc(beside, func(s found) bool { return p.isTaken(path.Join(dir, sidecarName(s, number)), s.path) })
	}
	for ; target != f.path && taken(); n++ {
		target, number = path.Join(dir, tools.Numbered(strings.TrimSuffix(name, ext), n, ext)), n
		p.next[wanted] = n + 1
	}
	if target == f.path {
		p.taken[natural.Folded(target)] = true
		return
	}
	p.move(f, target, kind)
	for _, s := range beside {
		p.move(s, path.Join(dir, sidecarName(s, number)), kind)
	}
}

// move adds a move to a path that is free.
func (p *proposal) move(f found, target, kind string) {
	p.taken[natural.Folded(target)] = true
	p.moves = append(p.moves, tools.Move{Path: f.path, To: target, Kind: kind, Size: f.info.Size(), MTime: mtime(f.info)})
}

// isNumbered reports whether a name is one that [tools.Numbered] makes of a stem.
func isNumbered(name, stem, ext string) bool {
	number, is := strings.CutPrefix(strings.TrimSuffix(name, ext), stem+" (")
	n, err := strconv.Atoi(strings.TrimSuffix(number, ")"))
	return is && err == nil && n >= 2 && name == tools.Numbered(stem, n, ext)
}

// isTaken reports whether something is at a path, or will be. Of several that some
// file system takes for one, the file itself counts as none.
func (p *proposal) isTaken(target, self string) bool {
	if p.taken[natural.Folded(target)] {
		return true
	}
	dir, name := path.Dir(target), natural.Folded(path.Base(target))
	itself := dir == path.Dir(self) && name == natural.Folded(path.Base(self))
	if names := p.names(dir); names != nil {
		n := names[name]
		if itself {
			n--
		}
		return n > 0
	}
	_, err := os.Lstat(target)
	return err == nil && !itself
}

// names are those in a folder, which is read once: to ask for thousands of paths
// one by one takes minutes over a share.
func (p *proposal) names(dir string) map[string]int {
	if names, known := p.there[dir]; known {
		return names
	}
	var names map[string]int
	entries, err := os.ReadDir(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		names = make(map[string]int, len(entries))
		for _, e := range entries {
			names[natural.Folded(e.Name())]++
		}
	}
	p.there[dir] = names
	return names
}

func mtime(st fs.FileInfo) string { return st.ModTime().UTC().Format(time.RFC3339Nano) }

// moveOf names a move for [tools.Window].
func moveOf(m tools.Move) string { return m.Path }

// isFolder refuses an input that is none.
func isFolder(r *job.Job, p string) bool {
	st, err := job.StatBeneath(p)
	if err == nil && st.IsDir() {
		return true
	}
	if err != nil {
		r.AddProblem(tools.InputProblem(p, err))
	} else {
		r.AddProblem(tools.Problem(tools.InputUnsupported, p, "not a folder"))
	}
	return false
}

// organize is file.organize.
func organize(ctx context.Context, r *job.Job, p *tools.FileOrganize) error {
	root := r.Order.Tool.In[0]
	if !isFolder(r, root) {
		return nil
	}
	files, err := files(ctx, r, []string{root}, p.Recursive)
	if err != nil {
		return err
	}
	return inParts(r, files, p.Window, moveOf, func() ([]tools.Move, error) { return organized(ctx, r, p, root, files) })
}

// organized is where files would go.
func organized(ctx context.Context, r *job.Job, p *tools.FileOrganize, root string, files []found) (moves []tools.Move, err error) {
	plan := newProposal()
	taken := strings.HasPrefix(p.By, "taken-")
	var beside map[string][]found
	if taken {
		beside = sidecarsOf(files)
	}
	for i, f := range files {
		r.Looked(i, len(files), f.path)
		kind := fileKind(f.path)
		when := f.info.ModTime()
		if taken {
			if kind != kindPicture && kind != kindVideo {
				continue
			}
			if when, err = takenAt(ctx, r, f); err != nil {
				return nil, err
			}
		}
		dir := ""
		switch p.By {
		case "kind":
			dir = folderNames[p.Language][kind]
		case "month", "taken-month":
			dir = path.Join(when.Format("2006"), when.Format("2006-01"))
		case "year", "taken-year":
			dir = when.Format("2006")
		case "kind-month":
			dir = path.Join(folderNames[p.Language][kind], when.Format("2006-01"))
		}
		plan.propose(f, path.Join(root, dir), path.Base(f.path), kind, beside[f.path]...)
	}
	return plan.moves, nil
}

// rename is file.rename.
func rename(ctx context.Context, r *job.Job, p *tools.FileRename) error {
	var all []found
	for _, in := range r.Order.Tool.In {
		files, err := files(ctx, r, []string{in}, false)
		if err != nil {
			return err
		}
		natural.Sort(files, func(f found) string { return path.Base(f.path) })
		all = append(all, files...)
	}
	return inParts(r, all, p.Window, moveOf, func() ([]tools.Move, error) { return renamed(ctx, r, p, all) })
}

// renamed is what files would be called.
func renamed(ctx context.Context, r *job.Job, p *tools.FileRename, files []found) ([]tools.Move, error) {
	digits := len(strconv.Itoa(p.Start + len(files) - 1))
	plan := newProposal()
	for i, f := range files {
		r.Looked(i, len(files), f.path)
		name, err := newName(ctx, r, p, f, fmt.Sprintf("%0*d", digits, p.Start+i))
		if err != nil {
			return nil, err
		}
		if !tools.FileName(name) || strings.HasPrefix(name, ".") { // which would hide the file
			r.FoundProblem(tools.Problem(tools.OutputName, f.path, fmt.Sprintf("%q cannot be a name", job.Bounded(name))))
			continue
		}
		plan.propose(f, path.Dir(f.path), name, fileKind(f.path))
	}
	return plan.moves, nil
}

// newName fills a pattern in.
func newName(ctx context.Context, r *job.Job, p *tools.FileRename, f found, n string) (string, error) {
	base := path.Base(f.path)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	if p.Find != "" {
		stem = strings.ReplaceAll(stem, p.Find, p.With)
	}
	when := f.info.ModTime()
	taken := when
	if strings.Contains(p.Pattern, "{taken}") {
		var err error
		if taken, err = takenAt(ctx, r, f); err != nil {
			return "", err
		}
		when = taken
	}
	name := strings.NewReplacer(
		"{name}", stem, "{ext}", ext, "{date}", f.info.ModTime().Format("2006-01-02"), "{taken}", taken.Format("2006-01-02"),
		"{time}", when.Format("15-04-05"), "{n}", n,
	).Replace(p.Pattern)
	switch p.Case {
	case "lower":
		name = strings.ToLower(name)
	case "upper":
		name = strings.ToUpper(name)
	}
	switch p.Spaces {
	case "dash":
		name = strings.Join(strings.Fields(name), "-")
	case "underscore":
		name = strings.Join(strings.Fields(name), "_")
	}
	return strings.TrimSpace(name), nil
}

// cleanup is file.cleanup.
func cleanup(ctx context.Context, r *job.Job, p *tools.FileCleanup) error {
	root := r.Order.Tool.In[0]
	if !isFolder(r, root) {
		return nil
	}
	files, err := files(ctx, r, []string{root}, false)
	if err != nil {
		return err
	}
	return inParts(r, files, p.Window, moveOf, func() ([]tools.Move, error) { return cleaned(ctx, r, p, root, files) })
}

// cleaned is where files would go, and which folders.
func cleaned(ctx context.Context, r *job.Job, p *tools.FileCleanup, root string, files []found) ([]tools.Move, error) {
	now := time.Now()
	if p.Now != "" {
		var err error
		if now, err = time.Parse(time.RFC3339, p.Now); err != nil {
			return nil, &wire.InvalidError{Field: "params.now", Reason: err.Error()}
		}
	}
	old := now.AddDate(0, 0, -p.Days)
	names := folderNames[p.Language]
	plan := newProposal()
	for i, f := range files {
		r.Looked(i, len(files), f.path)
		kind := fileKind(f.path)
		apart := kind == kindInstaller && p.Installers || kind == kindArchive && p.Archives
		dir := names[kind]
		switch {
		case apart && f.info.ModTime().Before(old):
			kind = "old-" + kind
			dir = names[kind]
		case p.Months && !apart:
			dir = path.Join(dir, f.info.ModTime().Format("2006-01"))
		}
		plan.propose(f, path.Join(root, dir), path.Base(f.path), kind)
	}
	if p.Empty {
		empty, err := emptyFolders(ctx, r, root, plan.moves)
		if err != nil {
			return nil, err
		}
		plan.moves = append(plan.moves, empty...)
	}
	return plan.moves, nil
}

// emptyFolders proposes to remove folders without any file in them, those
// within others first; none to which files are to go, and none that cannot be read.
func emptyFolders(ctx context.Context, r *job.Job, root string, moves []tools.Move) ([]tools.Move, error) {
	filled := map[string]bool{} // as [natural.Folded] has them
	for _, m := range moves {
		for dir := natural.Folded(path.Dir(m.To)); !filled[dir]; dir = path.Dir(dir) {
			filled[dir] = true
		}
	}
	content := map[string]int{} // by folder
	var dirs []found
	err := r.Walk(ctx, []string{root}, true, func(p string, d fs.DirEntry) error {
		content[path.Dir(p)]++
		if !d.IsDir() {
			return nil
		}
		if leaveAlone(d.Name()) || isPackage(d.Name()) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			r.FoundProblem(tools.InputProblem(p, err))
			return fs.SkipDir
		}
		dirs = append(dirs, found{path: p, info: info})
		return nil
	})
	var out []tools.Move
	for i := len(dirs) - 1; i >= 0; i-- { // what is within comes after in the walk
		d := dirs[i]
		if content[d.path] == 0 && !filled[natural.Folded(d.path)] && readable(d.path) {
			content[path.Dir(d.path)]--
			out = append(out, tools.Move{Path: d.path, Kind: kindEmpty, MTime: mtime(d.info)})
		}
	}
	return out, err
}

func readable(dir string) bool {
	_, err := os.ReadDir(dir)
	return err == nil
}

// takenAt is when a picture or film was taken, by its camera, else when the file was
// changed.
func takenAt(ctx context.Context, r *job.Job, f found) (time.Time, error) {
	from, err := job.OpenSource(ctx, f.path)
	if err != nil {
		return f.info.ModTime(), job.Serious(err)
	}
	defer from.Close()
	said := from.PictureTaken()
	if said == "" && fileKind(f.path) != kindVideo { // which would be read to its end
		s, err := job.ReadPicture(ctx, from, nil)
		if err != nil {
			return f.info.ModTime(), job.Serious(err)
		}
		said = s.Taken
	}
	t, err := time.Parse(time.RFC3339, said)
	if err != nil {
		return f.info.ModTime(), nil
	}
	return t, nil
}
