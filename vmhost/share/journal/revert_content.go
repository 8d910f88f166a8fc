package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// asLeft is what is expected of o: what the task left, or what an action of this step made of it.
func (x *revert) asLeft(i *item, o *ledger.Object) steps.State {
	if i.after == (ledger.State{}) && o == i.Object {
		i.after = x.after(o)
	}
	st := steps.State{Kind: o.Kind}
	if i.force {
		return st
	}
	after, seen := x.after(o), i.seen
	st.Same = func(p steps.Opened, now at.Info) (bool, error) {
		if o == i.Object && seen.ID != (at.ID{}) {
			return stillSeen(seen, now), nil
		}
		return x.isAsLeft(p, o, now, after)
	}
	return st
}

// stillSeen reports whether a thing is what it was a moment ago, with the same content. Its other times
// do not count: undo gives files further names. Neither does a number that is made up anew when the
// file leaves the cache.
func stillSeen(was, now at.Info) bool {
	return !was.ID.Other(now.ID) && (now.Kind == at.Directory || ledger.StateOf(was).SameData(ledger.StateOf(now)))
}

// isAsLeft reports whether what is at a place is o as the task left it. A mode that a person set since
// is no reason to keep the content.
func (x *revert) isAsLeft(p steps.Opened, o *ledger.Object, info at.Info, after ledger.State) (bool, error) {
	now := ledger.StateOf(info)
	switch o.Kind {
	case at.Directory:
		return !o.Made || !o.Ident.Other(info.ID), nil
	case at.Special:
		return !o.Ident.Other(info.ID), nil
	case at.Symlink:
		target, err := p.Dir.Readlink(p.Name)
		return err == nil && ledger.Raw(target) == o.Last.Target, nil
	}
	same := !o.Ident.Other(info.ID)
	switch {
	case after.Lost:
		return x.resumed && same && x.isHalf(p, o, info), nil
	case same && now.Untouched(after) && (after.Sum == "" || !info.Coarse()):
		return true, nil
	case o.Made && info.Size == 0 && same && !info.MTime.After(after.MTime()) && !info.MTime.After(x.ended.Add(recorder.DeathSlack)):
		return true, nil // a power cut took what was in it: whoever empties a file gives it a time after the task's
	case after.Sum == "" && (o.Made || o.Image != nil):
		// Changed by the task and not hashed; or the task changed its attributes, and its
		// content was kept later, with a name that it lost.
		return same && (now.Untouched(after) || x.isBase(p, o, info)), nil
	case after.Sum == "":
		return now.SameData(after), nil
	case info.Size != after.Size:
		return false, nil // nobody hashes what a guest made of it since
	}
	sum, err := x.sum(p, info)
	return sum == after.Sum, err
}

// isBase reports whether what is at a place has the content that o had before.
func (x *revert) isBase(p steps.Opened, o *ledger.Object, info at.Info) bool {
	switch {
	case info.Kind != o.Kind:
		return false
	case o.Kind == at.Symlink:
		target, err := p.Dir.Readlink(p.Name)
		return err == nil && ledger.Raw(target) == o.Base.Target
	case o.Kind != at.File || info.Size != o.Base.Size || o.Base.Sum == "":
		return false
	}
	sum, err := x.sum(p, info)
	return err == nil && sum == o.Base.Sum
}

func (x *revert) sum(p steps.Opened, info at.Info) (string, error) {
	sum, got, err := recorder.SumAt(x.ctx, p.Dir, p.Name)
	if err == nil && got.ID != info.ID {
		return "", ErrRaced
	}
	return sum, err
}

// isHalf reports whether a file that a run was writing into when the program died has nothing in it
// but what was there before and what the run found there, which both journals keep: then it is
// finished, and nothing is lost with it.
func (x *revert) isHalf(p steps.Opened, o *ledger.Object, info at.Info) bool {
	x.into.Mu.Lock()
	mine := x.into.Tables.Inodes[info.ID]
	x.into.Mu.Unlock()
	if o.Image == nil || info.Kind != at.File || mine == nil || mine.Image == nil {
		return false
	}
	f, got, err := p.Dir.Open(p.Name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	var sides []io.ReaderAt
	list, inParts := spans.Set{{End: got.Size}}, false
	for _, side := range []struct {
		j *recorder.Recorder
		o *ledger.Object
	}{{x.from, o}, {x.into, mine}} {
		image, _ := side.j.Kept(side.o)
		c, err := image.Open(nil)
		if err != nil {
			return false
		}
		defer c.Close()
		sides = append(sides, c)
		if parts, err := image.Parts(); err == nil && side.j == x.from { // the rest was never written into
			list, inParts = parts.Covered(), true
			list.Add(spans.Span{Off: parts.Size, End: max(parts.Size, got.Size)})
		}
	}
	for _, s := range list {
		if !recorder.Pieces(x.ctx, f, s, sides...) {
			return false
		}
	}
	if !inParts || o.Base.Sum == "" {
		return true
	}
	image, _ := x.from.Kept(o)
	whole, err := image.Open(func() (*Content, error) {
		return recorder.NewContent(io.NewSectionReader(f, 0, got.Size), func() error { return nil }), nil
	})
	if err != nil {
		return false
	}
	defer whole.Close()
	sum, err := Sum(x.ctx, whole)
	return err == nil && sum == o.Base.Sum
}

// beginFile chooses where the content of a deleted file comes from: the file itself, which the journal
// took when it lost its name, or a copy.
func (x *revert) beginFile(ctx context.Context, s *steps.Step, i *item) error {
	o := i.Place
	image, ref := x.from.Kept(o)
	if ref != nil {
		name := ledger.StoreName(o.ID, o.Ref)
		take, err := x.mayTake(i, name)
		if err != nil && image == nil {
			return err
		}
		if take && err == nil {
			s.Take = func(d *at.Dir, to string) error { return x.from.Refs.RenameNoReplace(name, d, to) }
			s.Return = func(d *at.Dir, from string) error { return d.RenameNoReplace(from, x.from.Refs, name) }
			s.Content = func() (*steps.Content, error) { return nil, fmt.Errorf("%w: it cannot leave the journal", ErrNoImage) }
			i.apart = ""
			return nil
		}
	}
	if image == nil && ref == nil {
		return ErrNoImage
	}
	if ref != nil {
		i.apart = ledger.StoreName(o.ID, o.Ref)
	}
	if i.staged {
		s.Staged, i.complete = true, true
		return nil
	}
	if err := x.ready(ctx, s, i); err != nil || i.complete {
		return err
	}
	if err := x.stage(ctx, i, s.At, nil); err != nil {
		return err
	}
	s.Staged, i.staged, i.complete = true, true, true
	x.step("staged")
	return nil
}

// ready reports whether the place of a step is as expected, before a file is made for it.
func (x *revert) ready(ctx context.Context, s *steps.Step, i *item) error {
	p, now, err := s.At.Look()
	defer p.End()
	switch {
	case p.Dir == nil:
		return err
	case errors.Is(err, steps.ErrGone) && s.Do == steps.Create || i.force:
		return nil
	case err != nil:
		return err
	case s.Already != nil && s.Already(p, now):
		return nil
	case s.Do == steps.Create:
		return fs.ErrExist
	}
	if err := s.Expect.Check(ctx, p, now); err != nil {
		return err
	}
	if i.Place == nil {
		i.seen = now
	}
	return nil
}

// mayTake reports whether the file that the journal has taken in is what comes back: it has the content
// from before, or has other names, so that it gets that in its place. A person may have changed it
// through one of these since: then it is theirs, and ErrRaced.
func (x *revert) mayTake(i *item, name string) (bool, error) {
	o := i.Place
	f, info, err := recorder.OpenOwn(x.from.Refs, name, os.O_RDONLY)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	defer f.Close()
	i.seen = info
	now, after := ledger.StateOf(info), x.after(o)
	if info.NLink < 2 && info.Size != o.Base.Size && info.Size != after.Size && !after.Lost {
		return false, fmt.Errorf("%w: it has %d of %d bytes", ErrNoImage, info.Size, after.Size)
	}
	left := !after.Lost && after.SameData(now)
	if o.Image == nil && (info.NLink < 2 || left || now.SameData(o.Base)) {
		return true, nil
	}
	if o.Base.Sum != "" && info.Size == o.Base.Size {
		sum, err := Sum(x.ctx, f)
		if err != nil {
			return false, err
		}
		if sum == o.Base.Sum {
			i.step.Sum = sum
			return true, nil
		}
	}
	switch {
	case info.NLink < 2:
		return o.Image == nil, nil
	case left:
		return true, nil
	case i.force && o.Image == nil:
		i.asIs = true // they said so
		return true, nil
	}
	return false, fmt.Errorf("%w: it was changed through another name", ErrRaced)
}

// stage makes a file with what o had before, under the temporary name of a change in the directory of a
// place, and writes it down. like, where it is not nil, gives it its owner, rights and attributes.
func (x *revert) stage(ctx context.Context, i *item, pl steps.Place, like *os.File) error {
	if err := x.makeStaged(ctx, i, pl, like); err != nil {
		return err
	}
	return x.recordStaged(i, pl)
}

func (x *revert) recordStaged(i *item, pl steps.Place) error {
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return pl.Folder.Staged(recorder.Place{Dir: d, Path: pl.Dir, Name: i.step.Temp}, i.Object.ID, i.Object.Base.Sum)
}

// errOwner says that a new file cannot be given what the one in its place is.
var errOwner = errors.New("owner, group or access rights cannot be given to a new file")

func (x *revert) makeStaged(ctx context.Context, i *item, pl steps.Place, like *os.File) error {
	o := i.Object
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	mode, mtime, attrs := o.Base.Mode, o.Base.MTime(), o.Attrs
	if like != nil {
		info, err := at.Stat(like)
		if err != nil {
			return err
		}
		mode, attrs = *x.modeFor(i, info), x.attrsFor(i, pl)
	}
	var taken *os.File // nobody wrote the attributes and the owner of a file down that the journal took in
	if like == nil && o.Ref != 0 {
		if taken, _, err = recorder.OpenOwn(x.from.Refs, ledger.StoreName(o.ID, o.Ref), os.O_RDONLY); err == nil {
			defer taken.Close()
		}
	}
	return recorder.Stage(d, i.step.Temp, func(f *os.File, was at.Info) error {
		if err := x.fill(ctx, o, f); err != nil {
			return err
		}
		if taken != nil && attrs == nil {
			at.CopyAttributes(f, taken)
		}
		if like != nil {
			at.CopyAttributes(f, like)
			own, err := at.FileAttrs(like).Owner()
			if err == nil && own != nil {
				err = d.SetOwnerOfNew(f, own)
			}
			if err != nil {
				return fmt.Errorf("%w: %w", errOwner, err)
			}
		} else {
			x.copyAttributes(o, f)
			if err := d.SetOwnerOfNew(f, ownerOf(o)); err != nil {
				x.lacks(o, err)
			}
		}
		if attrs != nil {
			if err := at.FileAttrs(f).SetAll(attrs); err != nil {
				return err
			}
		}
		if err := errors.Join(at.SetMode(f, mode), at.SetTimes(f, was.ATime, mtime)); err != nil {
			return err
		}
		if o.Owner != nil { // writing took its capabilities
			if value, ok := o.Owner.Set[at.Capability]; ok {
				if err := at.FileAttrs(f).SetCapability(value); err != nil {
					x.lacks(o, err)
				}
			}
		}
		if !i.force && x.inOneGo(o.Folder, was.Dev) {
			return nil
		}
		return at.Sync(f)
	})
}

// copyAttributes gives a new file the attributes of the one that the journal took in: they are kept
// apart only where the task changed them.
func (x *revert) copyAttributes(o *ledger.Object, f *os.File) {
	if o.Ref == 0 || o.Attrs != nil {
		return
	}
	was, info, err := recorder.OpenOwn(x.from.Refs, ledger.StoreName(o.ID, o.Ref), os.O_RDONLY)
	if err != nil {
		return // its content comes back all the same
	}
	defer was.Close()
	if !o.Ident.Other(info.ID) {
		at.CopyAttributes(f, was)
	}
}

// fill writes what o had before into an empty file.
func (x *revert) fill(ctx context.Context, o *ledger.Object, f *os.File) error {
	if image, ref := x.from.Kept(o); image != nil && ref == nil && image.Whole() {
		return image.WriteTo(f, false)
	}
	c, err := x.from.Before(ctx, x.roots, o)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.CopyTo(f, o.Base.Sum)
}

// stageLike stages what takes the place of a file, unless that was done. It reports whether the
// content is to be written into the file itself, because a new one cannot have what this one is.
func (x *revert) stageLike(i *item, s *steps.Step, info at.Info) (inPlace bool, err error) {
	if i.staged {
		return false, nil
	}
	d, err := s.At.Folder.Root.Dir(s.At.Dir)
	if err != nil {
		return false, err
	}
	defer d.Close()
	like, got, err := d.Open(s.At.Name, os.O_RDONLY)
	if err == nil {
		defer like.Close()
		if got.ID != info.ID {
			return false, ErrRaced
		}
	} else if !errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	if err := x.stage(x.ctx, i, s.At, like); err != nil {
		return errors.Is(err, errOwner), ignore(err, errOwner)
	}
	i.staged = true
	x.step("staged")
	return false, nil
}

func ignore(err, not error) error {
	if errors.Is(err, not) {
		return nil
	}
	return err
}

// verify compares what is kept of a file with its checksums before it is written into the file itself.
func (x *revert) verify(o *ledger.Object, pl steps.Place) error {
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	f, _, err := recorder.OpenOwn(d, pl.Name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	image, _ := x.from.Kept(o)
	return image.Verify(f)
}

// contentInPlace is what is written into the file itself.
func (x *revert) contentInPlace(o *ledger.Object) (*steps.Content, error) {
	image, _ := x.from.Kept(o)
	room, err := image.Room()
	if err != nil {
		return nil, err
	}
	c, err := image.Open(nil)
	if err != nil {
		return nil, err
	}
	out := &steps.Content{ReaderAt: c, Size: c.Size(), Room: room, End: func() { _ = c.Close() }}
	p, err := image.Parts()
	if err != nil { // it is whole
		out.Spans = c.Data()
		return out, nil
	}
	out.Keep, out.Spans, out.Zeros = c.Size(), p.Data(), p.Zeros()
	return out, nil
}

// keep syncs before-images and staged files before the first step. A run of recorder.Many steps syncs
// them together, where the system has syncfs(2); in a shorter run each step syncs its own. Files of
// directories that the run has yet to make are kept in a later round.
func (x *revert) keep(ctx context.Context) error {
	if x.lazy = len(x.items) >= recorder.Many && at.SyncsAll; !x.lazy {
		return nil
	}
	return x.keepRound(ctx)
}

func (x *revert) keepRound(ctx context.Context) error {
	var staged []*item
	total, kept := int64(0), 0
	for _, i := range x.items {
		if i.kept || i.done() || i.conflict != nil {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		list, ok := x.places(i)
		if !ok {
			continue
		}
		i.kept = true
		kept++
		for _, pl := range list {
			d, err := pl.Folder.Root.Dir(pl.Dir)
			if err == nil {
				err = pl.Folder.Keep(recorder.Place{Dir: d, Path: pl.Dir, Name: pl.Name}, i.Fix != nil && i.Fix.Kind != at.Symlink)
				d.Close()
			}
			if err != nil && !recorder.IsMissing(err) {
				x.from.Log.Info("journal: what a step destroys is kept when its turn comes", "path", i.Change.Path, "err", err)
			}
		}
		if o := x.stageable(i); o != nil && total+o.Image.Size <= stageBytes {
			total += o.Image.Size
			staged = append(staged, i)
		}
	}
	if kept == 0 {
		return nil
	}
	if err := x.prestage(ctx, staged); err != nil {
		return err
	}
	for t, s := range x.sites {
		if err := s.root.SyncAll(); err != nil {
			return fmt.Errorf("making %q durable: %w", t.Path, err)
		}
	}
	if err := x.into.Store.SyncAll(); err != nil {
		return err
	}
	return x.into.Sync(x.into.File.Position())
}

const (
	stageBytes  = 512 << 20 // at most so many are on the disk twice
	stageAtOnce = 16        // files
)

// places are the places that taking a change back changes, and whether their directories are in
// their places already.
func (x *revert) places(i *item) (list []steps.Place, ok bool) {
	names := map[*ledger.Entry]bool{i.Remove: true, i.Entry: true}
	if i.Place != nil {
		names[x.from.Gained(i.Place)] = true
	}
	delete(names, nil)
	ok = true
	add := func(pl steps.Place, err error) {
		if err == nil {
			list = append(list, pl)
		} else if errors.Is(err, steps.ErrWait) {
			ok = false
		}
	}
	for e := range names {
		if pl, err := x.slot(e.Dir, e.Name, false); i.Place != nil || !e.Dir.Made || !errors.Is(err, steps.ErrWait) {
			add(pl, err)
		}
	}
	if i.Fix != nil && i.Place == nil {
		add(x.spot(i.Fix, false))
	}
	return list, ok
}

// target is the place where the content of a file is put.
func (x *revert) target(i *item) (pl steps.Place, ok bool) {
	err := fs.ErrNotExist
	switch {
	case i.Place != nil:
		pl, err = x.slot(i.Entry.Dir, i.Entry.Name, false)
	case i.Fix != nil:
		pl, err = x.spot(i.Fix, false)
	}
	return pl, err == nil
}

// stageable returns the object whose content is going to be put under a name in a directory that is
// there already and stays.
func (x *revert) stageable(i *item) *ledger.Object {
	o := i.Object
	if o == nil || o.Kind != at.File || o.Image == nil || o.Image.Parts || o.Ref != 0 || o.Base.Links > 1 || i.Change.Effect == EffectMove {
		return nil
	}
	if i.after = x.after(o); i.Place == nil && (!i.contentDiffers() || !at.KeepsOwner) {
		return nil
	}
	return o
}

// prestage stages files, several at a time.
func (x *revert) prestage(ctx context.Context, list []*item) error {
	places := make([]steps.Place, len(list))
	made := make([]bool, len(list))
	var group errgroup.Group
	group.SetLimit(stageAtOnce)
	for n, i := range list {
		pl, ok := x.target(i)
		if !ok {
			continue
		}
		places[n] = pl
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			made[n] = x.prestageOne(ctx, i, pl) == nil // else it is staged when its turn comes
			return nil
		})
	}
	_ = group.Wait()
	for n, i := range list {
		if made[n] {
			if err := x.recordStaged(i, places[n]); err != nil {
				return err
			}
			i.staged = true
			x.step("staged")
		}
	}
	x.step("prestaged")
	return nil
}

func (x *revert) prestageOne(ctx context.Context, i *item, pl steps.Place) error {
	if i.Place != nil {
		return x.makeStaged(ctx, i, pl, nil)
	}
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	like, info, err := d.Open(pl.Name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer like.Close()
	if info.NLink > 1 {
		return ErrRaced
	}
	return x.makeStaged(ctx, i, pl, like)
}

// sweep removes what stands under temporary names and was not used.
func (x *revert) sweep() {
	x.into.Mu.Lock()
	type name struct {
		dir  *ledger.Object
		name string
	}
	var list []name
	for _, e := range x.into.Tables.Entries {
		if strings.HasPrefix(e.Name, x.prefix()) && e.Cur != nil {
			list = append(list, name{e.Dir, e.Name})
		}
	}
	x.into.Mu.Unlock()
	for _, n := range list {
		x.into.Mu.Lock()
		rel, ok := x.into.Tables.DirPath(n.dir)
		x.into.Mu.Unlock()
		for t, s := range x.sites {
			if ok && t.ID == n.dir.Folder.ID {
				x.discard(t, steps.Place{Folder: s.strict, Dir: rel, Name: n.name})
			}
		}
	}
	for _, i := range x.items {
		if i.staged && !i.done() {
			i.staged = false
		}
	}
}

// sweepDirs is sweep for what a run that was interrupted left, and may have had no time to write down.
func (x *revert) sweepDirs() {
	for o := range x.dirs {
		d, err := x.open(o)
		if err != nil {
			continue
		}
		names, err := d.Names(-1)
		d.Close()
		for _, name := range names {
			if err != nil || !strings.HasPrefix(name, x.prefix()) {
				continue
			}
			if pl, err := x.slot(o, name, true); err == nil {
				x.discard(o.Folder, pl)
			}
		}
	}
}

// discard removes a file under a temporary name, or gives it back to the store that it was taken from.
// What was lifted is on its way.
func (x *revert) discard(t *ledger.Folder, pl steps.Place) {
	x.from.Mu.Lock()
	e := x.from.Tables.Names[ledger.Name{Dir: t.Root.ID, Name: pl.Name}]
	lifted := e != nil && e.Cur != nil
	x.from.Mu.Unlock()
	info, err := x.lstat(pl)
	if lifted || err != nil || info.Kind == at.Directory {
		return
	}
	x.from.Mu.Lock()
	o := x.from.Tables.Inodes[info.ID]
	taken := o != nil && o.Ref != 0
	x.from.Mu.Unlock()
	var back func(d *at.Dir, name string) error
	if taken {
		back = func(d *at.Dir, name string) error {
			return d.RenameNoReplace(name, x.from.Refs, ledger.StoreName(o.ID, o.Ref))
		}
	}
	if err := steps.Discard(pl, back); err != nil && !steps.IsMissing(err) {
		x.from.Log.Warn("journal: a file under a temporary name stays", "name", pl.Name, "err", err)
	}
}

// putBeside makes a file with what was before beside what is there now.
func (x *revert) putBeside(i *item) (bool, error) {
	o := i.Object
	if o == nil || o.Kind != at.File {
		return false, nil
	}
	x.from.Mu.Lock()
	dir, name, ok := x.from.Tables.Spot(o)
	if i.Entry != nil {
		dir, name, ok = i.Entry.Dir, i.Entry.Name, true
	}
	x.from.Mu.Unlock()
	if !ok {
		return false, nil
	}
	pl, err := x.slot(dir, i.step.Temp, true)
	if err != nil {
		return false, nil // there is nothing to put it beside
	}
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return false, nil
	}
	d.Close()
	got := x.wasBeside(o, pl, name)
	if got == "" && !i.staged {
		if err := x.stageBeside(i, pl); err != nil {
			return false, err
		}
	}
	if got == "" {
		err = fs.ErrExist
	}
	for n := 1; errors.Is(err, fs.ErrExist) && n <= 1000; n++ {
		got = BesideName(name, x.opts.Label, n)
		err = x.rename(pl, steps.Place{Folder: pl.Folder, Dir: pl.Dir, Name: got})
	}
	i.staged = false
	if err != nil {
		_ = steps.Discard(pl, nil)
		return false, err
	}
	x.besideIs(i, steps.Place{Dir: pl.Dir, Name: got})
	i.beside, i.removed, i.placed, i.fixed = true, true, true, true
	if err := x.markAt(i, steps.Place{Folder: pl.Folder, Dir: pl.Dir, Name: got}); err != nil {
		return true, nil // it cannot be done again
	}
	return true, nil
}

// wasBeside returns the name under which the run that was interrupted put o beside its own, "" for none.
func (x *revert) wasBeside(o *ledger.Object, pl steps.Place, name string) string {
	for n := 1; x.resumed && n < 1000; n++ {
		got := BesideName(name, x.opts.Label, n)
		info, err := x.lstat(steps.Place{Folder: pl.Folder, Dir: pl.Dir, Name: got})
		if err != nil {
			return ""
		}
		if info.Size == o.Base.Size && ledger.StateOf(info).MTime().Equal(o.Base.MTime()) && x.madeByRun(info.ID) {
			return got
		}
	}
	return ""
}

// stageBeside stages the content that o had before, or has where the task only moved it.
func (x *revert) stageBeside(i *item, pl steps.Place) error {
	o := i.Object
	if o.Image != nil || o.Ref != 0 {
		return x.stage(x.ctx, i, pl, nil)
	}
	c, err := x.from.Present(x.ctx, x.roots, o)
	if err != nil {
		return err
	}
	defer c.Close()
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = recorder.Stage(d, i.step.Temp, func(f *os.File, was at.Info) error {
		if err := c.CopyTo(f, ""); err != nil {
			return err
		}
		return errors.Join(at.SetMode(f, o.Base.Mode), at.SetTimes(f, was.ATime, o.Base.MTime()), at.Sync(f))
	})
	if err != nil {
		return err
	}
	return x.recordStaged(i, pl)
}

// markAt is mark for what is at a place.
func (x *revert) markAt(i *item, pl steps.Place) error {
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Lstat(pl.Name)
	if err == nil {
		x.mark(i, steps.Opened{Place: recorder.Place{Dir: d, Path: pl.Dir, Name: pl.Name}, Folder: pl.Folder}, info, true)
	}
	return err
}
