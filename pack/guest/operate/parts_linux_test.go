package operate

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// openings counts how often each file right in a folder is opened, until it is asked.
func openings(t *testing.T, dir string) func() map[string]int {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { f.Close() })
	out := map[string]int{}
	const mark = ".piwork-mark"
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 1<<20); ; {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
				mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
				name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], "\x00"))
				rest = rest[unix.SizeofInotifyEvent+length:]
				switch {
				case mask&unix.IN_Q_OVERFLOW != 0:
					t.Error("openings were missed")
				case name == mark:
					return
				case mask&unix.IN_ISDIR == 0:
					out[name]++
				}
			}
		}
	}()
	return func() map[string]int {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, mark), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("inotify says nothing")
		}
		if err := os.Remove(filepath.Join(dir, mark)); err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// asker asks for one part after another.
type asker struct {
	*bench
	keep string
	p    wire.ToolParams
}

func (a *asker) part(t *testing.T, after string) (infos []any, next string) {
	t.Helper()
	p := a.p
	p.ID, p.Params = "x", map[string]any{"after": after}
	for k, v := range a.p.Params {
		p.Params[k] = v
	}
	// As another process hears it.
	data, err := json.Marshal(job.Order{Tool: p, Scratch: a.t.TempDir(), Keep: a.keep})
	if err != nil {
		t.Fatal(err)
	}
	var o job.Order
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), o, a.programs.run, func(job.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if n := job.AnswerSize(&r); n > job.MaxAnswer || len(r.Info) == 0 {
		t.Fatalf("%d bytes, %d infos, %v", n, len(r.Info), r.Problems)
	}
	if left, err := os.ReadDir(o.Scratch); err != nil || len(left) != 0 {
		t.Errorf("scratch has %v, %v", left, err)
	}
	switch n := len(r.Problems); {
	case n == 0:
		return r.Info, ""
	case n > 1 || r.Problems[0].Code != tools.MoreResults || r.Problems[0].Path == "":
		t.Fatalf("%v", r.Problems)
	}
	return r.Info, r.Problems[0].Path
}

// all asks until there is no more.
func (a *asker) all(t *testing.T) (parts [][]any) {
	t.Helper()
	for after := ""; ; {
		infos, next := a.part(t, after)
		if parts = append(parts, infos); next == "" {
			return parts
		}
		if next == after || len(parts) > 100 {
			t.Fatalf("no end after %q", after)
		}
		after = next
	}
}

func asking(b *bench, op string, params map[string]any) *asker {
	return &asker{bench: b, keep: b.t.TempDir(), p: wire.ToolParams{Op: op, In: []string{b.dir}, Params: params}}
}

func manyDuplicates(t *testing.T, pairs int) *bench {
	b := newBench(t)
	for i := range pairs {
		for _, name := range []string{"a", "b"} {
			b.file(fmt.Sprintf("%05d %s %s.txt", i, strings.Repeat("long ", 20), name), fmt.Appendf(nil, "%06d", i))
		}
	}
	return b
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("kept are %v, %v", left, err)
	}
}

// An answer in many parts reads every file once, and only files that may have their
// like; nothing of it is left.
func TestDuplicatesReadOnce(t *testing.T) {
	const pairs, others = 3000, 500
	b := manyDuplicates(t, pairs)
	for i := range others {
		b.file(fmt.Sprintf("other %d", i), make([]byte, 7+i)) // of a size of its own
	}
	a := asking(b, "file.duplicates", nil)
	opened := openings(t, b.dir)
	parts := a.all(t)
	reads := opened()
	if len(parts) < 3 {
		t.Fatalf("%d parts: the test is too small", len(parts))
	}
	for name, n := range reads {
		if n != 1 || strings.HasPrefix(name, "other") {
			t.Fatalf("%q was opened %d times", name, n)
		}
	}
	if len(reads) != 2*pairs {
		t.Errorf("%d files were read of %d", len(reads), 2*pairs)
	}
	wantEmpty(t, a.keep)
	// It is what an operation says that keeps nothing.
	plain := asking(b, "file.duplicates", nil)
	plain.keep = ""
	if want := plain.all(t); fmt.Sprint(parts) != fmt.Sprint(want) {
		t.Error("what was kept makes another answer")
	}
	groups := 0
	for _, p := range parts {
		groups += len(p)
	}
	if groups != pairs {
		t.Errorf("%d groups", groups)
	}
}

// Pictures are read once, too, for when they were taken.
func TestPhotosReadOnce(t *testing.T) {
	const photos = 5000
	b := newBench(t)
	for i := range photos {
		b.file(fmt.Sprintf("%05d %s.jpg", i, strings.Repeat("long ", 20)), []byte("\xFF\xD8\xFF"))
	}
	a := asking(b, "file.organize", map[string]any{"by": "taken-month"})
	opened := openings(t, b.dir)
	parts := a.all(t)
	reads, moves := opened(), 0
	for _, p := range parts {
		moves += len(p)
	}
	if len(parts) < 2 || moves != photos || len(reads) != photos {
		t.Fatalf("%d parts, %d moves, %d files were opened", len(parts), moves, len(reads))
	}
	for name, n := range reads {
		if n != 1 {
			t.Fatalf("%q was opened %d times", name, n)
		}
	}
	wantEmpty(t, a.keep)
}

// What was kept counts as long as the files are what they were.
func TestKeptAnswerOfChangedFiles(t *testing.T) {
	const pairs = 1500
	for name, change := range map[string]func(file string) error{
		"longer": func(f string) error { return os.WriteFile(f, []byte("longer than before"), 0o600) },
		"gone":   os.Remove,
		"another": func(f string) error {
			return errors.Join(os.WriteFile(f+".new", []byte("999999"), 0o600), os.Rename(f+".new", f))
		},
		"as old": func(f string) error {
			st, err := os.Stat(f)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(f, []byte("999999"), 0o600), os.Chtimes(f, st.ModTime(), st.ModTime()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := manyDuplicates(t, pairs)
			files, err := filepath.Glob(filepath.Join(b.dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			a := asking(b, "file.duplicates", nil)
			first, next := a.part(t, "")
			if next == "" {
				t.Fatal("one part")
			}
			if err := change(files[len(files)-1]); err != nil {
				t.Fatal(err)
			}
			n := len(first)
			for next != "" {
				var infos []any
				infos, next = a.part(t, next)
				n += len(infos)
			}
			if n != pairs-1 {
				t.Errorf("%d groups, want %d", n, pairs-1)
			}
		})
	}
}

// What stands where an answer is kept may be anything: the answer is right.
func TestKeptAnswerSpoiled(t *testing.T) {
	b := manyDuplicates(t, 1500)
	a := asking(b, "file.duplicates", nil)
	want := fmt.Sprint(a.all(t))
	file := filepath.Join(a.keep, "file.duplicates")
	edit := func(f func([]byte) []byte) func() error {
		return func() error {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, f(data), 0o600)
		}
	}
	instead := func(make func() error) func() error {
		return func() error { return errors.Join(os.Remove(file), make()) }
	}
	for name, spoil := range map[string]func() error{
		"cut":           edit(func(b []byte) []byte { return b[:len(b)-100] }),
		"cut at a line": edit(func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }),
		"no lines":      edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), nil) }),
		"no JSON":       edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"kind"`), []byte(`"kind`)) }),
		"empty":         edit(func([]byte) []byte { return nil }),
		"of another":    edit(func(b []byte) []byte { return append([]byte("0"), b[1:]...) }),
		"a long line": edit(func(b []byte) []byte {
			head, _, _ := bytes.Cut(b, []byte("\n"))
			return append(append(bytes.Clone(head), '\n'), bytes.Repeat([]byte("x"), 1<<20)...)
		}),
		"gone":        func() error { return os.Remove(file) },
		"a folder":    instead(func() error { return os.Mkdir(file, 0o700) }),
		"a pipe":      instead(func() error { return unix.Mkfifo(file, 0o600) }),
		"a link":      instead(func() error { return os.Symlink("/dev/zero", file) }),
		"endless":     instead(func() error { return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<40)) }),
		"no room":     instead(func() error { return os.Remove(a.keep) }),
		"not touched": func() error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.RemoveAll(a.keep), os.MkdirAll(a.keep, 0o700)); err != nil {
				t.Fatal(err)
			}
			first, next := a.part(t, "")
			if err := spoil(); err != nil {
				t.Fatal(err)
			}
			parts := [][]any{first}
			for next != "" {
				var infos []any
				infos, next = a.part(t, next)
				parts = append(parts, infos)
			}
			if fmt.Sprint(parts) != want {
				t.Error("another answer")
			}
		})
	}
}

// Large files that differ where they begin are not read on: these would take hours.
func TestDuplicatesOfLargeFiles(t *testing.T) {
	b := newBench(t)
	for i := range 8 {
		path := b.file(fmt.Sprint("huge ", i), []byte{byte(i)})
		if err := os.Truncate(path, 1<<40); err != nil { // sparse
			t.Skip("this file system has no such files: ", err)
		}
	}
	same := append(make([]byte, headLength), "the same end"...)
	b.file("large a", same)
	b.file("large b", same)
	b.file("large c", append(make([]byte, headLength), "another end."...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := b.run(ctx, wire.ToolParams{Op: "file.duplicates", In: []string{b.dir}})
	if len(r.Problems) != 0 || len(r.Info) != 1 {
		t.Fatalf("%+v", r)
	}
	g := r.Info[0].(tools.Duplicates)
	if len(g.Files) != 2 || g.Spare != int64(len(same)) || filepath.Base(g.Files[0].Path) != "large a" {
		t.Errorf("%+v", g)
	}
}

// However many files cannot be read: what there is to say of the others has room.
func TestProblemsLeaveRoom(t *testing.T) {
	b := newBench(t)
	r := &job.Job{Order: job.Order{Tool: wire.ToolParams{In: []string{b.dir}}}, Send: func(job.Event) {}}
	for i := range 100_000 {
		r.FoundProblem(tools.InputProblem(fmt.Sprintf("%s/%06d", strings.Repeat("&", 200), i), fs.ErrPermission))
	}
	problems := len(r.Result.Problems)
	if last := r.Result.Problems[problems-1]; last != job.TooMany || r.Result.Problems[problems-2].Code != tools.InputUnreadable {
		t.Errorf("the last is %v", last)
	}
	var all []tools.Move
	for i := range 10_000 {
		all = append(all, tools.Move{Path: fmt.Sprint("/x/", i), To: "/y"})
	}
	if !tell(r, all, "", moveOf) || len(r.Result.Info) < 1000 || r.Full() && job.AnswerSize(&r.Result) > job.MaxAnswer {
		t.Errorf("%d of %d, %d bytes", len(r.Result.Info), len(all), job.AnswerSize(&r.Result))
	}
	more := r.Result.Problems[len(r.Result.Problems)-1]
	if job.Fit(&r.Result); more.Code != tools.MoreResults || more.Path == "" || len(r.Result.Info) == 0 || r.Result.Problems[len(r.Result.Problems)-1] != more {
		t.Errorf("%v", more)
	}
}
