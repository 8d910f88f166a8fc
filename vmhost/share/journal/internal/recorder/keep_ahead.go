package recorder

import (
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// A program that overwrites or deletes one small file of a directory after the
// other would wait for the disk once for each. So after a few of them the files
// that may be next are kept ahead, many with one sync: their object, attributes
// and content. When the task then changes such a file it need not wait for the disk.
//
// Its own records may be lost in a power cut. So when the journal was not closed in
// order the disk is asked about all that was kept ahead (ledger.Doubts): a file that is not
// where it was has been deleted by the task, and one that differs has been changed by it.
//
// Without this, 3,000 files of 4 KiB took 1.5 to 5 times as long to overwrite and 4 to 8
// times as long to delete, on ext4 with the journal beside the folder (BenchmarkOverwrite,
// BenchmarkRemove).
const (
	streakFrom = 3       // files that were waited for
	reachFirst = 16      // files kept ahead the first time, twice as many the next
	reachMost  = 256     //
	reachBytes = 4 << 20 // of content at a time
	reachNames = 8192    // of a directory that are looked at
)

// keptAhead reports whether nothing has to be waited for when o loses its content.
func (j *Recorder) keptAhead(o *ledger.Object) bool {
	j.Mu.Lock()
	ahead := o.Synced
	j.Mu.Unlock()
	return ahead > 0 && j.File.Synced() >= ahead
}

// waited notes that a file in dir had to be waited for.
func (j *Recorder) waited(dir *ledger.Object) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	dir.Streak++
}

// lone reports whether o may lose the name p at once: it was kept ahead under
// this name, is still as it was then, and has no other.
func (f *Changer) lone(o, dir *ledger.Object, p Place, info at.Info) bool {
	if o.Kind != at.File || info.NLink != 1 || f.J.refute(o, info) != nil || !f.J.keptAhead(o) {
		return false
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	return o.Image != nil && f.J.Tables.Home(o) && o.Dir == dir && o.Alias == p.Name
}

// refute gives up what was kept ahead of a file that a person changed since.
func (j *Recorder) refute(o *ledger.Object, info at.Info) error {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if now := ledger.StateOf(info); o.Synced > 0 && o.Touch == ledger.TouchNone && o.Writers == 0 && !o.Last.Untouched(now) {
		_, err := j.Put(rebased(o, info, now)...)
		return err
	}
	return nil
}

// keepAhead keeps files of a directory in which one after the other is waited
// for. What does not work is left for its turn. f.names is held.
func (f *Changer) keepAhead(dir *ledger.Object, d *at.Dir) {
	j := f.J
	j.Mu.Lock()
	due := dir.Streak >= streakFrom
	if due {
		dir.Streak = 0
		dir.Reach = min(max(2*dir.Reach, reachFirst), reachMost)
	}
	left := dir.Reach
	j.Mu.Unlock()
	if !due {
		return
	}
	names, err := d.Names(reachNames)
	if err != nil {
		return
	}
	room, done := int64(reachBytes), []*ledger.Object(nil)
	for _, name := range names {
		if left == 0 || room <= 0 {
			break
		}
		j.Mu.Lock()
		key := ledger.Name{Dir: dir.ID, Name: name}
		known := j.Tables.Names[key] != nil || j.Tables.Homes[key] != nil && j.Tables.Homes[key].Image != nil
		j.Mu.Unlock()
		if known {
			continue
		}
		o, size := f.keepOne(dir, d, name)
		if o != nil {
			done, left, room = append(done, o), left-1, room-size
		}
	}
	if len(done) == 0 {
		return
	}
	pos := j.File.Position()
	if j.Sync(pos) != nil {
		return
	}
	j.Mu.Lock()
	for _, o := range done {
		o.Synced = pos
	}
	j.Mu.Unlock()
	j.Step("ahead")
}

// keepOne keeps one file ahead, nil when it is none for that.
func (f *Changer) keepOne(dir *ledger.Object, d *at.Dir, name string) (*ledger.Object, int64) {
	j := f.J
	d.CopyUp(name, j.knows)
	info, err := d.Lstat(name)
	if err != nil || info.Kind != at.File || info.Size > ledger.MaxInline || info.Size > j.PartsFrom || info.NLink != 1 || info.Online ||
		info.Coarse() { // what a person does to it meanwhile would not be seen
		return nil, 0
	}
	file, got, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, 0
	}
	defer file.Close()
	data, err := ReadFile(file, got.Size)
	n := int64(len(data))
	if err != nil || n != got.Size || got.ID != info.ID {
		return nil, 0
	}
	j.Mu.Lock()
	if after, err := at.Stat(file); err != nil || !ledger.StateOf(after).Untouched(ledger.StateOf(got)) || j.full(n+at.MaxName) != nil {
		j.Mu.Unlock()
		return nil, 0
	}
	o, err := f.meet(dir, name, got, "")
	fit := err == nil && !o.Made && o.Image == nil && o.Ref == 0 && o.Touch == ledger.TouchNone && o.Writers == 0 && j.Tables.Home(o)
	if now := ledger.StateOf(got); fit && !o.Last.Untouched(now) {
		// What is compared after a crash must be what is kept.
		_, err = j.Put(rebased(o, got, now)...)
		fit = err == nil
	}
	j.Mu.Unlock()
	if !fit {
		return nil, 0
	}
	o.Keep.Lock()
	defer o.Keep.Unlock()
	if a := at.FileAttrs(file); f.keepAttrs(o, a, true) != nil || f.keepOwner(o, a) != nil || j.known(o).image {
		return nil, 0
	}
	if f.putInline(o, got, data, j.known(o).gen+1, true) != nil {
		return nil, 0
	}
	return o, n
}
