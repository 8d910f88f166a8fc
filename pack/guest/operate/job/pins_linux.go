package job

import "golang.org/x/sys/unix"

// maxPins bounds how many folders are kept open at a time.
const maxPins = 256

// Pins keeps folders open while an operation works in them. The kernel's client of a
// share without a cache (9p) forgets a folder that nobody has open, and asks the host
// about each one on the way of every path: in slow mode that is most of the time that
// many files take.
type Pins struct {
	held  map[string]int // descriptors, by path
	order []string       // the oldest first
}

// Pin keeps a folder open, in place of the oldest one when there are many. One that
// cannot be opened is left to whoever works in it.
func (p *Pins) Pin(dir string) {
	if _, ok := p.held[dir]; ok {
		return
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	if p.held == nil {
		p.held = map[string]int{}
	}
	if len(p.order) == maxPins {
		p.drop(p.order[0])
		p.order = p.order[1:]
	}
	p.held[dir] = fd
	p.order = append(p.order, dir)
}

func (p *Pins) drop(dir string) {
	_ = unix.Close(p.held[dir]) // of an O_PATH descriptor: nothing was written
	delete(p.held, dir)
}

// release lets go of all.
func (p *Pins) release() {
	for _, dir := range p.order {
		p.drop(dir)
	}
	p.order = nil
}

// Hold keeps a file or folder known while something is done with its path, for the
// same reason. Links are not followed.
func Hold(path string) (release func()) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	return func() { _ = unix.Close(fd) }
}
