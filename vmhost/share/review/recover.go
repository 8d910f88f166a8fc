package review

import (
	"errors"
	"io/fs"
	"path/filepath"

	"piwork/vmhost/share/internal/wal"
)

// replay takes the log over.
func (l *base) replay() (err error) {
	skipped := 0
	var chain []*record // of one step
	l.wal, err = wal.Open(filepath.Join(l.dir, "log"), magic, func(body []byte, _ int64) error {
		r, err := decode(body)
		if err != nil {
			skipped++ // whole and yet meaningless: the rest may still be shown
			return nil
		}
		if r.Void {
			chain = nil
		}
		if chain = append(chain, r); r.More {
			return nil
		}
		for _, r := range chain {
			if err := l.t.apply(r); err != nil {
				skipped++
			}
		}
		chain = nil
		return nil
	}, nil) // a step without the one before it may mean something else
	if err != nil {
		return err
	}
	if skipped > 0 {
		l.log.Warn("review: records that mean nothing were skipped", "dir", l.dir, "records", skipped)
	}
	if chain != nil {
		return l.commit(&record{Void: true})
	}
	return nil
}

// sweep removes objects that nothing refers to and counts the others.
func (l *base) sweep() error {
	names, err := l.objs.Names(-1)
	if err != nil {
		return err
	}
	owner := map[string]*node{}
	for _, n := range l.t.nodes {
		if n.Obj != 0 {
			owner[objName(n.Obj)] = n
		}
	}
	for _, name := range names {
		n := owner[name]
		delete(owner, name)
		if n == nil {
			if err := l.objs.Remove(name); err != nil {
				return err
			}
			continue
		}
		info, err := l.objs.Lstat(name)
		if err != nil {
			return err
		}
		l.inspect(n, info.Size)
		n.charged.Store(info.Blocks * 512)
		l.used.Add(info.Blocks * 512)
		if n.Low > info.Size { // it died between cutting the object and writing that down
			r := n.nodeRec
			r.Low = info.Size
			if err := l.commit(&record{Nodes: []nodeRec{r}}); err != nil {
				return err
			}
		}
	}
	for _, n := range owner {
		if err := l.objectMissing(n); err != nil {
			return err
		}
	}
	return nil
}

// objectMissing deals with a node whose object is not there. Where nobody had waited for it
// the content is the original's again, or none; else it is damaged.
func (l *base) objectMissing(n *node) error {
	if n.Base == "" || n.Safe != nil {
		f, _, err := l.objs.Create(objName(n.Obj), 0o600)
		if err == nil {
			l.inspect(n, 0)
			err = f.Close()
		}
		return err
	}
	r := n.nodeRec
	r.Safe, r.Obj, r.Part, r.Low, r.Busy = nil, 0, false, 0, false
	return l.commit(&record{Nodes: []nodeRec{r}, Clean: []uint64{n.N}})
}

// recover decides what a move of Apply or Discard came to in the middle of which the
// program died.
func (l *tree) recover() {
	err := error(nil)
	if g := l.t.going; g != nil && g.To != "" {
		from, to := string(g.From), string(g.To)
		if _, lerr := l.root.Lstat(from); errors.Is(lerr, fs.ErrNotExist) {
			if r := l.arrived(from, to); r != nil {
				err = l.commit(r)
			} else if n := l.t.nodes[l.t.temps[from]]; n != nil && n.isLifted(from) {
				_, err = l.landed(n)
			}
		}
	}
	if err = errors.Join(err, l.recoverLifts()); err != nil {
		l.log.Error("review: cannot write", "err", err)
	}
}

// recoverLifts writes down which originals were lifted without a record of it; mu is held for
// writing, or nobody else has the layer.
func (l *base) recoverLifts() error {
	for temp, id := range l.t.temps {
		n := l.t.nodes[id]
		if n == nil || n == l.t.root || string(n.Base) == temp || n.Orig == nil {
			continue
		}
		if info, err := l.root.Lstat(temp); err == nil && info.ID == n.Orig.ID {
			if err := l.commit(l.liftRecord(n, temp)); err != nil {
				return err
			}
		}
	}
	return nil
}
