package operate

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// packed is an entry of a hostile archive.
type packed struct {
	name, body, link string
	kind             byte   // of tar
	extra            []byte // of zip
	unsaid           bool   // a zip that does not say that its names are in UTF-8
}

func zipOf(t testing.TB, entries ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)}
		h.Extra, h.NonUTF8 = e.extra, e.unsaid
		if e.link != "" {
			h.SetMode(fs.ModeSymlink | 0o777)
			e.body = e.link
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(e.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unicodeName is what a zip has beside a name, to say it in UTF-8.
func unicodeName(name, is string) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0x75, 0x70}, uint16(5+len(is)))
	return append(binary.LittleEndian.AppendUint32(append(b, 1), crc32.ChecksumIEEE([]byte(name))), is...)
}

func tarOf(t testing.TB, entries ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		kind := cmp.Or(e.kind, tar.TypeReg)
		h := &tar.Header{Name: e.name, Typeflag: kind, Linkname: e.link, Mode: 0o4755, Size: int64(len(e.body))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tree lists what is in a directory, with the content of files.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		line := filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			line += "/"
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += "=" + string(b[:min(len(b), 20)])
		default:
			line += "@"
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestExtractHostile(t *testing.T) {
	hello := packed{name: "ok.txt", body: "hello"}
	encrypted := zipOf(t, hello)
	for i := range len(encrypted) - 4 { // the flag in both headers
		if string(encrypted[i:i+4]) == "PK\x03\x04" {
			encrypted[i+6] |= 1
		}
		if string(encrypted[i:i+4]) == "PK\x01\x02" {
			encrypted[i+8] |= 1
		}
	}
	bomb := gzipOf(t, make([]byte, 4<<20))
	for name, tt := range map[string]struct {
		file    string
		data    []byte
		want    string // what is in the folder
		code    string // of the first problem
		leftOut int
	}{
		"plain":                 {"a.zip", zipOf(t, hello, packed{name: "d/e/f.txt", body: "x"}), "d/ d/e/ d/e/f.txt=x ok.txt=hello", "", 0},
		"slip":                  {"a.zip", zipOf(t, hello, packed{name: "../evil", body: "x"}, packed{name: "d/../../evil", body: "x"}), "ok.txt=hello", tools.EntryLeftOut + " outside", 2},
		"absolute":              {"a.zip", zipOf(t, packed{name: "/etc/evil", body: "x"}, hello), "ok.txt=hello", tools.EntryLeftOut + " outside", 1},
		"drive":                 {"a.zip", zipOf(t, packed{name: `C:\evil`, body: "x"}, hello), "ok.txt=hello", tools.EntryLeftOut + " outside", 1},
		"backslashes":           {"a.zip", zipOf(t, packed{name: `..\evil`, body: "x"}, packed{name: `d\f`, body: "x"}), "d/ d/f=x", tools.EntryLeftOut + " outside", 1},
		"link, then through it": {"a.zip", zipOf(t, packed{name: "l", link: "/"}, packed{name: "l/evil", body: "x"}), "l/ l/evil=x", tools.EntryLeftOut + " link", 1},
		"tar with links":        {"a.tar", tarOf(t, packed{name: "s", link: "../..", kind: tar.TypeSymlink}, packed{name: "s/evil", body: "x"}, packed{name: "h", link: "/etc/passwd", kind: tar.TypeLink}, hello), "ok.txt=hello s/ s/evil=x", tools.EntryLeftOut + " link", 2},
		"devices":               {"a.tar", tarOf(t, packed{name: "null", kind: tar.TypeChar}, packed{name: "fifo", kind: tar.TypeFifo}, hello), "ok.txt=hello", tools.EntryLeftOut + " special", 2},
		"names of DOS":          {"a.zip", zipOf(t, packed{name: "\x9aber.txt", body: "x", unsaid: true}), "Über.txt=x", "", 0},
		"names of Linux":        {"a.zip", zipOf(t, packed{name: "Übung ß.txt", body: "x", unsaid: true}), "Übung ß.txt=x", "", 0},
		"names twice":           {"a.zip", zipOf(t, packed{name: "?.txt", body: "x", unsaid: true, extra: unicodeName("?.txt", "日.txt")}), "日.txt=x", "", 0},
		"compressed tar":        {"a.tgz", gzipOf(t, tarOf(t, hello)), "ok.txt=hello", "", 0},
		"mislabelled":           {"a.7z", gzipOf(t, tarOf(t, hello)), "ok.txt=hello", "", 0},
		"one file":              {"notes.txt.gz", gzipOf(t, []byte("hello")), "notes.txt=hello", "", 0},
		"a name twice":          {"a.zip", zipOf(t, hello, packed{name: "OK.txt", body: "other"}), "OK (2).txt=other ok.txt=hello", "", 0},
		"file and folder":       {"a.zip", zipOf(t, packed{name: "a", body: "x"}, packed{name: "a/b", body: "y"}), "a=x", tools.EntryLeftOut + " taken", 1},
		"long name":             {"a.zip", zipOf(t, packed{name: strings.Repeat("x", 300), body: "x"}, hello), "ok.txt=hello", tools.EntryLeftOut + " name", 1},
		"needs a password":      {"a.zip", encrypted, "", tools.InputLocked, 0},
		"cut off":               {"a.zip", zipOf(t, hello)[:60], "", tools.InputBroken, 0},
		"cut off in a file":     {"a.tgz", gzipOf(t, tarOf(t, packed{name: "big", body: strings.Repeat("0123456789", 5000)}))[:150], "", tools.InputBroken, 0},
		"no archive":            {"a.zip", []byte("hello hello"), "", tools.InputUnsupported, 0},
		"empty":                 {"a.zip", nil, "", tools.InputBroken, 0},
		"no bomb":               {"b.gz", bomb, "b=" + strings.Repeat("\x00", 20), "", 0},
		"7z header only":        {"a.7z", []byte("7z\xBC\xAF\x27\x1C\x00\x04aaaaaaaaaaaaaaaaaaaaaaaaaa"), "", tools.InputBroken, 0},
		"rar header only":       {"a.rar", []byte("Rar!\x1A\x07\x01\x00aaaaaaaaaaaa"), "", tools.InputBroken, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			out := filepath.Join(b.dir, "out")
			r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{b.file(tt.file, tt.data)}, Out: out})
			got := ""
			if _, err := os.Stat(out); err == nil {
				got = tree(t, out)
			}
			if got != tt.want {
				t.Errorf("made %q, want %q (%v)", got, tt.want, r.Problems)
			}
			code := ""
			if len(r.Problems) > 0 {
				code = strings.TrimSpace(r.Problems[0].Code + " " + r.Problems[0].Cause)
			}
			for _, p := range r.Problems {
				if (p.Code == tools.EntryLeftOut) != (p.Entry != "") {
					t.Errorf("which entry? %+v", p)
				}
			}
			if code != tt.code {
				t.Errorf("problems %v, want %q", r.Problems, tt.code)
			}
			if len(r.Info) == 1 && r.Info[0].(tools.ArchiveMade).LeftOut != tt.leftOut {
				t.Errorf("%+v, want %d left out", r.Info, tt.leftOut)
			}
			b.noneLeft()
		})
	}
}

// A name that the person's file system does not take is one entry's, not the end of
// all the others.
func TestExtractNameThatIsNone(t *testing.T) {
	b := newBench(t)
	out := filepath.Join(b.dir, strings.Repeat(strings.Repeat("d", 200)+"/", 8)+"out")
	long := strings.Repeat(strings.Repeat("e", 200)+"/", 13) + "x" // PATH_MAX is 4,096
	if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
		t.Fatal(err)
	}
	in := b.file("a.zip", zipOf(t, packed{name: "a.txt", body: "a"}, packed{name: long, body: "x"}, packed{name: long + "d/", body: ""}, packed{name: "b.txt", body: "b"}))
	r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: out})
	for _, name := range []string{"a.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	if len(r.Problems) != 2 || r.Problems[0].Cause != tools.EntryName || r.Info[0].(tools.ArchiveMade).LeftOut != 2 {
		t.Errorf("%+v", r)
	}
}

// What archive.info says is what archive.extract makes, and a file that grows is seen in
// an archive that as a whole does not.
func TestArchiveInfoSaysWhatIsMade(t *testing.T) {
	hello := packed{name: "d/ok.txt", body: "hello"}
	noise := make([]byte, 200_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	zeros := strings.Repeat("\x00", 4<<20)
	for name, tt := range map[string]struct {
		data  []byte
		times int64 // at least
	}{
		"plain.zip":  {zipOf(t, hello, packed{name: "../evil", body: "x"}), 0},
		"plain.tgz":  {gzipOf(t, tarOf(t, hello, packed{name: "l", link: "/", kind: tar.TypeSymlink})), 0},
		"zeros.gz":   {gzipOf(t, []byte(zeros)), 1000},
		"inside.zip": {zipOf(t, packed{name: "noise", body: string(noise)}, packed{name: "zeros", body: zeros}), 1000},
	} {
		b := newBench(t)
		in := b.file(name, tt.data)
		r := b.run(t.Context(), wire.ToolParams{Op: "archive.info", In: []string{in}})
		made := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: filepath.Join(b.dir, "out")})
		if len(r.Info) != 1 || len(made.Info) != 1 {
			t.Errorf("%s: %+v, %+v", name, r, made)
			continue
		}
		info, m := r.Info[0].(tools.ArchiveInfo), made.Info[0].(tools.ArchiveMade)
		if info.Files != m.Files || info.Bytes != m.Bytes || info.LeftOut != m.LeftOut || info.Size != int64(len(tt.data)) || info.SHA256 == "" {
			t.Errorf("%s: said %+v, made %+v", name, info, m)
		}
		if info.Times < tt.times || tt.times == 0 && info.Times > 100 {
			t.Errorf("%s grows %d times", name, info.Times)
		}
	}
}

// An entry that declares less than it holds is no way around what a person agreed to.
func TestExtractNoMoreThanDeclared(t *testing.T) {
	b := newBench(t)
	data := zipOf(t, packed{name: "zeros", body: strings.Repeat("\x00", 1<<20)})
	for i := range len(data) - 28 {
		if string(data[i:i+4]) == "PK\x01\x02" {
			binary.LittleEndian.PutUint32(data[i+24:], 10)
		}
	}
	in := b.file("a.zip", data)
	made := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: filepath.Join(b.dir, "out")})
	if len(made.Out) != 0 || len(made.Problems) != 1 || made.Problems[0].Code != tools.InputBroken {
		t.Errorf("%+v", made)
	}
}

// A bomb ends when more came out than an archive may hold, and leaves nothing
// half.
func TestExtractBomb(t *testing.T) {
	b := newBench(t)
	in := b.file("bomb.gz", gzipOf(t, make([]byte, 2<<20)))
	a, err := openArchive(t.Context(), in, "")
	if err != nil {
		t.Fatal(err)
	}
	defer a.file.Close()
	r := &job.Job{Order: job.Order{Scratch: b.scratch, Tool: wire.ToolParams{ID: "x", In: []string{in}, Out: filepath.Join(b.dir, "out")}}, Send: func(job.Event) {}}
	dir, err := r.OpenFolder(false)
	if err != nil {
		t.Fatal(err)
	}
	a.left = 1 << 20
	x := &extraction{Job: r, a: a, dir: dir}
	err = a.entries(t.Context(), func(e entry) error { return x.take(t.Context(), e) })
	if refused := job.Refused(err); refused == nil || refused.Code != tools.InputTooLarge || tree(t, dir.Path) != "" {
		t.Errorf("%v, made %q", err, tree(t, dir.Path))
	}
}

// A folder of results is there with all that is in it, or not at all.
func TestExtractWhole(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(b.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"in/1.txt", "in/2.txt", "in/3.txt"} {
		b.file(name, []byte(name))
	}
	in := filepath.Join(b.dir, "a.tar")
	b.run(t.Context(), wire.ToolParams{Op: "archive.create", In: []string{filepath.Join(b.dir, "in")}, Out: in, Params: map[string]any{"format": "tar"}})
	out := filepath.Join(b.dir, "new", "folder")
	extract := func(ctx context.Context, send func(job.Event)) wire.ToolResult {
		p := wire.ToolParams{ID: "x", Op: "archive.extract", In: []string{in}, Out: out}
		r, err := Run(ctx, job.Order{Tool: p, Scratch: b.scratch}, nil, send)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ctx, cancel := context.WithCancel(t.Context())
	var placing []string
	r := extract(ctx, func(e job.Event) {
		if e.Placing != nil {
			placing = append(placing, *e.Placing)
			cancel()
		}
	})
	if len(r.Out) != 0 || len(r.Problems) != 1 || r.Problems[0].Code != tools.Cancelled {
		t.Errorf("cancelled: %+v", r)
	}
	if _, err := os.Stat(filepath.Dir(out)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is left: %v", err)
	}
	if len(placing) != 2 || !job.IsPart(placing[0]) || filepath.Dir(placing[0]) != filepath.Dir(out) || placing[1] != "" {
		t.Errorf("%q", placing)
	}
	r = extract(t.Context(), func(e job.Event) {
		if _, err := os.Stat(out); e.Placing != nil && *e.Placing != "" && err == nil {
			t.Error("the folder is there before it is whole")
		}
	})
	if len(r.Out) != 3 || len(r.Problems) != 0 || r.Out[0].Path != filepath.Join(out, "in", "1.txt") {
		t.Errorf("%+v", r)
	}
	if got := tree(t, out); got == "" {
		t.Error("there is nothing")
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	for _, format := range []string{"zip", "tar", "tar.gz", "tar.zst"} {
		t.Run(format, func(t *testing.T) {
			b := newBench(t)
			if err := os.MkdirAll(filepath.Join(b.dir, "in", "sub", "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			b.file("in/a.txt", []byte("hello"))
			b.file("in/sub/-ü\n.txt", []byte("other"))
			b.file("single.txt", []byte("one"))
			when := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
			if err := os.Chtimes(filepath.Join(b.dir, "in", "a.txt"), when, when); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/etc/passwd", filepath.Join(b.dir, "in", "link")); err != nil {
				t.Fatal(err)
			}
			var sums []string
			for _, name := range []string{"1." + format, "2." + format} {
				r := b.run(t.Context(), wire.ToolParams{
					Op: "archive.create", In: []string{filepath.Join(b.dir, "in"), filepath.Join(b.dir, "single.txt")},
					Out: filepath.Join(b.dir, name), Params: map[string]any{"format": format},
				})
				if len(r.Out) != 1 || len(r.Problems) != 0 {
					t.Fatalf("%+v", r)
				}
				if m := r.Info[0].(tools.ArchiveMade); m.Files != 3 || m.LeftOut != 1 || m.Bytes != 13 {
					t.Errorf("%+v", m)
				}
				sums = append(sums, r.Out[0].SHA256)
			}
			if sums[0] != sums[1] {
				t.Error("the same files give other bytes")
			}
			r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{filepath.Join(b.dir, "1."+format)}, Out: filepath.Join(b.dir, "out")})
			if want := "in/ in/a.txt=hello in/sub/ in/sub/-ü\n.txt=other in/sub/empty/ single.txt=one"; len(r.Problems) != 0 || tree(t, filepath.Join(b.dir, "out")) != want {
				t.Errorf("%v, %q", r.Problems, tree(t, filepath.Join(b.dir, "out")))
			}
			if st, err := os.Stat(filepath.Join(b.dir, "out", "in", "a.txt")); err != nil || !st.ModTime().Equal(when) {
				t.Errorf("changed at %v, want %v", st.ModTime(), when)
			}
		})
	}
}

// What comes before the first file of a tar archive may be longer than a block: a
// name with other letters, or a long one, or what a Mac knows of a file.
func TestTarThatBeginsWithMore(t *testing.T) {
	for name, first := range map[string]packed{
		"letters": {name: "ü.txt", body: "hello"},
		"long":    {name: strings.Repeat("long/", 60) + "a.txt", body: "hello"},
	} {
		for ext, data := range map[string][]byte{".tar": tarOf(t, first), ".tgz": gzipOf(t, tarOf(t, first))} {
			b := newBench(t)
			in := b.file(name+ext, data)
			r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: filepath.Join(b.dir, "out")})
			if len(r.Problems) != 0 || len(r.Out) != 1 || r.Out[0].Path != filepath.Join(b.dir, "out", filepath.FromSlash(first.name)) {
				t.Errorf("%s%s: %+v, %+v", name, ext, r.Problems, r.Out)
			}
		}
	}
}

// A list that does not fit in one answer goes on where it stopped, whatever is called
// the same.
func TestArchiveListInParts(t *testing.T) {
	var entries []packed
	for i := range 3000 {
		entries = append(entries, packed{name: fmt.Sprintf("%s-%04d", strings.Repeat("n", 180), i%700)})
	}
	b := newBench(t)
	data := zipOf(t, entries...)
	in := []string{b.file("a.zip", data), b.file("one.gz", gzipOf(t, []byte("x"))), b.file("b.zip", data)}
	seen, after := 0, ""
	for page := 0; page < 20; page++ {
		r := b.run(t.Context(), wire.ToolParams{Op: "archive.list", In: in, Params: map[string]any{"after": after}})
		seen += len(r.Info)
		if len(r.Problems) == 0 {
			if page == 0 {
				t.Error("everything is in one answer: the test is too small")
			}
			break
		}
		after = r.Problems[0].Detail
	}
	if want := 2*len(entries) + 1; seen != want {
		t.Errorf("%d of %d entries", seen, want)
	}
}

func TestInside(t *testing.T) {
	for name, want := range map[string]string{
		"a/b": "a/b", "./a": "a", "a/./b/": "a/b", "a/../b": "b", ".": ".", "a b\n": "a b\n",
		"..": "", "../a": "", "a/../../b": "", "/a": "", `\a`: "", `C:\a`: "", "c:a": "", "a\x00b": "", strings.Repeat("a/", 3000): "",
	} {
		if got, bad := inside(name); got != want || (bad == "") != (got != "") {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func FuzzArchive(f *testing.F) {
	hello := packed{name: "ok.txt", body: "hello"}
	for _, data := range [][]byte{
		zipOf(f, hello), tarOf(f, hello), gzipOf(f, tarOf(f, hello)), []byte("7z\xBC\xAF\x27\x1C\x00\x04"), []byte("Rar!\x1A\x07\x00"), []byte("BZh9"),
		[]byte("\xFD7zXZ\x00\x00\x04"), []byte("\x28\xB5\x2F\xFD\x00"), []byte("\x04\x22\x4D\x18"), []byte("LZIP\x01"), binary.LittleEndian.AppendUint32(nil, 1),
	} {
		f.Add(data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, "a")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := openArchive(t.Context(), file, "")
		if err != nil {
			return
		}
		defer a.file.Close()
		err = a.entries(t.Context(), func(e entry) error {
			if e.name != "" && !filepath.IsLocal(e.name) {
				t.Errorf("%q leads out of the folder", e.name)
			}
			if a.count > 1000 {
				return errEnough
			}
			return nil
		})
		if job.Serious(err) != nil {
			t.Error(err)
		}
	})
}
