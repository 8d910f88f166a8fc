package ledger

// length is how long the task's changes make a file that is open. Where it is longer or shorter,
// somebody else changed it: what they append to a log between two writes of the task is seen at the
// second one, however soon that comes. Several changes may be under way at once and are over in any
// order.
type length struct {
	known  bool
	size   int64 // by all changes that are over
	seen   int64 // the greatest that was found after appending, since nothing was under way
	vague  bool  // size is not sure: of changes that were under way at once, one may undo what another made of it
	others bool  // somebody else changed it
}

// Begin says how long the file is before a change, which is the only one under way.
func (w *Writing) Begin(size int64) {
	if !w.length.known {
		w.length = length{known: true, size: size}
	}
}

// Appended notes that n bytes were appended, and how long the file was after that.
func (w *Writing) Appended(n, size int64) {
	w.length.size += n
	w.length.seen = max(w.length.seen, size)
}

// Reached notes that something was written before end.
func (w *Writing) Reached(end int64) {
	if end > w.length.size {
		w.Cut(end)
	}
}

// Cut notes that the file was made size bytes long.
func (w *Writing) Cut(size int64) {
	w.length.size = size
	w.length.vague = w.length.vague || w.Busy > 1
}

// Guess notes that a change may have made the file longer.
func (w *Writing) Guess() { w.length.vague = true }

// Settle draws the conclusion when no change is under way; end asks how long the file is.
func (w *Writing) Settle(end func() (int64, error)) {
	l := &w.length
	if l.vague || !l.known {
		size, err := end()
		l.size, l.known = size, err == nil
	} else if l.seen > 0 && l.seen != l.size {
		l.others = true
	}
	l.vague, l.seen = false, 0
}

// Shared reports whether somebody else was seen to have changed the file.
func (w *Writing) Shared() bool { return w.length.others }

// Others reports whether somebody else changed the file, which is size bytes long now; no change is
// under way that has come to the content.
func (w *Writing) Others(size int64) bool {
	l := w.length
	return l.others || l.known && !l.vague && l.size != size
}

// Alone is what the file would be by the task's changes alone, where that is not what it is now.
func (w *Writing) Alone(now State) State {
	if w.length.known && w.length.size != now.Size {
		now.Size = w.length.size
	} else {
		now.Lost = true
	}
	return now
}
