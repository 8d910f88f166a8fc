package update

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"piwork/pack/spec"
	"piwork/pack/update/proxy"
)

// world is a network in memory, for tests in a bubble of synctest: nothing in it
// takes real time, and a goroutine that is left behind fails the test.
type world struct {
	t  *testing.T
	mu sync.Mutex
	at map[string]*listener

	dials atomic.Int64
}

type listener struct {
	addr  string
	conns chan net.Conn
	once  sync.Once
	gone  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.gone:
		return nil, net.ErrClosed
	}
}
func (l *listener) Close() error   { l.once.Do(func() { close(l.gone) }); return nil }
func (l *listener) Addr() net.Addr { return addr(l.addr) }

type addr string

func (a addr) Network() string { return "tcp" }
func (a addr) String() string  { return string(a) }

// run runs a test in a world.
func run(t *testing.T, name string, f func(*testing.T, *world)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f(t, &world{t: t, at: map[string]*listener{}})
		})
	})
}

func (w *world) listen(at string) net.Listener {
	l := &listener{addr: at, conns: make(chan net.Conn), gone: make(chan struct{})}
	w.mu.Lock()
	w.at[at] = l
	w.mu.Unlock()
	w.t.Cleanup(func() { l.Close() })
	return l
}

func (w *world) dial(ctx context.Context, network, at string) (net.Conn, error) {
	w.dials.Add(1)
	w.mu.Lock()
	l := w.at[at]
	w.mu.Unlock()
	host, _, _ := net.SplitHostPort(at)
	fail := func(err error) error { return &net.OpError{Op: "dial", Net: network, Err: err} }
	switch {
	case host == "unknown.test":
		return nil, fail(&net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
	case host == "nameless.test":
		return nil, fail(&net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true})
	case host == "noroute.test":
		return nil, fail(syscall.ENETUNREACH)
	case host == "silent.test":
		if err := sleep(ctx, dialTimeout); err != nil {
			return nil, fail(err)
		}
		return nil, fail(os.ErrDeadlineExceeded)
	case l == nil:
		return nil, fail(syscall.ECONNREFUSED)
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.gone:
		return nil, fail(syscall.ECONNREFUSED)
	case <-ctx.Done():
		return nil, fail(ctx.Err())
	}
}

// serve runs a server at an address, over TLS when conf is given.
func (w *world) serve(at string, h http.Handler, conf *tls.Config) *server {
	s := &server{h: h}
	hs := &http.Server{Handler: s, ErrorLog: quiet}
	l := w.listen(at)
	if conf != nil {
		l = tls.NewListener(l, conf)
	}
	go func() { _ = hs.Serve(l) }()
	w.t.Cleanup(func() { hs.Close() })
	return s
}

// server counts what it is asked for and what it sends.
type server struct {
	h        http.Handler
	requests atomic.Int64
	sent     atomic.Int64
	agents   sync.Map
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	for k, v := range r.Header {
		s.agents.Store(k, fmt.Sprint(v))
	}
	s.h.ServeHTTP(&counter{w, &s.sent}, r)
}

type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent.Add(int64(n))
	return n, err
}
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// client makes a client for a test that goes nowhere but into the world.
func (w *world) client(o Options) *Client {
	w.t.Helper()
	o.Proxy = cmp.Or(o.Proxy, proxy.Direct)
	o.dial = w.dial
	if o.connected == nil {
		o.connected = func() bool { return true }
	}
	c, err := New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// archive is a file of chunks that stand for those of a pack.
type archive struct {
	data   []byte
	chunks []spec.Chunk
}

func newArchive(chunks int, seed byte) *archive {
	r := rand.NewChaCha8([32]byte{seed, 7})
	a := &archive{data: make([]byte, 3000)}
	for range chunks {
		b := make([]byte, 1+r.Uint64()%(60<<10))
		_, _ = r.Read(b)
		a.chunks = append(a.chunks, spec.Chunk{Sum: sha256.Sum256(b), Size: len(b), Offset: int64(len(a.data)), Packed: int64(len(b))})
		a.data = append(a.data, b...)
	}
	a.data = append(a.data, make([]byte, 16)...)
	return a
}

func (a *archive) length() int64 { return int64(len(a.data)) }

// bytesOf is the length of chunks.
func bytesOf(chunks []spec.Chunk) (n int64) {
	for _, c := range chunks {
		n += c.Packed
	}
	return n
}

// store is an assembly in memory.
type store struct {
	mu     sync.Mutex
	chunks []spec.Chunk
	have   map[int64]bool
	puts   int
	again  int // chunks that came twice
	wrong  int
	err    error // of Put
}

func (a *archive) store() *store { return &store{chunks: a.chunks, have: map[int64]bool{}} }

func (s *store) Missing() []spec.Chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	var l []spec.Chunk
	for _, c := range s.chunks {
		if !s.have[c.Offset] {
			l = append(l, c)
		}
	}
	return l
}

func (s *store) Put(c spec.Chunk, packed []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	if s.err != nil {
		return s.err
	}
	if sha256.Sum256(packed) != c.Sum {
		s.wrong++
		return &spec.VerifyError{Kind: spec.KindFlippedByte}
	}
	if s.have[c.Offset] {
		s.again++
	}
	s.have[c.Offset] = true
	return nil
}

// content serves data as a well-kept server does.
func content(data []byte, etag string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if etag != "" {
			w.Header().Set("ETag", etag)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	})
}

// whole ignores ranges.
func whole(data []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data)
	})
}

// raw answers with the same bytes, whatever is asked, and hangs up.
func raw(answer string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer)
	})
}

// status answers with a status and headers.
func status(code int, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	})
}

// first answers n requests in one way, and the others in another.
func first(n int64, a, b http.Handler) http.Handler {
	var count atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count.Add(1) <= n {
			a.ServeHTTP(w, r)
			return
		}
		b.ServeHTTP(w, r)
	})
}

// limited lets a handler write n bytes of content, then does something else.
func limited(n int, h http.Handler, then func(http.ResponseWriter, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&limit{ResponseWriter: w, r: r, left: n, then: then}, r)
	})
}

type limit struct {
	http.ResponseWriter
	r    *http.Request
	left int
	then func(http.ResponseWriter, *http.Request)
}

func (l *limit) Write(p []byte) (int, error) {
	if len(p) <= l.left {
		l.left -= len(p)
		return l.ResponseWriter.Write(p)
	}
	n, _ := l.ResponseWriter.Write(p[:l.left])
	l.left = 0
	_ = http.NewResponseController(l.ResponseWriter).Flush()
	l.then(l.ResponseWriter, l.r)
	return n, io.ErrClosedPipe
}

// hangUp breaks the connection off.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// silence keeps the connection and sends nothing more.
func silence(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// paced writes n bytes at a time, with pauses.
func paced(n int, every time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&pacer{w, r, n, every}, r)
	})
}

type pacer struct {
	http.ResponseWriter
	r     *http.Request
	n     int
	every time.Duration
}

func (p *pacer) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		if err := sleep(p.r.Context(), p.every); err != nil {
			return done, err
		}
		n, err := p.ResponseWriter.Write(b[done:min(done+p.n, len(b))])
		if done += n; err != nil {
			return done, err
		}
		if err := http.NewResponseController(p.ResponseWriter).Flush(); err != nil {
			return done, err
		}
	}
	return done, nil
}

// stingy gives n bytes at a time.
func stingy(n int64, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var from, to int64
		_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, min(to, from+n-1)))
		h.ServeHTTP(w, r)
	})
}

// newTags has another entity tag in each answer.
func newTags(data []byte) http.Handler {
	var tag atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content(data, fmt.Sprintf(`"%d"`, tag.Add(1))).ServeHTTP(w, r)
	})
}
