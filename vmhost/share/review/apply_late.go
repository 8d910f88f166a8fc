package review

import "piwork/vmhost/share/internal/at"

// late gives directories their mode and times, the deepest first.
func (a *applying) late() {
	for k := len(a.dirs) - 1; k >= 0; k-- {
		d := a.dirs[k]
		a.l.mu.RLock()
		rel := string(d.n.Base)
		a.l.mu.RUnlock()
		m := at.Meta{Mode: d.mode}
		if d.mtime != nil {
			m.MTime = d.mtime.time()
		}
		err := a.to.SetMeta(rel, m)
		if err == nil && d.mode != nil {
			err = a.l.settleMode(d)
		}
		if err != nil {
			a.l.log.Warn("review: mode and time of a directory", "path", rel, "err", err)
		}
	}
}

// settleMode writes down that a directory has its mode.
func (l *base) settleMode(d lateDir) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := d.n
	if n.dropped || !n.kept || n.Mode == nil || *n.Mode != *d.mode {
		return nil
	}
	rec := n.nodeRec
	s := *rec.Orig
	s.Mode = *d.mode
	rec.Mode, rec.Orig = nil, &s
	return l.commit(&record{Nodes: []nodeRec{rec}, Clean: []uint64{n.N}})
}
