//go:build unix

package act

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piwork/vmhost/wire"
)

// said is what an action said.
type said struct {
	wire.ActNews
	changes []wire.FileChange
	data    string
	code    int
	words   string
}

// do does an action in this process.
func do(t *testing.T, o wire.ActOrder, data string) said {
	t.Helper()
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out, words bytes.Buffer
	s := said{code: Main(t.Context(), strings.NewReader(string(line)+"\n"+data), &out, &words)}
	s.words = words.String()
	for r := bufio.NewReader(&out); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return s
		}
		if s.ActNews, err = wire.ParseNews(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if s.Change != nil {
			s.changes = append(s.changes, *s.Change)
			continue
		}
		rest := new(bytes.Buffer)
		_, _ = rest.ReadFrom(r)
		s.data = rest.String()
		return s
	}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// world has two roots, and what lies outside of them.
type world struct{ base, folders, work, secret string }

func newWorld(t *testing.T) world {
	t.Helper()
	base := t.TempDir()
	w := world{base, filepath.Join(base, "folders"), filepath.Join(base, "work"), filepath.Join(base, "secret")}
	for _, dir := range []string{w.folders + "/Letters/Old", w.work, w.secret} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.put(t, "folders/Letters/a.txt", "hello")
	w.put(t, "secret/key", "top secret")
	return w
}

func (w world) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.base, name), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func (w world) has(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.base, name))
	if err != nil {
		return "?"
	}
	return string(b)
}

func (w world) order(op, p string, change func(*wire.FileParams)) wire.ActOrder {
	o := wire.FileParams{ID: "x", Op: op, Path: filepath.Join(w.base, p), Roots: []string{w.work, w.folders}, Length: wire.MaxFileData, Limit: 100}
	if change != nil {
		change(&o)
	}
	return wire.ActOrder{File: &o}
}

func TestRead(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		offset, length int64
		want           string
	}{{0, 100, "hello"}, {0, 5, "hello"}, {1, 2, "el"}, {4, 9, "o"}, {5, 9, ""}, {90, 9, ""}, {0, 0, ""}} {
		got := do(t, w.order(wire.FileRead, "folders/Letters/a.txt", func(p *wire.FileParams) { p.Offset, p.Length = tt.offset, tt.length }), "")
		if got.File == nil || got.data != tt.want || got.File.Size != int64(len(tt.want)) || got.File.Info.SHA256 != sum("hello") || got.File.Info.Size != 5 || got.File.Info.Mode != 0o640 {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

func TestStat(t *testing.T) {
	w := newWorld(t)
	if err := os.Symlink("a.txt", w.folders+"/Letters/link"); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]wire.FileInfo{
		"folders":               {Kind: wire.KindDirectory, Mode: 0o755},
		"folders/Letters":       {Kind: wire.KindDirectory, Mode: 0o755},
		"folders/Letters/a.txt": {Kind: wire.KindFile, Mode: 0o640, Size: 5, SHA256: sum("hello")},
		"folders/Letters/link":  {Kind: wire.KindLink, Mode: 0o777, Target: "a.txt"},
	} {
		got := do(t, w.order(wire.FileStat, p, nil), "")
		if got.File == nil || got.File.Info == nil {
			t.Fatalf("%s: %+v", p, got)
		}
		i := *got.File.Info
		if i.Modified.IsZero() || i.Path != filepath.Join(w.base, p) {
			t.Errorf("%+v", i)
		}
		if i.Modified, i.Path = want.Modified, ""; i != want {
			t.Errorf("%s: %+v", p, i)
		}
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	w.put(t, "folders/Letters/b\xff", "")
	w.put(t, "folders/Letters/Old/c.txt", "")
	names := func(s said) (out []string) {
		for _, e := range s.File.Entries {
			out = append(out, strings.TrimPrefix(e.Path, w.folders))
		}
		return out
	}
	for _, tt := range []struct {
		depth, limit int
		want         []string
		more         bool
	}{
		{0, 100, []string{"/Letters/Old", "/Letters/a.txt"}, false},
		{1, 100, []string{"/Letters/Old", "/Letters/Old/c.txt", "/Letters/a.txt"}, false},
		{9, 3, []string{"/Letters/Old", "/Letters/Old/c.txt", "/Letters/a.txt"}, false},
		{9, 2, []string{"/Letters/Old", "/Letters/Old/c.txt"}, true},
		{9, 1, []string{"/Letters/Old"}, true},
	} {
		got := do(t, w.order(wire.FileList, "folders/Letters", func(p *wire.FileParams) { p.Depth, p.Limit = tt.depth, tt.limit }), "")
		if got.File == nil || !slices.Equal(names(got), tt.want) || got.File.More != tt.more || !tt.more && got.File.Unnamed != 1 {
			t.Errorf("%+v: %+v %+v", tt, got, names(got))
		}
	}
}

// As many entries as may be asked for come in one answer, and no more than it has room for.
func TestLongList(t *testing.T) {
	w := newWorld(t)
	for i := range wire.MaxEntries {
		w.put(t, fmt.Sprintf("folders/Letters/Old/%05d", i), "")
	}
	list := func(p string) said {
		return do(t, w.order(wire.FileList, p, func(p *wire.FileParams) { p.Depth, p.Limit = 64, wire.MaxEntries }), "")
	}
	if got := list("folders/Letters/Old"); got.File == nil || len(got.File.Entries) != wire.MaxEntries || got.File.More {
		t.Errorf("%+v", got.Failed)
	}
	deep := w.work
	for range 12 {
		deep += "/" + strings.Repeat("<", 240) // in JSON each is \u003c
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := os.WriteFile(fmt.Sprintf("%s/%03d", deep, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := list("work"); got.File == nil || len(got.File.Entries) < 400 || !got.File.More {
		t.Errorf("%+v", got.Failed)
	}
}

func TestWrite(t *testing.T) {
	for _, tt := range []struct {
		name, path, expect string
		parents            bool
		code, has          string // of a failure
	}{
		{"over any", "a.txt", "", false, "", ""},
		{"over what is expected", "a.txt", sum("hello"), false, "", ""},
		{"over what changed", "a.txt", sum("hi"), false, wire.ActChanged, sum("hello")},
		{"over what is not to be there", "a.txt", wire.FileAbsent, false, wire.ActChanged, sum("hello")},
		{"new", "n.txt", "", false, "", ""},
		{"new, and expected to be", "n.txt", wire.FileAbsent, false, "", ""},
		{"new, and not expected to be", "n.txt", sum("hello"), false, wire.ActChanged, wire.FileAbsent},
		{"in a directory that is not there", "New/n.txt", "", false, wire.ActMissing, ""},
		{"in one that is made", "New/Deep/n.txt", "", true, "", ""},
		{"in the place of a directory", "Old", "", false, wire.ActKind, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.has(t, "folders/Letters/"+tt.path)
			got := do(t, w.order(wire.FileWrite, "folders/Letters/"+tt.path, func(p *wire.FileParams) {
				p.Expect, p.Parents, p.Size = tt.expect, tt.parents, 4
			}), "new\n")
			now := w.has(t, "folders/Letters/"+tt.path)
			if tt.code != "" {
				if got.Failed == nil || got.Failed.Code != tt.code || got.Failed.SHA256 != tt.has || now != before {
					t.Errorf("%+v, %q", got, now)
				}
			} else if got.File == nil || got.File.Info.SHA256 != sum("new\n") || got.File.Info.Size != 4 || now != "new\n" {
				t.Errorf("%+v, %q", got, now)
			}
			info, err := os.Stat(filepath.Join(w.folders, "Letters", "a.txt"))
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v %v", info.Mode(), err)
			}
			left, err := filepath.Glob(w.folders + "/Letters/.piwork-*")
			if err != nil || len(left) > 0 {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// A file is replaced whole: another name of the old one keeps what it had, and no
// fewer bytes than were announced become a file.
func TestWriteIsWhole(t *testing.T) {
	w := newWorld(t)
	if err := os.Link(w.folders+"/Letters/a.txt", w.folders+"/Letters/other"); err != nil {
		t.Fatal(err)
	}
	a := w.order(wire.FileWrite, "folders/Letters/a.txt", func(p *wire.FileParams) { p.Size = 3 })
	for data, now := range map[string]string{"ne": "hello", "newer": "hello", "new": "new"} {
		if data == "new" {
			continue
		}
		if got := do(t, a, data); got.Failed == nil || w.has(t, "folders/Letters/a.txt") != now {
			t.Errorf("%q: %+v", data, got)
		}
	}
	if got := do(t, a, "new"); got.File == nil || w.has(t, "folders/Letters/a.txt") != "new" || w.has(t, "folders/Letters/other") != "hello" {
		t.Errorf("%+v", got)
	}
}

// meanwhile gives data, and does something when it is first asked for.
type meanwhile struct {
	io.Reader
	do func()
}

func (m *meanwhile) Read(b []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.Reader.Read(b)
}

// What others write while a new file is made is not lost where something else was expected.
func TestWhatComesMeanwhileStays(t *testing.T) {
	w := newWorld(t)
	for name, tt := range map[string]struct {
		before, expect, meanwhile string
	}{
		"changed": {"old", sum("old"), "theirs"},
		"same":    {"old", sum("old"), ""},
		"alone":   {"", wire.FileAbsent, ""},
	} {
		file := "work/" + name
		if tt.before != "" {
			w.put(t, file, tt.before)
		}
		at, err := open([]string{w.work}, filepath.Join(w.base, file))
		if err != nil {
			t.Fatal(err)
		}
		_, err = at.replace(tt.expect, &meanwhile{strings.NewReader("ours"), func() {
			if tt.meanwhile != "" {
				w.put(t, file, tt.meanwhile)
			}
		}})
		want := cmp.Or(tt.meanwhile, "ours")
		if refused, _ := errors.AsType[*refusal](err); w.has(t, file) != want || (tt.meanwhile != "") != (refused != nil && refused.code == wire.ActChanged) {
			t.Errorf("%s: %q, %v", name, w.has(t, file), err)
		}
		if _, err := at.replace(wire.FileAbsent, strings.NewReader("later")); err == nil || w.has(t, file) != want {
			t.Errorf("%s: %q, %v", name, w.has(t, file), err)
		}
		at.root.Close()
	}
	if left, err := filepath.Glob(w.work + "/.piwork-*"); err != nil || len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// Attacks: what a path, or what lies at it, may try.
func TestHostilePaths(t *testing.T) {
	w := newWorld(t)
	for name, target := range map[string]string{
		"out": "../../secret", "absolute": w.secret, "file": "../../secret/key", "loop": "loop", "within": "Old", "dangling": "../../secret/new",
	} {
		if err := os.Symlink(target, filepath.Join(w.folders, "Letters", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(w.folders, "Letters", "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.put(t, "folders/Letters/Old/in.txt", "in")
	for _, tt := range []struct{ op, path, code string }{
		{wire.FileRead, "secret/key", wire.ActOutside},
		{wire.FileStat, "", wire.ActOutside},
		{wire.FileList, "secret", wire.ActOutside},
		{wire.FileWrite, "secret/key", wire.ActOutside},
		{wire.FileRead, "foldersx/a", wire.ActOutside},
		{wire.FileRead, "folders/Letters/out/key", wire.ActOutside},
		{wire.FileList, "folders/Letters/out", wire.ActOutside},
		{wire.FileWatch, "folders/Letters/out", wire.ActOutside},
		{wire.FileWrite, "folders/Letters/out/key", wire.ActOutside},
		{wire.FileWrite, "folders/Letters/out/new", wire.ActOutside},
		{wire.FileRead, "folders/Letters/absolute/key", wire.ActOutside},
		{wire.FileRead, "folders/Letters/file", wire.ActOutside},
		{wire.FileWrite, "folders/Letters/file", wire.ActKind},
		{wire.FileWrite, "folders/Letters/dangling", wire.ActKind},
		{wire.FileRead, "folders/Letters/loop", wire.ActKind},
		{wire.FileRead, "folders/Letters/pipe", wire.ActKind},
		{wire.FileWrite, "folders/Letters/pipe", wire.ActKind},
		{wire.FileList, "folders/Letters/pipe", wire.ActKind},
		{wire.FileRead, "folders/Letters", wire.ActKind},
		{wire.FileList, "folders/Letters/a.txt", wire.ActKind},
		{wire.FileRead, "folders/Letters/a.txt/x", wire.ActKind},
		{wire.FileRead, "folders/Letters/no", wire.ActMissing},
		{wire.FileWrite, "folders", wire.ActKind},
		{wire.FileRead, "folders/Letters/within/in.txt", ""},
	} {
		got := do(t, w.order(tt.op, tt.path, func(p *wire.FileParams) { p.Size, p.WaitMS = 1, 10 }), "x")
		switch {
		case tt.code == "" && got.File == nil, tt.code != "" && (got.Failed == nil || got.Failed.Code != tt.code):
			t.Errorf("%s %s: %+v %+v %s", tt.op, tt.path, got.File, got.Failed, got.words)
		case strings.Contains(got.data, "secret"):
			t.Errorf("%s %s reads it", tt.op, tt.path)
		}
	}
	if w.has(t, "secret/key") != "top secret" || w.has(t, "secret/new") != "?" {
		t.Error("it was changed")
	}
}

// What is no order is refused, and nothing is said.
func TestHostileOrders(t *testing.T) {
	for _, line := range []string{"", "\n", "{}\n", "[]\n", `{"file":{"op":"read","path":"../x","roots":["/"],"id":"x"}}` + "\n",
		`{"file":{"op":"read","path":"/x","roots":[],"id":"x"}}` + "\n", `{"file":{"op":"dance","path":"/x","roots":["/"],"id":"x"}}` + "\n",
		`{"file":{"op":"write","path":"/x","roots":["/"],"id":"x","expect":"../x"}}` + "\n",
		strings.Repeat("x", maxOrder+1) + "\n",
	} {
		var out, words bytes.Buffer
		if code := Main(t.Context(), strings.NewReader(line), &out, &words); code == 0 || out.Len() > 0 || words.Len() == 0 {
			t.Errorf("%.60q: %d %q", line, code, out.String())
		}
	}
}

// What happens every day is told from what nobody foresaw.
func TestFailure(t *testing.T) {
	for err, want := range map[error]string{notDownloaded: wire.ActOnline, syscall.ENAMETOOLONG: wire.ActName, syscall.ENOSPC: wire.ActFull, syscall.EIO: wire.ActFailed} {
		if got := failure("/work/a", &os.PathError{Op: "open", Path: "/work/a", Err: err}); got.Code != want {
			t.Errorf("%v is %s", err, got.Code)
		}
	}
}

// More than an answer holds is said as that, not as a file that is too large.
func TestAnswerIsTooLarge(t *testing.T) {
	var out bytes.Buffer
	s := &speaker{out: bufio.NewWriter(&out)}
	if err := s.say(wire.ActNews{Page: &wire.PageResult{Title: strings.Repeat("x", wire.MaxActLine)}}, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := wire.ParseNews(out.Bytes()); err != nil || n.Failed == nil || n.Failed.Code != wire.ActTooMuch {
		t.Errorf("%+v %v", n, err)
	}
}
