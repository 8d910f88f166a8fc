package ninep_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// asking shares a folder "asked" of n files whose guard asks somebody who never
// answers; came gets a value for each question.
func asking(t *testing.T, h *host, n int) (came chan struct{}) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "asked")
	h.check(os.Mkdir(dir, 0o755))
	for i := range n {
		h.check(os.WriteFile(filepath.Join(dir, name(i)), []byte("original"), 0o644))
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	came = make(chan struct{}, 100)
	g := guard.New(guard.Policy{}, guard.Options{Window: time.Millisecond, Ask: func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		came <- struct{}{}
		<-ctx.Done()
		return guard.Answer{}, ctx.Err()
	}})
	t.Cleanup(func() {
		h.set.Remove("asked")
		g.Close()
		h.check(j.Close())
	})
	_, err = h.set.Add(share.Folder{ID: "asked", Path: dir, Guard: g}, j)
	h.check(err)
	return came
}

func name(i int) string { return "f" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }

// A flush ends the waiting of what it names, and is answered after it.
func TestFlushOfWhatWaits(t *testing.T) {
	h := newHost(t)
	came := asking(t, h, 1)
	r := h.raw().start()
	r.at(1, "asked")
	r.send(message(unlinkat, 500, uint32(1), str(name(0)), uint32(0)))
	<-came
	r.alive()
	r.send(message(flush, 501, uint16(500)))
	if typ, tag, body, err := r.recv(); err != nil || typ != 7 || tag != 500 || body[0] != byte(linux.EINTR) {
		t.Errorf("%d %d %x %v", typ, tag, body, err)
	}
	if typ, tag, _, err := r.recv(); err != nil || typ != flush+1 || tag != 501 {
		t.Errorf("%d %d %v", typ, tag, err)
	}
	r.at(2, "asked/"+name(0))
}

// More calls wait than may be under way, and the guest still gets its answers;
// the end of the connection ends them all.
func TestManyWait(t *testing.T) {
	h := newHost(t)
	const n = 200
	came := asking(t, h, n)
	r := h.raw().start()
	r.at(1, "asked")
	for i := range n {
		r.send(message(unlinkat, uint16(1000+i), uint32(1), str(name(i)), uint32(0)))
	}
	<-came
	r.alive()
	r.send(message(flush, 501, uint16(1000)))
	for range 2 {
		if _, _, _, err := r.recv(); err != nil {
			t.Fatal(err)
		}
	}
	r.alive()
	if err := h.end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A mount anew ends what the one before waits for.
func TestMountAnewWhileWaiting(t *testing.T) {
	h := newHost(t)
	came := asking(t, h, 1)
	r := h.raw().start()
	r.at(1, "asked")
	r.send(message(unlinkat, 500, uint32(1), str(name(0)), uint32(0)))
	<-came
	r.start().alive()
}

// A guest whose device writes takes no reply meanwhile: all that it may have under way is read
// all the same, be it calls, what is refused, or flushes.
func TestReadsWhileNobodyTakes(t *testing.T) {
	h := newHost(t)
	server, guest := net.Pipe() // that keeps nothing on the way
	done := make(chan error, 1)
	go func() { done <- ninep.Serve(t.Context(), server, h.set, ninep.Options{}) }()
	r := (&raw{t: t, conn: guest, br: bufio.NewReader(guest)}).start()
	r.at(1, "rw/file")
	if _, err := r.call(lopen, uint32(1), uint32(0)); err != nil {
		t.Fatal(err)
	}
	const all = ninep.MaxInFlight
	for i := range uint16(all) {
		switch i % 4 {
		case 0:
			r.send(message(flush, 1000+i, uint16(999)))
		case 1:
			r.send(message(lopen, 1000+i)) // damaged
		default:
			r.send(message(read, 1000+i, uint32(1), uint64(0), uint32(100)))
		}
	}
	answered := map[uint16]bool{}
	for range all {
		_, tag, _, err := r.recv()
		if err != nil {
			t.Fatalf("after %d replies: %v", len(answered), err)
		}
		answered[tag] = true
	}
	if len(answered) != all {
		t.Errorf("%d of %d were answered", len(answered), all)
	}
	guest.Close()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
