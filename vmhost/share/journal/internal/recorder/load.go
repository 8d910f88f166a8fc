package recorder

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// load reads the log and finds out what a crash left; j.Mu is held.
func (j *Recorder) load() error {
	var err error
	if j.Store, err = at.OpenRoot(j.dir); err != nil {
		return err
	}
	for name, d := range map[string]**at.Dir{"refs": &j.Refs, "images": &j.Image} {
		if *d, err = j.Store.Dir(name); err != nil {
			return err
		}
	}
	skipped := 0
	j.File, err = ledger.OpenLog(filepath.Join(j.dir, "log"), func(r ledger.Record, when time.Time) error {
		if err := j.Tables.Apply(r, when); err != nil {
			skipped++ // whole and yet meaningless: the rest may still be undone
		}
		return nil
	}, func() []byte { return j.Tables.Secret })
	if err != nil {
		return err
	}
	if skipped > 0 {
		j.Log.Warn("journal: records that refer to nothing were skipped", "dir", j.dir, "records", skipped)
	}
	j.death = j.Tables.LastT
	cut := !j.Tables.Clean && !sameBoot(j.dir)
	if lost := j.File.Lost(); lost > 0 {
		j.Log.Error("journal: the log is damaged; what stood there is not known any more", "dir", j.dir, "bytes", lost)
		cut = true
	}
	if cut && !j.Tables.Undoing { // what undo did without a record, it finds itself
		if err := doubt(j, j.Tables.Doubts()); err != nil {
			return err
		}
	}
	for _, o := range j.Tables.Objects {
		if o.Image != nil && o.Image.Ahead {
			o.Synced = 1 // what is in the log now is durable
		}
		o.Stale = true
		j.stale = j.stale || o.Touch == ledger.TouchOpen
	}
	for _, e := range j.Tables.Entries {
		j.stale = j.stale || !e.Sure
	}
	if len(j.Tables.Secret) == 0 {
		var id [8]byte
		secret := make([]byte, 16)
		_, _ = rand.Read(id[:]) // never fails (crypto/rand)
		_, _ = rand.Read(secret)
		head := ledger.HeadRecord{ID: j.Tables.ID, Secret: secret}
		if head.ID == "" {
			head.ID, head.Object, head.Entry = hex.EncodeToString(id[:]), j.opts.Above, j.opts.Above
		}
		if _, err := j.Put(head); err != nil {
			return err
		}
		if err := errors.Join(j.File.Sync(j.File.Position()), wal.SyncDir(j.dir), wal.SyncDir(filepath.Dir(j.dir))); err != nil {
			return err
		}
	}
	if err := j.sweep(); err != nil {
		return err
	}
	j.noteBoot()
	j.compact = j.Tables.Compacted
	if j.File.Lost() > 0 || j.long() {
		j.shorten()
	}
	return nil
}

// doubt puts records of what a crash left, of the time of the last change before; j.Mu is held.
func doubt(j *Recorder, recs []ledger.Record) error {
	when := j.Tables.LastOp
	for part := range slices.Chunk(recs, 1000) {
		if _, err := ledger.AppendTo(j.File, when, part...); err != nil {
			return err
		}
		for _, r := range part {
			if err := j.Tables.Apply(r, when); err != nil {
				j.Log.Error("journal: a doubt has no subject", "err", err)
			}
		}
	}
	return nil
}

// sweep looks at what is in the store: references whose record was not written, or of which
// a record said that they are not needed while a name waits for them, and images that nothing
// refers to.
func (j *Recorder) sweep() error {
	names, err := j.Refs.Names(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		var o, g uint32
		if _, err := fmt.Sscanf(name, "%d.%d", &o, &g); err != nil {
			continue
		}
		obj := j.Tables.Objects[o]
		if obj == nil || obj.Ref != 0 || g != obj.Gen+1 && (j.Tables.Alive(obj) || !obj.Awaited()) {
			continue
		}
		if _, err := j.Put(ledger.RefRecord{Object: o, Gen: g}); err != nil {
			return err
		}
		for _, e := range obj.Spots { // the name with which it went there may be recorded as it was before
			if !e.Sure {
				continue
			}
			if _, err := j.Put(ledger.TouchRecord{Entry: e.ID}); err != nil {
				return err
			}
			j.stale = true
		}
	}
	return j.SweepStore()
}

// SweepStore removes what nothing refers to, and counts the rest; j.Mu is held.
func (j *Recorder) SweepStore() error {
	used := map[string]bool{}
	for _, o := range j.Tables.Objects {
		if o.Image != nil && o.Image.Inline == nil {
			used["i"+ledger.StoreName(o.ID, o.Image.Gen)] = true
		}
		if o.Ref != 0 {
			used["r"+ledger.StoreName(o.ID, o.Ref)] = true
		}
	}
	total := int64(0)
	for _, store := range []struct {
		kind string
		dir  *at.Dir
	}{{"i", j.Image}, {"r", j.Refs}} {
		names, err := store.dir.Names(-1)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !used[store.kind+name] && store.kind != "r" {
				_ = store.dir.Remove(name)
			} else if info, err := store.dir.Lstat(name); err == nil {
				total += info.Size
			}
		}
	}
	j.used = total
	return nil
}
