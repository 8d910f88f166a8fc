package scrub

import (
	"io"
	"net/http"
)

// Scrubber finds secrets. It does not change, and may be used from several goroutines at
// once. It holds the secrets; drop it when they are not needed any more.
type Scrubber struct {
	class   [256]uint16 // of a byte; 0 are those that no form has
	classes int
	next    []int32 // state*classes+class
	depth   []int32 // of a state: how many of the last bytes could begin a form
	found   []int32 // of a state: the length of the longest form that ends here, 0 for none
}

// New makes a scrubber of secrets. Empty ones are none.
func New(secrets ...string) *Scrubber {
	s := &Scrubber{classes: 1}
	var all []string
	for _, secret := range secrets {
		all = append(all, forms(secret)...)
	}
	for _, form := range all {
		for _, c := range []byte(form) {
			if s.class[c] == 0 {
				s.class[c] = uint16(s.classes)
				s.classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		s.class[c] = s.class[fold(c)]
	}
	s.state(0)
	for _, form := range all {
		s.add(form)
	}
	s.link()
	return s
}

// state adds one.
func (s *Scrubber) state(depth int32) int32 {
	s.next = append(s.next, make([]int32, s.classes)...)
	s.depth, s.found = append(s.depth, depth), append(s.found, 0)
	return int32(len(s.depth) - 1)
}

// add adds a form to the tree.
func (s *Scrubber) add(form string) {
	at := int32(0)
	for i, c := range []byte(form) {
		edge := int(at)*s.classes + int(s.class[c])
		if s.next[edge] == 0 {
			made := s.state(int32(i + 1))
			s.next[edge] = made
		}
		at = s.next[edge]
	}
	s.found[at] = int32(len(form))
}

// link makes the tree an automaton: an edge that a state lacks is that of the state for its
// longest end which begins a form.
func (s *Scrubber) link() {
	fail := make([]int32, len(s.depth))
	var queue []int32
	for c := range s.classes {
		if to := s.next[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		s.found[at] = max(s.found[at], s.found[fail[at]])
		for c := range s.classes {
			edge, other := int(at)*s.classes+c, s.next[int(fail[at])*s.classes+c]
			if to := s.next[edge]; to != 0 {
				fail[to] = other
				queue = append(queue, to)
			} else {
				s.next[edge] = other
			}
		}
	}
}

// mask reads text from the offset from on, with the state before it, and replaces the forms
// that end there. It returns the state at the end, and whether a form was found.
func (s *Scrubber) mask(text []byte, from int, state int32) (after int32, found bool) {
	for i := from; i < len(text); i++ {
		state = s.next[int(state)*s.classes+int(s.class[text[i]])]
		if n := int(s.found[state]); n > 0 {
			found = true
			for j := i + 1 - n; j <= i; j++ {
				text[j] = '*'
			}
			// What is masked is not read again: state knows what was there.
		}
	}
	return state, found
}

// Text returns a text without secrets, and whether it had one.
func (s *Scrubber) Text(text string) (string, bool) {
	b := []byte(text)
	if _, found := s.mask(b, 0, 0); !found {
		return text, false
	}
	return string(b), true
}

// Header takes secrets out of the values of a header. A field with a secret in its name goes.
// It reports whether there was one.
func (s *Scrubber) Header(h http.Header) (found bool) {
	for name, values := range h {
		if _, has := s.Text(name); has {
			delete(h, name)
			found = true
			continue
		}
		for i, v := range values {
			clean, has := s.Text(v)
			values[i], found = clean, found || has
		}
	}
	return found
}

// Reader reads r without secrets: as many bytes as r has.
func (s *Scrubber) Reader(r io.Reader) io.Reader { return &reader{s: s, r: r} }

// piece is how much is read at once, in bytes.
const piece = 32 << 10

type reader struct {
	s     *Scrubber
	r     io.Reader
	buf   []byte // ready, then held back
	ready int
	state int32
	err   error // of r
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.ready == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.buf[:r.ready])
	r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	r.ready -= n
	return n, nil
}

// fill reads the next piece. Nothing is ready.
func (r *reader) fill() {
	held := len(r.buf)
	if cap(r.buf) < held+piece {
		r.buf = append(make([]byte, 0, held+piece), r.buf...)
	}
	n, err := r.r.Read(r.buf[held : held+piece])
	r.buf, r.err = r.buf[:held+n], err
	r.state, _ = r.s.mask(r.buf, held, r.state)
	if r.ready = len(r.buf); err == nil {
		r.ready -= min(int(r.s.depth[r.state]), r.ready)
	}
}
