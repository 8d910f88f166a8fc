package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire/resume"
)

// shared gives a place a folder that may be changed and one that may not, and a state.
func shared(t testing.TB, c Config) (_ Config, dir string, j *journal.Journal) {
	t.Helper()
	dir = hostedtest.Files(t)
	c, j = sharing(t, c, filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	return c, dir, j
}

// sharing gives a place two folders of this computer, and a state.
func sharing(t testing.TB, c Config, rw, ro string) (Config, *journal.Journal) {
	t.Helper()
	hostedtest.NeedFUSE(t)
	f := hostedtest.Share(t, rw, ro)
	c.Folders, c.State = append(c.Folders, f.View...), true
	c.ServeFUSE = f.ServeFUSEAs(c.Log)
	return c, f.Journal
}

// The folders are those of the person, with the journal behind them: what a program there
// changed is undone here, and what it must not change it cannot.
func TestFolders(t *testing.T) {
	s, there := computer(t)
	c, dir, j := shared(t, config(t, there))
	r := connected(t, s, c)
	got := run(t, r, "pwd; cat a.txt; echo changed >a.txt; mkdir d; echo new >d/n; mv d/n d/m; chmod 600 a.txt; ln -s a.txt link; cat link; ls -n a.txt; cat ../ro/b.txt")
	lines := strings.Split(string(got.Stdout), "\n")
	if got.ExitCode != 0 || len(lines) < 5 || lines[0] != "/folders/rw" || lines[1] != "first" || lines[2] != "changed" || lines[4] != "second" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	for name, want := range map[string]string{"rw/a.txt": "changed\n", "rw/d/m": "new\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	for _, script := range []string{
		"echo x >/folders/ro/b.txt", "rm /folders/ro/b.txt", "mkdir /folders/ro/d", "echo x >/folders/x", "mkdir /folders/d",
		"cat /folders/rw/../../secret", "ln -s " + dir + "/secret s; cat s", "ln /folders/ro/b.txt hard", "mv /folders/ro/b.txt .",
	} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	if got := run(t, r, "echo kept >/state/f && cat /folders/.state/f"); string(got.Stdout) != "kept\n" {
		t.Errorf("the state: %+v", got)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "rw/a.txt")); err != nil || string(b) != "first\n" {
		t.Errorf("undo: %q %v", b, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "rw/d")); err == nil {
		t.Error("undo left d")
	}
}

// A large file comes and goes whole, also when the connection is cut on the way.
func TestLargeFile(t *testing.T) {
	s, there := computer(t)
	c, dir, _ := shared(t, config(t, there))
	large := make([]byte, 6<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range large {
		large[i] = byte(random.Uint32())
	}
	if err := os.WriteFile(filepath.Join(dir, "rw/large"), large, 0o600); err != nil {
		t.Fatal(err)
	}
	r := connected(t, s, c)
	over, returned := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := range 3 {
			for {
				if info, err := os.Stat(filepath.Join(dir, "rw/copy")); err == nil && info.Size() > int64(n+1)<<20 {
					break
				}
				select {
				case <-returned:
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
			s.cut()
		}
	}()
	func() {
		defer close(returned) // also where run ends the test
		if got := run(t, r, "cat large >copy && cat large >/work/copy && cat /work/copy >again"); got.ExitCode != 0 {
			t.Errorf("%+v", got)
		}
	}()
	<-over
	for _, name := range []string{"copy", "again"} {
		if b, err := os.ReadFile(filepath.Join(dir, "rw", name)); err != nil || !bytes.Equal(b, large) {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}

// Another computer that says anything in place of requests for files gets nothing by it.
func TestHostileRequests(t *testing.T) {
	length := func(n uint32) []byte { return binary.NativeEndian.AppendUint32(nil, n) }
	for name, says := range map[string][]byte{
		"a short one":         length(4),
		"a long one":          length(resume.MaxMessage + 1),
		"one of 4 GiB":        length(1<<32 - 1),
		"nothing of a header": length(39),
	} {
		if err := newPending().requests(io.Discard, bytes.NewReader(append(says, make([]byte, 64)...))); !errors.Is(err, resume.ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := newPending().requests(io.Discard, bytes.NewReader(append(length(40), make([]byte, 36)...))); err != nil {
		t.Error(err)
	}
	for name, r := range map[string]struct{ op, at, most uint32 }{
		"READ": {15, 56, resume.MaxIO}, "READDIR": {28, 56, resume.MaxIO}, "READDIRPLUS": {44, 56, resume.MaxIO},
		"GETXATTR": {22, 40, 64 << 10}, "LISTXATTR": {23, 40, 64 << 10}, "IOCTL": {39, 68, 64 << 10},
	} {
		for size, good := range map[uint32]bool{r.most: true, r.most + 1: false, 1<<32 - 1: false} {
			if err := newPending().requests(io.Discard, bytes.NewReader(request(r.op, 2, r.at, size))); errors.Is(err, resume.ErrProtocol) == good {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
		}
	}
	if err := newPending().requests(io.Discard, bytes.NewReader(slices.Repeat(request(15, 2, 56, 1), 2))); !errors.Is(err, resume.ErrProtocol) {
		t.Errorf("two of one number: %v", err)
	}
}

// request is one of FUSE, of 80 bytes, with a number in it.
func request(op uint32, unique uint64, at, n uint32) []byte {
	b := make([]byte, 80)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint32(b[4:], op)
	binary.NativeEndian.PutUint64(b[8:], unique)
	binary.NativeEndian.PutUint32(b[at:], n)
	return b
}

// Requests that nobody answers are bounded: more of them wait. Those without an answer pass,
// and so does the first interrupt of each.
func TestManyRequests(t *testing.T) {
	from, says := io.Pipe()
	passed := make(chan []byte, 4*maxPending)
	q := newPending()
	ended := make(chan error, 1)
	go func() {
		ended <- q.requests(writerFunc(func(b []byte) (int, error) { passed <- bytes.Clone(b); return len(b), nil }), from)
	}()
	say := func(all ...[]byte) { _, _ = says.Write(bytes.Join(all, nil)) }
	for n := range uint64(maxPending) {
		say(request(15, 2*(n+1), 56, 1), request(2, 1, 56, 1))
	}
	for range 3 {
		say(request(36, 3, 40, 2), request(36, 5, 40, 1<<20))
	}
	go func() {
		for n := range uint64(maxPending) {
			say(request(15, 2*(maxPending+n+1), 56, 1))
		}
		says.Close()
	}()
	for range 2*maxPending + 1 {
		<-passed
	}
	select {
	case b := <-passed:
		t.Errorf("one more passes: % x", b[:16])
	case <-time.After(50 * time.Millisecond):
	}
	answer := func(unique uint64) []byte {
		b := make([]byte, 16)
		binary.NativeEndian.PutUint64(b[8:], unique)
		return b
	}
	q.answered(5) // to an interrupt of who is not interrupted
	back, answers := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- q.answers(io.Discard, back) }()
	for n := range uint64(10) {
		_, _ = answers.Write(answer(2 * (n + 1)))
		if b := <-passed; binary.NativeEndian.Uint64(b[8:]) != 2*(maxPending+n+1) {
			t.Errorf("% x", b[:16])
		}
	}
	answers.Close()
	<-over
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
