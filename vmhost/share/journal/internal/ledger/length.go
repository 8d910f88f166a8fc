package ledger

// length is how long the task's changes make a file that is open. Where it is longer or shorter,
// somebody else changed it: what they append to a log between two writes of the task is seen at the
// second one, however soon that comes. Several changes may be under way at once and are over in any
// order.
type length struct {
	known  bool
	size   int64 // by all changes that are over
	seen   int64 // the greatest that was found after appending, since nothing was under way
	crowd  bool  // several changes were under way at once, since nothing was
	vague  bool  // size is not sure: of changes that were under way at once, one may undo what another made of it
	others bool  // somebody else changed it
}

// Enter notes that a change is under way.
func (w *Writing) Enter() {
	w.Busy++
	w.length.crowd = w.length.crowd || w.Busy > 1
}

// Begin says how long the file is before a change, which is the only one under way.
func (w *Writing) Begin(size int64) {
	if !w.length.known {
		w.length = length{known: true, size: size, crowd: w.length.crowd}
	}
}

// Measure says that the length that is known tells nothing.
func (w *Writing) Measure() { w.length = length{crowd: w.length.crowd} }

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
	w.length.vague = w.length.vague || w.length.crowd || w.several
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
	l.vague, l.crowd, l.seen = false, false, 0
}

// Check draws it from how long the file was found, while w was locked and no more than busy changes were
// under way, none of which had come to the content.
func (w *Writing) Check(size int64, busy int) {
	l := &w.length
	if w.Busy <= busy && l.known && !l.vague && l.size != size {
		l.others = true
	}
}

// Shared reports whether somebody else changed the file, and nothing of that is kept.
func (w *Writing) Shared() bool { return w.length.others }

// Alone is what the file would be by the task's changes alone: nobody is taken for having left now.
func (w *Writing) Alone(now State) State {
	if w.length.known && w.length.size != now.Size {
		now.Size = w.length.size
	} else {
		now.Lost = true
	}
	return now
}
