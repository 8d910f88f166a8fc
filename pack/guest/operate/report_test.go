package operate

import (
	"fmt"
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

// report runs file.report over the folder "in" and returns what it wrote.
func (b *bench) report(params map[string]any) (string, wire.ToolResult) {
	b.t.Helper()
	out := filepath.Join(b.t.TempDir(), "report")
	r := b.run(b.t.Context(), wire.ToolParams{Op: "file.report", In: []string{filepath.Join(b.dir, "in")}, Out: out, Params: params})
	made, err := os.ReadFile(out)
	if err != nil && len(r.Out) > 0 {
		b.t.Fatal(err)
	}
	if err := (&job.Job{Order: job.Order{Scratch: b.scratch}}).Sweep(); err != nil {
		b.t.Fatal(err)
	}
	return string(made), r
}

// fill makes a folder with a little of everything.
func (b *bench) fill() {
	b.t.Helper()
	b.at("in/a.jpg", "2024-01-02", strings.Repeat("x", 3000))
	b.at("in/.hidden", "2024-01-03", "h")
	b.at("in/sub/b.pdf", "2023-01-01", strings.Repeat("x", 1_200_000))
	b.at("in/sub/deep/c.txt", "2025-05-05", "text")
	b.at("in/=1+1|<b>.csv", "2024-02-02", "a,b")
	for _, dir := range []string{"in/empty/inner", "in/sub/none"} {
		if err := os.MkdirAll(filepath.Join(b.dir, dir), 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(b.dir, "in", "link")); err != nil {
		b.t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
	}
}

func TestFileReport(t *testing.T) {
	b := newBench(t)
	b.fill()
	page, r := b.report(nil)
	if len(r.Info) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%+v", r)
	}
	got, ok := r.Info[0].(tools.FolderReport)
	if !ok {
		t.Fatalf("%T", r.Info[0])
	}
	sum := fmt.Sprint(got.Files, got.Folders, got.Links, got.Others, got.Bytes, got.Empty, got.EmptyFolders)
	if want := "5 5 1 0 1203008 3 [empty empty/inner sub/none]"; sum != want {
		t.Errorf("counted %s, want %s", sum, want)
	}
	names := func(list []tools.FileInfo) (out []string) {
		for _, f := range list {
			out = append(out, f.Path)
		}
		return out
	}
	for what, tt := range map[string][2][]string{
		"biggest": {names(got.Biggest), {"sub/b.pdf", "a.jpg", "sub/deep/c.txt", "=1+1|<b>.csv", ".hidden"}},
		"newest":  {names(got.Newest), {"sub/deep/c.txt", "=1+1|<b>.csv", ".hidden", "a.jpg", "sub/b.pdf"}},
		"oldest":  {names(got.Oldest), {"sub/b.pdf", "a.jpg", ".hidden", "=1+1|<b>.csv", "sub/deep/c.txt"}},
	} {
		if !slices.Equal(tt[0], tt[1]) {
			t.Errorf("%s are %v, want %v", what, tt[0], tt[1])
		}
	}
	if fmt.Sprint(got.Kinds) != "[{document 2 1200004} {picture 1 3000} {table 1 3} {other 1 1}]" || fmt.Sprint(got.Parts) != "[{sub 2 1200004} {empty 0 0}]" {
		t.Errorf("kinds %v, parts %v", got.Kinds, got.Parts)
	}
	if !strings.Contains(page, "5 files in 5 folders, 1.2 MB") || !strings.Contains(page, "=1+1|&lt;b&gt;.csv") || strings.Contains(page, "<b>") || strings.Contains(page, "http:") {
		t.Errorf("the page:\n%s", page)
	}
}

func TestFileReportForms(t *testing.T) {
	b := newBench(t)
	b.fill()
	for to, want := range map[string][]string{
		"html": {"<html lang=\"de\">", "Größte Dateien", "1,2 MB", "Leere Ordner (3)"},
		"md":   {"# Was in dem Ordner ist", "| =1+1\\|\\<b\\>.csv | 2024-02-02 | 3 B |", "| Dokumente | 2 | 1,2 MB |"},
		"csv":  {"Liste,Datei,Dateien,Größe,Geändert\n", "Neueste Dateien,'=1+1|<b>.csv,1,3,2024-02-02T00:00:00Z\n", "Leere Ordner,sub/none,0,0,\n"},
		"xlsx": {"PK\x03\x04"},
	} {
		params := map[string]any{"to": to, "language": "de", "top": 3}
		made, r := b.report(params)
		again, _ := b.report(params)
		if len(r.Problems) != 0 || made != again {
			t.Errorf("%s: problems %v, the same twice: %v", to, r.Problems, made == again)
		}
		for _, s := range want {
			if !strings.Contains(made, s) {
				t.Errorf("%s: there is no %q in\n%s", to, s, made)
			}
		}
	}
	if _, r := b.report(map[string]any{"top": 1}); len(r.Info) != 1 {
		t.Errorf("%+v", r)
	} else if got, _ := r.Info[0].(tools.FolderReport); len(got.Biggest) != 1 || len(got.EmptyFolders) != 1 || got.Empty != 3 {
		t.Errorf("lists of one: %+v", got)
	}
	file := b.file("file", []byte("x"))
	r := b.run(t.Context(), wire.ToolParams{Op: "file.report", In: []string{file}, Out: filepath.Join(b.dir, "no")})
	wantProblems(t, r, map[string]string{"file": tools.InputUnsupported})
}

// What is kept does not grow with what is there.
func TestLeast(t *testing.T) {
	l := least[int]{n: 3, less: func(a, b int) int { return a - b }}
	for i := range 1000 {
		l.add((i*7919 + 13) % 1000)
	}
	if got := l.sorted(); !slices.Equal(got, []int{0, 1, 2}) || cap(l.list) > 8 {
		t.Errorf("%v, room for %d", got, cap(l.list))
	}
}

func TestSizeWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_250_000: "1.2 MB", 150_000_000: "150 MB", 999_600_000: "1.0 GB", 5e15: "5.0 PB"} {
		if got := sizeWords(n, "."); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// A file of the first minutes of a day where the person is is one of that day.
func TestReportOfLocalDays(t *testing.T) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = time.FixedZone("Berlin in summer", 2*60*60)
	b := newBench(t)
	file, out := b.file("a.txt", []byte("a")), filepath.Join(t.TempDir(), "report.md")
	at := time.Date(2024, 6, 1, 0, 30, 0, 0, time.Local)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	b.run(t.Context(), wire.ToolParams{Op: "file.report", In: []string{b.dir}, Out: out, Params: map[string]any{"to": "md"}})
	if made, err := os.ReadFile(out); err != nil || !strings.Contains(string(made), "| 2024-06-01 |") {
		t.Errorf("%s, %v", made, err)
	}
}
