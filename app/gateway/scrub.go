package gateway

import (
	"bytes"
	"net/http"
	"strings"

	"piwork/app/gateway/keys"
)

// scrubber replaces secrets in what passes by as many asterisks. An end that
// could begin a secret is held back until what follows is known: nearly always
// that is nothing at all.
type scrubber struct {
	secrets [][]byte
	buf     []byte // held back, then the next part
	keep    int    // bytes of buf that are held back
	Found   bool
}

// newScrubber makes one for all of a credential.
func newScrubber(c keys.Credential) *scrubber {
	s := &scrubber{}
	for _, k := range []keys.Secret{c.Key, c.Access, c.Refresh} {
		if v := k.Reveal(); v != "" {
			s.secrets = append(s.secrets, []byte(v))
		}
	}
	return s
}

// pass takes the next part, and returns what may go on. The result is valid until
// the next call, and may be b itself.
func (s *scrubber) pass(b []byte) []byte {
	if s.keep > 0 {
		copy(s.buf, s.buf[len(s.buf)-s.keep:])
		s.buf = append(s.buf[:s.keep], b...)
		b = s.buf
	}
	s.replace(b)
	hold := s.begins(b)
	out := b[:len(b)-hold]
	if s.keep == 0 && hold > 0 {
		s.buf = append(s.buf[:0], b[len(out):]...)
	}
	s.keep = hold
	return out
}

// rest is what was held back at the end: it turned out to be no secret.
func (s *scrubber) rest() []byte {
	out := s.buf[len(s.buf)-s.keep:]
	s.keep = 0
	return out
}

func (s *scrubber) replace(b []byte) {
	for _, k := range s.secrets {
		for at := b; ; {
			i := bytes.Index(at, k)
			if i < 0 {
				break
			}
			s.Found = true
			for j := range k {
				at[i+j] = '*'
			}
			at = at[i+len(k):]
		}
	}
}

// begins is the length of the longest end of b that begins a secret.
func (s *scrubber) begins(b []byte) int {
	most := 0
	for _, k := range s.secrets {
		from := max(0, len(b)-len(k)+1)
		for at := b[from:]; len(at) > most; {
			i := bytes.IndexByte(at, k[0])
			if i < 0 {
				break
			}
			at = at[i:]
			if len(at) > most && bytes.HasPrefix(k, at) {
				most = len(at)
				break
			}
			at = at[1:]
		}
	}
	return most
}

// header replaces secrets in the values of a header.
func (s *scrubber) header(h http.Header) {
	for _, values := range h {
		for i, v := range values {
			for _, k := range s.secrets {
				if strings.Contains(v, string(k)) {
					s.Found = true
					v = strings.ReplaceAll(v, string(k), strings.Repeat("*", len(k)))
				}
			}
			values[i] = v
		}
	}
}
