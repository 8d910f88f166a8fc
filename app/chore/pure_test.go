package chore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// Umlauts as one letter and as two, as macOS writes them.
const (
	nfc = "\u00e4"
	nfd = "a\u0308"
)

// A folder with too many files is a problem that says so.
func TestListTooMany(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if got, err := list(t.Context(), root, true, 3); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
	_, err = list(t.Context(), root, true, 2)
	if p := problem.From(err); p.Code != problem.CodeTooManyInputs || p.Params["max"] != 2 {
		t.Errorf("%+v", p)
	}
}

func TestBatches(t *testing.T) {
	inputs := func(sizes ...int64) (in []Input) {
		for i, s := range sizes {
			in = append(in, Input{Path: fmt.Sprint("/", i), Size: s})
		}
		return in
	}
	long := make([]Input, 3)
	for i := range long {
		long[i].Path = strings.Repeat("x", pathBytes/2)
	}
	rows := []struct {
		name  string
		in    []Input
		n     int
		bytes int64
		want  []int
	}{
		{"nothing", nil, 3, 100, nil},
		{"one", inputs(5), 3, 100, []int{1}},
		{"exactly full", inputs(1, 1, 1), 3, 100, []int{3}},
		{"one more", inputs(1, 1, 1, 1), 3, 100, []int{3, 1}},
		{"by bytes", inputs(60, 40, 1, 100), 3, 100, []int{2, 1, 1}},
		{"larger than a batch", inputs(500, 500), 3, 100, []int{1, 1}},
		{"by the length of the paths", long, 3, 100, []int{2, 1}},
	}
	for _, r := range rows {
		var got []int
		var all []Input
		for _, b := range batches(r.in, r.n, r.bytes) {
			got = append(got, len(b))
			all = append(all, b...)
		}
		if !slices.Equal(got, r.want) || len(all) != len(r.in) || len(all) > 0 && !reflect.DeepEqual(all, r.in) {
			t.Errorf("%s: %v, want %v", r.name, got, r.want)
		}
	}
}

// A whole batch fits in a line of the guest protocol, with its answer.
func TestBatchesFitTheProtocol(t *testing.T) {
	var in []Input
	for range 3 * lookBatch {
		in = append(in, Input{Path: "/" + strings.Repeat("\x01", wire.MaxPath-1)}) // six bytes each in JSON
	}
	for _, b := range batches(in, lookBatch, 1<<60) {
		data, err := json.Marshal(wire.ToolParams{ID: "x", Op: opInfo, In: paths(b)})
		if err != nil || len(data) > wire.MaxLine {
			t.Fatalf("request of %d bytes, %v", len(data), err)
		}
		var res wire.ToolResult
		for _, p := range b {
			res.Problems = append(res.Problems, wire.ToolProblem{Code: "input-broken", Path: p.Path, Detail: strings.Repeat("x", wire.MaxDetail)})
		}
		if data, err = json.Marshal(res); err != nil || len(data) > wire.MaxLine {
			t.Fatalf("answer of %d bytes, %v", len(data), err)
		}
	}
}

func TestResultName(t *testing.T) {
	rows := []struct{ typed, want string }{
		{"Pictures", "Pictures.pdf"},
		{"Pictures.pdf", "Pictures.pdf"},
		{"Pictures.PDF", "Pictures.pdf"},
		{"  Urlaub 2026  ", "Urlaub 2026.pdf"},
		{nfd, nfc + ".pdf"},
		{"写真", "写真.pdf"},
		{`it's "new"`, `it's "new".pdf`},
		{"-rf", "-rf.pdf"},
		{"a.b", "a.b.pdf"},
		{"v1.pdf.pdf", "v1.pdf.pdf"},
		{strings.Repeat("x", maxName-4), strings.Repeat("x", maxName-4) + ".pdf"},
		{strings.Repeat("x", maxName-3), ""},
		{strings.Repeat("ä", 150), ""},
		{"", ""}, {"   ", ""}, {".pdf", ""}, {".hidden", ""}, {"..", ""}, {".", ""},
		{"a/b", ""}, {`a\b`, ""}, {"/etc/passwd", ""}, {"../up", ""},
		{"a\x00b", ""}, {"a\nb", ""}, {"a\x7fb", ""}, {"\xff\xfe", ""},
	}
	for _, r := range rows {
		got, err := resultName(r.typed, pdfExt)
		if got != r.want || (err == nil) != (r.want != "") {
			t.Errorf("%q: %q, %v; want %q", r.typed, got, err, r.want)
		}
	}
}

func TestWindowsName(t *testing.T) {
	for _, bad := range []string{
		"CON", "con", "nul", "Aux", "PRN", "COM1", "lpt9", "COM¹", "CON.txt", "nul .x", "CONIN$",
		"a:b", "a*", "a?", `a"`, "a<b", "a|b", "end.", "end ",
	} {
		if windowsName(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for _, good := range []string{"CONCERT", "COM", "COM10", "COM0", "LPTX", "Pictures", "ä写真", "con1.x", "-a", "it's"} {
		if err := windowsName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestFreeName(t *testing.T) {
	rows := []struct {
		taken []string
		want  string
	}{
		{nil, "Söhne.pdf"},
		{[]string{"other.pdf", "Söhne.txt", "Söhne"}, "Söhne.pdf"},
		{[]string{"Söhne.pdf"}, "Söhne (2).pdf"},
		{[]string{"So\u0308hne.pdf"}, "Söhne (2).pdf"},
		{[]string{"SÖHNE.PDF"}, "Söhne (2).pdf"},
		{[]string{"Söhne.pdf", "Söhne (2).pdf", "söhne (3).pdf"}, "Söhne (4).pdf"},
		{[]string{"Söhne (2).pdf"}, "Söhne.pdf"},
	}
	for _, r := range rows {
		if got := freeName("Söhne.pdf", pdfExt, r.taken); got != r.want {
			t.Errorf("%q: %q, want %q", r.taken, got, r.want)
		}
	}
}

func TestComplete(t *testing.T) {
	info := picturesToPDF{}.Info()
	info.Params = append(info.Params, ParamInfo{Name: "n", Type: "int", Default: 3})
	rows := []struct {
		name  string
		given map[string]any
		want  map[string]any // what differs from the defaults; nil is a refusal
		field string
	}{
		{"nothing", nil, map[string]any{}, ""},
		{"null is the default", map[string]any{"name": nil}, map[string]any{}, ""},
		{"all", map[string]any{"name": "x", "order": "date", "recursive": true, "page": "a4", "n": 5.0}, map[string]any{"name": "x", "order": "date", "recursive": true, "page": "a4", "n": 5}, ""},
		{"as a command line has it", map[string]any{"recursive": "yes", "n": "-7"}, map[string]any{"recursive": true, "n": -7}, ""},
		{"no such choice", map[string]any{"page": "a5"}, nil, "params.page"},
		{"another type", map[string]any{"name": 5}, nil, "params.name"},
		{"neither yes nor no", map[string]any{"recursive": "maybe"}, nil, "params.recursive"},
		{"a number for a bool", map[string]any{"recursive": 1}, nil, "params.recursive"},
		{"a fraction", map[string]any{"n": 1.5}, nil, "params.n"},
		{"not a number", map[string]any{"n": "5x"}, nil, "params.n"},
		{"unknown", map[string]any{"nosuch": "x"}, nil, "params.nosuch"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := Complete(info, r.given)
			if r.want == nil {
				if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeBadRequest || p.Params["field"] != r.field {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			want := map[string]any{"name": "Pictures", "order": "name", "recursive": false, "page": "fit", "n": 3}
			for k, v := range r.want {
				want[k] = v
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
		})
	}
}

// The defaults of every chore are values that it accepts itself.
func TestDefaultsAreAccepted(t *testing.T) {
	for _, info := range All() {
		given := map[string]any{}
		for _, p := range info.Params {
			if given[p.Name] = p.Default; p.Type == TypePassword {
				given[p.Name] = "secret"
			}
		}
		if _, err := Complete(info, given); err != nil {
			t.Errorf("%s: %v", info.Name, err)
		}
		if c, ok := Find(info.Name); !ok || c.Info().Name != info.Name {
			t.Errorf("%s is not found", info.Name)
		}
	}
	if _, ok := Find("no-such"); ok {
		t.Error("a chore that does not exist is found")
	}
}

func TestCandidates(t *testing.T) {
	f := Folder{Guest: "/folders/F"}
	file := func(p string) Entry { return Entry{Path: p} }
	long := strings.Repeat("d/", 2050) + "x.jpg"
	found, skipped := candidates(f, []Entry{
		file("b.JPG"), file("a.jpeg"), file("notes.txt"), file("noext"), file("jpg"), file(".jpg.bak"),
		{Path: "dir.jpg", Type: fs.ModeDir}, {Path: "link.png", Type: fs.ModeSymlink}, {Path: "pipe.png", Type: fs.ModeNamedPipe},
		{Path: "link.txt", Type: fs.ModeSymlink}, file("bad\xff.png"), file(long), file("-c 'x'\n.webp"), file("Ünï/写真.HEIC"),
	}, pictureExts)
	var got []string
	for _, c := range found {
		got = append(got, c.guest)
	}
	want := []string{"/folders/F/-c 'x'\n.webp", "/folders/F/a.jpeg", "/folders/F/b.JPG", "/folders/F/Ünï/写真.HEIC"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	codes := map[string]int{}
	for _, p := range skipped {
		codes[p.Code]++
	}
	if !reflect.DeepEqual(codes, map[string]int{problem.CodeInputLink: 1, problem.CodeInputName: 2}) {
		t.Errorf("skipped %v", codes)
	}
}

func TestSortByDate(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	all := []candidate{
		{entry: Entry{Time: day(5)}, guest: "a"}, {entry: Entry{Time: day(4)}, guest: "b"}, {entry: Entry{Time: day(1)}, guest: "c"}, {entry: Entry{Time: day(4)}, guest: "d"},
	}
	in := []Input{{Path: "a"}, {Path: "b"}, {Path: "c"}, {Path: "d"}}
	sortByDate(in, all, map[string]seen{"a": {Taken: "2026-01-02T00:00:00Z"}, "c": {Taken: "yesterday"}})
	if got := fmt.Sprint(paths(in)); got != "[c a b d]" {
		t.Error(got)
	}
}

// What the guest answers is not trusted.
func TestSortAnswers(t *testing.T) {
	batch := []Input{{Path: "/a"}, {Path: "/b"}, {Path: "/c"}}
	found, problems := map[string]seen{}, map[string]*problem.Problem{}
	err := sortAnswers(batch, wire.ToolResult{
		Info:     []any{map[string]any{"path": "/a", "sha256": "x"}, map[string]any{"path": "/b"}, map[string]any{"path": "/etc/passwd"}, map[string]any{}},
		Problems: []wire.ToolProblem{{Code: "input-broken", Path: "/b"}, {Code: "input-broken", Path: "/elsewhere"}},
	}, found, problems)
	if err != nil || len(found) != 1 || found["/a"].SHA256 != "x" {
		t.Errorf("found %v, %v", found, err)
	}
	if len(problems) != 2 || problems["/b"].Code != problem.CodeInputBroken || problems["/c"].Code != problem.CodeToolFailed {
		t.Errorf("problems %v", problems)
	}
	for _, bad := range []any{"text", 5.0, []any{}, map[string]any{"path": 5}} {
		if sortAnswers(batch, wire.ToolResult{Info: []any{bad}}, found, problems) == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
