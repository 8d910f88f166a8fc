package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/vmhost"
	"piwork/vmhost/runtimetest/smalltree"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/resume"
)

const packDigest = "0123456789abcdef0123"

// packed gives a place the programs of a tree, in which is a file of a size that nothing
// makes smaller.
func packed(t testing.TB, c Config, size int) Config {
	t.Helper()
	c.Root, c.Digest = filepath.Join(t.TempDir(), "tree"), packDigest
	large := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range large {
		large[n] = byte(r.Uint32())
	}
	err := errors.Join(smalltree.Make(c.Root), os.WriteFile(filepath.Join(c.Root, "usr/own"), []byte("own\n"), 0o600), os.WriteFile(filepath.Join(c.Root, "usr/large"), large, 0o644),
		os.Link(filepath.Join(c.Root, "usr/large"), filepath.Join(c.Root, "usr/same")))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// there is the tree of the pack on the computer.
func (s *server) tree() string { return filepath.Join(s.home, ".cache/piwork/pack", packDigest) }

// The programs of a pack are sent once, are what programs of the place see, and come again
// when something touched them.
func TestPack(t *testing.T) {
	s, there := computer(t)
	c := packed(t, config(t, there), 1<<20)
	sent := 0
	c.OnSend = func(done, total int64) {
		sent++
		if done <= 0 || done > total {
			t.Errorf("%d of %d", done, total)
		}
	}
	seen := func() {
		t.Helper()
		r, err := New(c)
		if err == nil {
			err = r.Connect(soon(t))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close(soon(t))
		if !r.Capabilities().Tools {
			t.Error("it has no operations")
		}
		got := run(t, r, "id -u; cat /usr/own; test /usr/large -ef /usr/same && echo same; echo x >/work/out/y && echo written; echo x >/usr/x || echo kept; test -e "+s.home+" || echo hidden")
		if string(got.Stdout) != "1000\nown\nsame\nwritten\nkept\nhidden\n" {
			t.Errorf("%s %s", got.Stdout, got.Stderr)
		}
		// Where the login is root, nobody in the place is.
		wrote, err := filepath.Glob(filepath.Join(s.home, ".cache/piwork/run/*/work/out/y"))
		if err != nil || len(wrote) != 1 {
			t.Fatalf("%q %v", wrote, err)
		}
		info, err := os.Stat(wrote[0])
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid == 0 || st.Gid == 0 {
			t.Errorf("programs are %d of %d", st.Uid, st.Gid)
		}
	}
	inode := func() fs.FileInfo {
		info, err := os.Stat(filepath.Join(s.tree(), "usr/large"))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	seen()
	first, before := inode(), sent
	seen()
	if sent != before || !os.SameFile(first, inode()) {
		t.Error("it was sent again")
	}
	for _, damage := range []func() error{
		func() error { return os.Remove(filepath.Join(s.tree(), "usr/same")) },
		func() error { return os.WriteFile(filepath.Join(s.tree(), "usr/large"), []byte("x"), 0o600) },
		func() error { return os.Remove(filepath.Join(filepath.Dir(s.tree()), "sum-"+packDigest)) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		seen()
	}
	// What is there of an earlier attempt is not trusted.
	err := errors.Join(os.Remove(filepath.Join(s.tree(), "usr/same")), os.WriteFile(filepath.Join(filepath.Dir(s.tree()), "part-"+packDigest), bytes.Repeat([]byte("x"), 1000), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	seen()
	if err := there.Clean(soon(t)); err != nil {
		t.Error(err)
	}
	if left := s.left(t); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Sending goes on where a connection broke.
func TestPackResumes(t *testing.T) {
	s, there := computer(t)
	c := packed(t, config(t, there), 24<<20)
	const enough = 8 << 20
	cut, resumed := false, int64(0)
	c.OnSend = func(done, _ int64) {
		switch {
		case cut && resumed == 0:
			resumed = done
		case !cut && done > enough:
			cut = true
			s.cut()
		}
	}
	largeThere(t, c)
	if !cut || resumed < enough/2 {
		t.Errorf("cut %v, it went on at %d", cut, resumed)
	}
}

// Two places that want the same programs at once have them sent once.
func TestPackTwoAtOnce(t *testing.T) {
	_, there := computer(t)
	c := packed(t, config(t, there), 24<<20)
	var senders atomic.Int32
	var work sync.WaitGroup
	for range 2 {
		c := c
		var first sync.Once
		c.OnSend = func(int64, int64) { first.Do(func() { senders.Add(1) }) }
		work.Go(func() { largeThere(t, c) })
	}
	work.Wait()
	if n := senders.Load(); n != 1 {
		t.Errorf("%d sent them", n)
	}
}

// largeThere makes a place, in which the large file is whole.
func largeThere(t *testing.T, c Config) {
	r, err := New(c)
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close(soon(t))
	if err := r.Connect(soon(t)); err != nil {
		t.Error(err)
		return
	}
	obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "echo $(wc -c </usr/large)"}}})
	if err != nil || strings.TrimSpace(string(obs.Exec.Stdout)) != "25165824" {
		t.Errorf("%+v %v", obs, err)
	}
}

// A computer that stays away while programs are sent is given up.
func TestPackGivenUp(t *testing.T) {
	s, there := computer(t)
	c := packed(t, config(t, there), 8<<20)
	c.Patience = 300e6
	c.OnSend = func(int64, int64) {
		s.setDown(true)
		s.cut()
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(soon(t))
	var f *vmhost.FailedError
	if err := r.Connect(soon(t)); !errors.As(err, &f) || f.Reason != vmhost.ReasonRemoteLost {
		t.Errorf("%+v", err)
	}
}

// A computer that says that it gets on, and does not, is given up; so is one that has more than
// there is.
func TestPackNeverEnds(t *testing.T) {
	for _, tt := range []struct {
		first, step int64
		reason      vmhost.Reason
	}{
		{0, 1, vmhost.ReasonRemoteLost}, {-1, 0, vmhost.ReasonProtocol}, {1 << 40, 0, vmhost.ReasonProtocol},
	} {
		s, there := computer(t)
		c := packed(t, config(t, there), 1<<20)
		c.Patience = 300e6
		have := tt.first
		s.run = func(command string, ch ssh.Channel) bool {
			var r resume.Request
			if !strings.HasSuffix(command, `" remote'`) || resume.ReadLine(ch, &r) != nil {
				return false
			}
			io.WriteString(ch, mark)
			resume.WriteLine(ch, resume.Answer{Have: have})
			have += tt.step
			return true
		}
		r, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var f *vmhost.FailedError
		if err := r.Connect(ctx); !errors.As(err, &f) || f.Reason != tt.reason {
			t.Errorf("from %d: %+v", tt.first, err)
		}
		_ = r.Close(soon(t)) // it may say that something is left there
	}
}
