package virtiofs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// What waits for a person ends with the connection, with a mount anew and with
// Serve, and outlives a pause of the machine.
func TestWaiting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "asked")
	answer := make(chan vmhost.Decision)
	came, gone := make(chan struct{}, 10), make(chan struct{}, 10)
	g := guard.New(guard.Policy{}, guard.Options{Window: time.Millisecond, Ask: func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		came <- struct{}{}
		select {
		case d := <-answer:
			return guard.Answer{Decision: d}, nil
		case <-ctx.Done():
			gone <- struct{}{}
			return guard.Answer{}, ctx.Err()
		}
	}})
	t.Cleanup(g.Close)
	h := newHost(t, share.Options{})
	h.check(os.Mkdir(dir, 0o755))
	h.check(os.WriteFile(filepath.Join(dir, "file"), []byte("original"), 0o644))
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	t.Cleanup(func() {
		h.set.Remove("asked")
		h.check(j.Close())
	})
	_, err = h.set.Add(share.Folder{ID: "asked", Path: dir, Guard: g}, j)
	h.check(err)
	wait := func() *vhostusertest.Call {
		t.Helper()
		c := h.f.Rings[1].Go(message(opUnlink, h.unique.Add(2), h.at("asked"), "file"), 512)
		<-came
		return c
	}

	wait() // the machine hangs up
	h.f.Conn.Close()
	<-gone // else the next one joins its question
	h.client = h.s.plug()
	h.init()

	wait() // it mounts anew
	h.init()
	<-gone

	c := wait() // it pauses, and the answer comes meanwhile
	base := h.f.Stop()
	answer <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	h.f.Memory()
	h.f.Start(base...)
	if _, err := c.Wait(vhostusertest.Patience); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "file")); !os.IsNotExist(err) {
		t.Errorf("after the answer: %v", err)
	}

	h.check(os.WriteFile(filepath.Join(dir, "file"), []byte("original"), 0o644))
	wait()
	if err := h.s.end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	<-gone
}
