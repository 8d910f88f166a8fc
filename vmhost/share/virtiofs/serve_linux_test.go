package virtiofs_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/share/virtiofs/vhostuser"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// logs keeps what is logged as an error: a guest must not bring that about.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// served is a Serve that runs.
type served struct {
	t      testing.TB
	sock   string
	log    logs
	cancel context.CancelFunc
	done   chan error
	ended  bool
}

func serve(t testing.TB, set *share.Set) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "vfs") // short, for sockaddr_un
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, sock: filepath.Join(dir, "s"), done: make(chan error, 1)}
	l, err := net.Listen("unix", s.sock)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelError}))
	go func() { s.done <- virtiofs.Serve(ctx, l, set, virtiofs.Options{Log: log}) }()
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Errorf("Serve: %v", err)
		}
		os.RemoveAll(dir)
		if s.log.buf.Len() > 0 {
			t.Errorf("logged:\n%s", s.log.buf.String())
		}
	})
	return s
}

// end ends Serve and returns what it returned.
func (s *served) end() error {
	s.cancel()
	return s.wait()
}

func (s *served) wait() error {
	s.t.Helper()
	if s.ended {
		return nil
	}
	s.ended = true
	select {
	case err := <-s.done:
		return err
	case <-time.After(vhostusertest.Patience):
		s.t.Fatal("Serve does not return")
		return nil
	}
}

// plug connects a front end whose guest has not mounted yet.
func (s *served) plug() *client {
	s.t.Helper()
	c, err := net.Dial("unix", s.sock)
	if err != nil {
		s.t.Fatal(err)
	}
	f := vhostusertest.New(s.t, c.(*net.UnixConn), virtiofs.Queues, 256)
	f.Hello()
	f.Memory()
	f.Start()
	return &client{t: s.t, f: f}
}

func mount(t testing.TB, set *share.Set) *client {
	t.Helper()
	c := serve(t, set).plug()
	c.init()
	return c
}

// Each operation gives the answers that the other front end gives.
func TestConformance(t *testing.T) {
	conformance.Run(t, func(t *testing.T, set *share.Set) conformance.Guest { return mount(t, set) })
}

func TestConformanceReview(t *testing.T) {
	conformance.RunShared(t, conformance.Review, func(t *testing.T, set *share.Set) conformance.Guest { return mount(t, set) })
}

// What a guest did is undone as the model has it.
func TestHistories(t *testing.T) {
	conformance.Histories(t, func(t *testing.T, set *share.Set) conformance.Guest { return mount(t, set) })
}

// host is two shared folders, rw and ro, with something secret beside them.
type host struct {
	t    testing.TB
	base string
	set  *share.Set
	j    *journal.Journal
	s    *served
	*client
}

func newHost(t testing.TB, o share.Options) *host {
	t.Helper()
	h := &host{t: t, base: t.TempDir()}
	for _, d := range []string{"rw/dir/sub", "ro/dir", "outside/dir"} {
		h.check(os.MkdirAll(h.path(d), 0o755))
	}
	for _, f := range []string{"rw/file", "rw/dir/file", "ro/file", "ro/dir/file", "outside/secret"} {
		h.check(os.WriteFile(h.path(f), []byte("secret of "+f), 0o644))
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	h.j = j
	h.set = share.NewSet(o)
	t.Cleanup(func() {
		h.set.Close()
		h.check(j.Close())
		if b, err := os.ReadFile(h.path("outside/secret")); string(b) != "secret of outside/secret" {
			t.Errorf("outside: %q %v", b, err)
		}
		if list, err := os.ReadDir(h.path("outside")); len(list) != 2 {
			t.Errorf("outside: %v %v", list, err)
		}
	})
	for _, f := range []share.Folder{{ID: "1", Path: h.path("rw")}, {ID: "2", Path: h.path("ro"), ReadOnly: true}} {
		_, err := h.set.Add(f, j)
		h.check(err)
	}
	h.s = serve(t, h.set)
	h.client = h.s.plug()
	h.init()
	return h
}

func (h *host) path(rel string) string { return filepath.Join(h.base, rel) }

func (h *host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) alive() {
	h.t.Helper()
	if a, err := h.Stat("rw/dir/file"); err != nil || a.Size == 0 {
		h.t.Errorf("afterwards: %+v %v", a, err)
	}
}

func isErrno(err error, want ...linux.Errno) bool {
	for _, no := range want {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// attrsKept is for how long an answer to GETATTR may be believed.
func attrsKept(b []byte) time.Duration {
	return time.Duration(binary.LittleEndian.Uint64(b))*time.Second + time.Duration(binary.LittleEndian.Uint32(b[8:]))
}

// What a guest may keep, and for how long.
func TestCaching(t *testing.T) {
	h := newHost(t, share.Options{})
	for _, c := range []struct {
		path         string
		names, attrs time.Duration
	}{
		{"rw", time.Second, 20 * time.Millisecond},
		{"ro", time.Second, time.Second},
		{"rw/file", 0, 1},
		{"rw/dir", 20 * time.Millisecond, 20 * time.Millisecond},
		{"ro/file", time.Second, time.Second},
		{"ro/dir/file", time.Second, time.Second},
	} {
		dir, name, err := h.with(c.path)
		h.check(err)
		e := parseEntry(h.must(opLookup, dir, name))
		if e.names != c.names || e.attrs != c.attrs {
			t.Errorf("%s: names for %v, attributes for %v", c.path, e.names, e.attrs)
		}
		b := h.must(opGetattr, e.node, uint32(0), uint32(0), uint64(0))
		if got := attrsKept(b); got != c.attrs {
			t.Errorf("%s: attributes for %v", c.path, got)
		}
	}
	if got := attrsKept(h.must(opGetattr, 1, uint32(0), uint32(0), uint64(0))); got != time.Second {
		t.Errorf("attributes of the virtual root for %v", got)
	}
	// That there is nothing is kept in a read-only folder only.
	if _, err := h.call(opLookup, h.at("rw"), "nothing"); !isErrno(err, linux.ENOENT) {
		t.Errorf("nothing in rw: %v", err)
	}
	if e := parseEntry(h.must(opLookup, h.at("ro"), "nothing")); e.node != 0 || e.names != time.Second {
		t.Errorf("nothing in ro: %+v", e)
	}
	// Content is not kept anywhere.
	for _, p := range []string{"rw/file", "ro/file"} {
		b := h.must(opOpen, h.at(p), uint32(0), uint32(0))
		if flags := binary.LittleEndian.Uint32(b[8:]); flags != fuse.FOPEN_DIRECT_IO {
			t.Errorf("%s is opened with %#x", p, flags)
		}
	}
	// Entries that come with a list are told of where they last.
	for p, want := range map[string]bool{"rw": false, "ro": true, "": false} {
		n := h.at(p)
		fh, err := h.opendir(n)
		h.check(err)
		b := h.must(opReaddirPlus, n, fh, uint64(0), uint32(4096), uint32(0), uint64(0), uint32(0), uint32(0))
		list, outs, err := fuse.ParseDirLookupEntries(b)
		h.check(err)
		if len(list) != 4 {
			t.Errorf("%q: %v", p, list)
		}
		for i, e := range list {
			told := outs[i].NodeId != 0
			if dots := e.Name == "." || e.Name == ".."; told != (want && !dots) {
				t.Errorf("%q: %s is node %d", p, e.Name, outs[i].NodeId)
			}
		}
	}
}

func TestInit(t *testing.T) {
	h := newHost(t, share.Options{})
	const always = fuse.CAP_BIG_WRITES | fuse.CAP_ATOMIC_O_TRUNC | fuse.CAP_DIRECT_IO_ALLOW_MMAP | fuse.CAP_READDIRPLUS_AUTO
	if got := h.init(); got&always != always || got&fuse.CAP_WRITEBACK_CACHE != 0 || got&fuse.CAP_PASSTHROUGH != 0 {
		t.Errorf("agreed on %#x", got)
	}
	// A new mount starts from nothing.
	n := h.at("rw/file")
	fh := binary.LittleEndian.Uint64(h.must(opOpen, n, uint32(0), uint32(0)))
	h.init()
	if _, err := h.getattr(n, 0, 0); !isErrno(err, linux.ESTALE) {
		t.Errorf("a node of the mount before: %v", err)
	}
	if _, err := h.call(opRead, n, fh, uint64(0), uint32(10), uint32(0), uint64(0), uint32(0), uint32(0)); !isErrno(err, linux.EBADF) {
		t.Errorf("a file of the mount before: %v", err)
	}
	h.alive()
	h.must(opDestroy, 0)
	if _, err := h.getattr(1, 0, 0); !isErrno(err, linux.ENOTCONN) {
		t.Errorf("after the end of the mount: %v", err)
	}
	h.init()
	h.alive()
}

// A machine that hangs up can come back, with everything new.
func TestAnotherConnection(t *testing.T) {
	h := newHost(t, share.Options{MaxOpen: 20})
	for range 3 {
		n := h.at("rw/file")
		for range 15 {
			h.must(opOpen, n, uint32(0), uint32(0))
		}
		h.f.Conn.Close()
		h.client = h.s.plug()
		if _, err := h.getattr(1, 0, 0); !isErrno(err, linux.ENOTCONN) {
			t.Errorf("before a mount: %v", err)
		}
		h.init()
	}
	h.alive()
}

// The machine pauses between requests and goes on.
func TestPause(t *testing.T) {
	h := newHost(t, share.Options{})
	f, err := h.Open("rw/file", conformance.ReadWrite)
	h.check(err)
	for i := range 3 {
		base := h.f.Stop()
		h.f.Memory()
		h.f.Start(base...)
		if _, err := f.WriteAt([]byte{byte('a' + i)}, int64(i)); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(h.path("rw/file")); string(b[:3]) != "abc" {
		t.Errorf("%q %v", b, err)
	}
}

func TestBrokenRingEndsServe(t *testing.T) {
	h := newHost(t, share.Options{})
	h.f.Rings[1].Push(9999)
	var p *vhostuser.ProtocolError
	if err := h.s.wait(); !errors.As(err, &p) {
		t.Errorf("Serve: %v", err)
	}
}

func TestLargeIO(t *testing.T) {
	h := newHost(t, share.Options{})
	f, err := h.Open("rw/file", conformance.ReadWrite)
	h.check(err)
	want := make([]byte, 1<<20)
	for i := range want {
		want[i] = byte(i * i >> 7)
	}
	if n, err := f.WriteAt(want, 5); n != len(want) || err != nil {
		t.Fatalf("%d %v", n, err)
	}
	got := make([]byte, 1<<20)
	if n, err := f.ReadAt(got, 5); n != len(want) || err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d %v", n, err)
	}
}

// What 9p has no request for.
func TestMore(t *testing.T) {
	h := newHost(t, share.Options{})
	f, err := h.Open("rw/file", conformance.ReadWrite)
	h.check(err)
	n, fh := f.(*file).node, f.(*file).fh
	size := func() int64 {
		info, err := os.Stat(h.path("rw/file"))
		h.check(err)
		return info.Size()
	}
	h.must(opFallocate, n, fh, uint64(0), uint64(1<<20), uint32(0), uint32(0))
	if size() != 1<<20 {
		t.Errorf("%d bytes after fallocate", size())
	}
	h.must(opFallocate, n, fh, uint64(0), uint64(1<<21), uint32(1), uint32(0)) // KEEP_SIZE
	h.must(opFallocate, n, fh, uint64(0), uint64(6), uint32(3), uint32(0))     // PUNCH_HOLE
	if b, err := os.ReadFile(h.path("rw/file")); size() != 1<<20 || string(b[:9]) != "\x00\x00\x00\x00\x00\x00 of" {
		t.Errorf("%d bytes, %q %v", size(), b[:9], err)
	}
	for mode, off := range map[uint32]uint64{0x20: 0, 8: 0, 1 << 31: 0, 0: 1 << 63} { // INSERT_RANGE, COLLAPSE_RANGE
		if _, err := h.call(opFallocate, n, fh, off, uint64(4096), mode, uint32(0)); !isErrno(err, linux.EOPNOTSUPP, linux.EFBIG) {
			t.Errorf("fallocate %#x at %d: %v", mode, off, err)
		}
	}
	if _, err := f.WriteAt([]byte("x"), 10<<20); err != nil {
		t.Error(err)
	}
	at := binary.LittleEndian.Uint64(h.must(opLseek, n, fh, uint64(5<<20), uint32(3), uint32(0))) // SEEK_DATA
	if at < 5<<20 || at > 10<<20 {
		t.Errorf("data at %d", at)
	}
	if _, err := h.call(opLseek, n, fh, uint64(1<<40), uint32(3), uint32(0)); !isErrno(err, linux.Errno(6)) {
		t.Errorf("data behind the end: %v", err)
	}
	if _, err := h.call(opLseek, n, fh, uint64(0), uint32(2), uint32(0)); !isErrno(err, linux.EINVAL) {
		t.Errorf("SEEK_END: %v", err)
	}
	if err := h.rename("rw/file", "rw/dir/file", 1); !isErrno(err, linux.EEXIST) {
		t.Errorf("RENAME_NOREPLACE: %v", err)
	}
	if err := h.rename("rw/file", "rw/file", 1); !isErrno(err, linux.EEXIST) {
		t.Errorf("RENAME_NOREPLACE to itself: %v", err)
	}
	h.check(h.rename("rw/file", "rw/dir/new", 1))
	if err := h.rename("rw/dir/new", "rw/dir/file", 2); !isErrno(err, linux.EINVAL) {
		t.Errorf("RENAME_EXCHANGE: %v", err)
	}
	if _, err := h.Stat("rw/dir/new"); err != nil {
		t.Error(err)
	}
}

// What is not there is said in a way that the kernel does not ask again.
func TestNotThere(t *testing.T) {
	h := newHost(t, share.Options{})
	n := h.at("rw/file")
	for what, err := range map[string]error{
		"flush":  second(h.call(opFlush, n, uint64(1), uint32(0), uint32(0), uint64(0))),
		"access": second(h.call(opAccess, n, uint32(4), uint32(0))),
		"ioctl":  second(h.call(opIoctl, n, uint64(1), uint32(0), uint32(1), uint64(0), uint32(0), uint32(0))),
		"poll":   second(h.call(40, n, uint64(1), uint64(0), uint32(0), uint32(0))),
		"syncfs": second(h.call(50, 1, uint64(0))),
		"statx":  second(h.call(52, n, make([]byte, 24))),
		"dax":    second(h.call(48, n, make([]byte, 40))),
	} {
		if !isErrno(err, linux.ENOSYS) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second(_ []byte, err error) error { return err }

// A forgotten name is forgotten, and one that is still known is not.
func TestForget(t *testing.T) {
	h := newHost(t, share.Options{})
	n := h.at("rw/dir/file")
	if again := h.at("rw/dir/file"); again != n {
		t.Errorf("one name is node %d and %d", n, again)
	}
	h.forget(n, 1)
	if _, err := h.getattr(n, 0, 0); err != nil {
		t.Errorf("told of twice, forgotten once: %v", err)
	}
	f, err := h.Open("rw/dir/file", conformance.ReadOnly) // a third time
	h.check(err)
	h.forget(n, 2)
	if _, err := f.Stat(); err != nil {
		t.Errorf("forgotten and open: %v", err)
	}
	h.check(f.Close())
	if _, err := h.getattr(n, 0, 0); !isErrno(err, linux.ESTALE) {
		t.Errorf("forgotten: %v", err)
	}
	h.forget(1, 1<<40) // the root stays
	h.alive()
}

// forget sends a FORGET, to which there is no reply.
func (c *client) forget(node, count uint64) {
	c.t.Helper()
	b, err := c.f.Rings[0].Do(message(opForget, c.unique.Add(2), node, count), 0)
	if err != nil || len(b) > 0 {
		c.t.Errorf("forget: %x %v", b, err)
	}
}
