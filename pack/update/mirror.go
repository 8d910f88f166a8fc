package update

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// mirror is one place to fetch from, and what was learnt about it. It is shared
// by all calls of a client.
type mirror struct {
	base  *url.URL
	files http.RoundTripper // of a directory, else nil

	mu    sync.Mutex
	fails int       // in a row
	until time.Time // it is left alone
	shun  time.Time // until then it is the last choice
	facts map[string]facts
}

// facts are what a mirror's answers about one file told.
type facts struct {
	ranges   rangeSupport
	etag     string // strong, or ""
	modified string // Last-Modified
	changes  int    // of the two above
	wrong    int    // chunks that were not what was signed
}

type rangeSupport int

const (
	rangesUnknown rangeSupport = iota
	rangesWork
	rangesIgnored // the whole file comes
)

// maxFacts bounds the memory of files, per mirror.
const maxFacts = 256

func newMirror(base string) (*mirror, error) {
	bad := func(err error) error { return &Error{Code: CodeBadAddress, Err: err, lasting: true} }
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		var e *url.Error // its text repeats the address, which may hold a password
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, bad(err)
	}
	if u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return nil, bad(fmt.Errorf("%s: a base address has no query", u.Redacted()))
	}
	m := &mirror{base: u, facts: map[string]facts{}}
	switch u.Scheme {
	case "http", "https":
		if u.Hostname() == "" {
			return nil, bad(fmt.Errorf("%s: names no host", u.Redacted()))
		}
	case "file":
		m.files = http.NewFileTransportFS(os.DirFS(directory(u)))
		m.base = &url.URL{Scheme: "file", Path: "/"}
	default:
		return nil, bad(fmt.Errorf("%q is not http, https or file", u.Redacted()))
	}
	return m, nil
}

// directory is the path of a file address: /C:/dir is a drive of Windows, a host
// is a share of the network (RFC 8089, appendix E).
func directory(u *url.URL) string {
	p := u.Path
	if len(p) >= 3 && p[0] == '/' && p[2] == ':' {
		p = p[1:]
	}
	if u.Host != "" && u.Host != "localhost" {
		p = "//" + u.Host + p
	}
	return filepath.FromSlash(p)
}

// name is what errors and progress call the mirror.
func (m *mirror) name() string {
	if m.files != nil {
		return "file"
	}
	return m.base.Host
}

// at is the address of a file.
func (m *mirror) at(path string) (*url.URL, error) {
	for _, p := range strings.Split(path, "/") {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "\\\x00") {
			return nil, &Error{Code: CodeBadAddress, Err: fmt.Errorf("path %.80q", path), lasting: true}
		}
	}
	u := *m.base
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + path
	u.RawPath = ""
	return &u, nil
}

func (m *mirror) know(path string) facts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.facts[path]
}

// learn remembers what an answer told, and returns what is known now.
func (m *mirror) learn(path string, update func(*facts)) facts {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.facts[path]
	update(&f)
	if len(m.facts) >= maxFacts {
		clear(m.facts)
	}
	m.facts[path] = f
	return f
}

// validators takes ETag and Last-Modified of an answer (RFC 9110, 8.8) and counts
// how often they changed.
func (f *facts) validators(h http.Header) {
	etag, modified := h.Get("ETag"), h.Get("Last-Modified")
	if !strongTag(etag) {
		etag = ""
	}
	if f.etag != "" && etag != "" && etag != f.etag || f.modified != "" && modified != "" && modified != f.modified {
		f.changes++
	}
	f.etag, f.modified = etag, modified
}

// strongTag reports an entity tag that promises the same bytes.
func strongTag(etag string) bool {
	return len(etag) > 2 && len(etag) < 256 && etag[0] == '"' && etag[len(etag)-1] == '"'
}
