package ninep_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// host is a computer with two shared folders, rw and ro, something secret
// beside them, and a guest at the other end of a connection.
type host struct {
	t       testing.TB
	base    string // holds rw/, ro/ and outside/
	j       *journal.Journal
	set     *share.Set
	conn    net.Conn // the guest's end
	log     *logs
	done    chan error
	cancel  context.CancelFunc
	outside string // tree of outside/ at the beginning
	ended   bool
}

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

func newHost(t testing.TB) *host { return newHostWith(t, share.Options{}) }

func newHostWith(t testing.TB, o share.Options) *host {
	t.Helper()
	h := &host{t: t, base: t.TempDir(), log: &logs{}, done: make(chan error, 1)}
	for _, d := range []string{"rw/dir/sub", "ro/dir", "outside/dir"} {
		h.check(os.MkdirAll(filepath.Join(h.base, d), 0o755))
	}
	for _, f := range []string{"rw/file", "rw/dir/file", "ro/file", "ro/dir/file", "outside/secret", "outside/dir/file"} {
		h.check(os.WriteFile(filepath.Join(h.base, f), []byte("secret of "+f), 0o644))
	}
	h.outside = h.tree("outside")
	var err error
	h.j, err = journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	h.set = share.NewSet(o)
	for _, f := range []share.Folder{
		{ID: "1", Path: filepath.Join(h.base, "rw")},
		{ID: "2", Path: filepath.Join(h.base, "ro"), ReadOnly: true},
	} {
		_, err := h.set.Add(f, h.j)
		h.check(err)
	}
	h.connect()
	t.Cleanup(func() {
		if err := h.end(); err != nil && t.Failed() {
			t.Logf("Serve: %v", err)
		}
		h.set.Close()
		h.check(h.j.Close())
		h.log.mu.Lock()
		defer h.log.mu.Unlock()
		if h.log.buf.Len() > 0 {
			t.Errorf("logged:\n%s", h.log.buf.String())
		}
		if got := h.tree("outside"); got != h.outside {
			t.Errorf("outside was changed:\n%s\nwas:\n%s", got, h.outside)
		}
	})
	return h
}

// connect joins a guest by a pair of Unix sockets, as QEMU does.
func (h *host) connect() {
	h.t.Helper()
	sock := filepath.Join(h.t.TempDir(), "s")
	l, err := net.Listen("unix", sock)
	h.check(err)
	defer l.Close()
	h.conn, err = net.Dial("unix", sock)
	h.check(err)
	server, err := l.Accept()
	h.check(err)
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel, h.ended = cancel, false
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelError}))
	go func() { h.done <- ninep.Serve(ctx, server, h.set, ninep.Options{Log: log}) }()
}

// end ends the connection and returns what Serve returned.
func (h *host) end() error {
	h.t.Helper()
	if h.ended {
		return nil
	}
	h.conn.Close()
	return h.wait()
}

// wait waits for Serve to return by itself.
func (h *host) wait() error {
	h.t.Helper()
	defer h.cancel()
	h.ended = true
	select {
	case err := <-h.done:
		return err
	case <-time.After(20 * time.Second):
		h.t.Fatal("Serve does not return")
		return nil
	}
}

func (h *host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) path(rel string) string { return filepath.Join(h.base, rel) }

// tree describes everything below a directory of the host.
func (h *host) tree(rel string) string {
	h.t.Helper()
	var lines []string
	err := filepath.WalkDir(h.path(rel), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v %d %s", p, info.Mode(), info.ModTime().UnixNano(), "")
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf("%q", b)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(p)
			line += "-> " + target
		}
		lines = append(lines, line)
		return nil
	})
	h.check(err)
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// mount is an ordinary client.
func (h *host) mount() p9.File {
	h.t.Helper()
	c, err := p9.NewClient(h.conn, p9.WithMessageSize(256<<10))
	h.check(err)
	root, err := c.Attach("")
	h.check(err)
	return root
}

func walk(t testing.TB, f p9.File, names ...string) p9.File {
	t.Helper()
	_, g, err := f.Walk(names)
	if err != nil {
		t.Fatalf("walk %q: %v", names, err)
	}
	return g
}

// raw is a guest that says what it likes.
type raw struct {
	t    testing.TB
	conn net.Conn
	br   *bufio.Reader
	tag  uint16
}

type str string // of the protocol: length[2] and bytes

// message builds a frame of uint8, uint16, uint32, uint64, str and []byte.
func message(typ byte, tag uint16, fields ...any) []byte {
	b := make([]byte, 4, 64)
	b = append(b, typ)
	b = binary.LittleEndian.AppendUint16(b, tag)
	for _, f := range fields {
		switch v := f.(type) {
		case uint8:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case str:
			b = binary.LittleEndian.AppendUint16(b, uint16(len(v)))
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("%T", f))
		}
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

func (h *host) raw() *raw {
	return &raw{t: h.t, conn: h.conn, br: bufio.NewReaderSize(h.conn, 64<<10)}
}

func (r *raw) send(frame []byte) {
	r.t.Helper()
	_ = r.conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := r.conn.Write(frame); err != nil {
		r.t.Fatalf("write %x: %v", frame, err)
	}
}

// recv returns the next reply, whose frame must be whole.
func (r *raw) recv() (typ byte, tag uint16, body []byte, err error) {
	_ = r.conn.SetDeadline(time.Now().Add(20 * time.Second))
	var head [7]byte
	if _, err := io.ReadFull(r.br, head[:]); err != nil {
		return 0, 0, nil, err
	}
	body = make([]byte, int(binary.LittleEndian.Uint32(head[:]))-7)
	_, err = io.ReadFull(r.br, body)
	return head[4], binary.LittleEndian.Uint16(head[5:]), body, err
}

// call sends a request and returns its reply, or the error in it.
func (r *raw) call(typ byte, fields ...any) ([]byte, error) {
	r.t.Helper()
	if r.tag++; r.tag == 0xffff { // that is no tag
		r.tag = 0
	}
	r.send(message(typ, r.tag, fields...))
	got, tag, body, err := r.recv()
	switch {
	case err != nil:
		return nil, fmt.Errorf("no reply: %w", err)
	case tag != r.tag:
		r.t.Fatalf("reply to tag %d, want %d", tag, r.tag)
	case got == 7:
		return nil, linux.Errno(binary.LittleEndian.Uint32(body))
	case got != typ+1:
		r.t.Fatalf("reply of type %d to %d", got, typ)
	}
	return body, nil
}

// must is a call that works.
func (r *raw) must(typ byte, fields ...any) []byte {
	r.t.Helper()
	b, err := r.call(typ, fields...)
	if err != nil {
		r.t.Fatalf("type %d %v: %v", typ, fields, err)
	}
	return b
}

const (
	noFid = uint32(0xffffffff)

	statfs, lopen, lcreate, symlink, mknod, rename, readlink, getattr, setattr = 8, 12, 14, 16, 18, 20, 22, 24, 26
	xattrwalk, xattrcreate, readdir, fsync, lock, getlock, link, mkdir         = 30, 32, 40, 50, 52, 54, 70, 72
	renameat, unlinkat, version, auth, attach, flush, walkT, read, write       = 74, 76, 100, 102, 104, 108, 110, 116, 118
	clunk, remove                                                              = 120, 122
)

// start agrees on a version and attaches fid 0.
func (r *raw) start() *raw {
	r.t.Helper()
	r.send(message(version, 0xffff, uint32(1<<20), str("9P2000.L")))
	typ, _, _, err := r.recv()
	if err != nil || typ != version+1 {
		r.t.Fatalf("Tversion: %d %v", typ, err)
	}
	r.must(attach, uint32(0), noFid, str("user"), str(""), uint32(1000))
	return r
}

// walk goes from fid 0 to a path and makes fid of it.
func (r *raw) walk(fid uint32, path string) error {
	var names []string
	if path != "" {
		names = strings.Split(path, "/")
	}
	_, err := r.walkFrom(0, fid, names...)
	return err
}

func (r *raw) walkFrom(from, fid uint32, names ...string) ([]byte, error) {
	fields := []any{from, fid, uint16(len(names))}
	for _, n := range names {
		fields = append(fields, str(n))
	}
	return r.call(walkT, fields...)
}

func (r *raw) at(fid uint32, path string) uint32 {
	r.t.Helper()
	if err := r.walk(fid, path); err != nil {
		r.t.Fatalf("walk %q: %v", path, err)
	}
	return fid
}

// alive makes sure that the connection still answers.
func (r *raw) alive() {
	r.t.Helper()
	r.must(getattr, uint32(0), uint64(0x7ff))
}

func isErrno(err error, want ...linux.Errno) bool {
	for _, w := range want {
		if errors.Is(err, w) {
			return true
		}
	}
	return false
}

func shareFolder(id, path, name string) share.Folder {
	return share.Folder{ID: id, Path: path, Name: name, ReadOnly: true}
}
