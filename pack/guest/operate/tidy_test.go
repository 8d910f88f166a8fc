package operate

import (
	"context"
	"encoding/binary"
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

// at makes a file that was changed at a time.
func (b *bench) at(name, when, body string) string {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(b.dir, name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	file := b.file(name, []byte(body))
	t, err := time.Parse("2006-01-02", when)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chtimes(file, t, t); err != nil {
		b.t.Fatal(err)
	}
	return file
}

// moves runs an operation on the folder and returns what it proposes, as
// "from>to", and what the folder holds, which must stay.
func (b *bench) moves(op string, params map[string]any) []string {
	b.t.Helper()
	before := tree(b.t, b.dir)
	r := b.run(b.t.Context(), wire.ToolParams{Op: op, In: []string{b.dir}, Params: params})
	if len(r.Problems) != 0 {
		b.t.Errorf("%s: %v", op, r.Problems)
	}
	if tree(b.t, b.dir) != before {
		b.t.Errorf("%s changed the folder", op)
	}
	var out []string
	for _, v := range r.Info {
		m := v.(tools.Move)
		to := strings.TrimPrefix(strings.TrimPrefix(m.To, b.dir), "/")
		out = append(out, strings.TrimPrefix(m.Path, b.dir+"/")+">"+to)
	}
	return out
}

func downloads(t *testing.T) *bench {
	b := newBench(t)
	b.at("a.jpg", "2024-05-03", "a")
	b.at("b.PDF", "2024-06-03", "b")
	b.at("setup.exe", "2024-01-01", "c")
	b.at("new.dmg", "2024-06-20", "d")
	b.at("old.zip", "2024-01-01", "e")
	b.at("no suffix", "2024-05-03", "f")
	b.at(".hidden", "2024-05-03", "g")
	b.at("half.crdownload", "2024-05-03", "h")
	b.at("desktop.ini", "2024-05-03", "i")
	b.at("sub/c.jpg", "2023-05-03", "j")
	b.at("Pictures/2024-05/a.jpg", "2024-05-03", "k")
	b.at("My.app/Contents/x.txt", "2024-05-03", "l")
	for _, d := range []string{"empty/within", "sub/empty"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestProposals(t *testing.T) {
	for name, tt := range map[string]struct {
		op   string
		set  map[string]any
		want []string
	}{
		"clean up": {"file.cleanup", map[string]any{"now": "2024-06-30T00:00:00Z"}, []string{
			"a.jpg>Pictures/2024-05/a (2).jpg", "b.PDF>Documents/2024-06/b.PDF", "new.dmg>Installers/new.dmg", "no suffix>Other/2024-05/no suffix",
			"old.zip>Old archives/old.zip", "setup.exe>Old installers/setup.exe", "sub/empty>", "empty/within>", "empty>",
		}},
		"clean up, plain": {"file.cleanup", map[string]any{"now": "2024-06-30T00:00:00Z", "months": false, "installers": false, "archives": false, "empty": false, "language": "de"}, []string{
			"a.jpg>Bilder/a.jpg", "b.PDF>Dokumente/b.PDF", "new.dmg>Installationsdateien/new.dmg", "no suffix>Anderes/no suffix", "old.zip>Archive/old.zip",
			"setup.exe>Installationsdateien/setup.exe",
		}},
		"by kind": {"file.organize", nil, []string{
			"a.jpg>Pictures/a.jpg", "b.PDF>Documents/b.PDF", "new.dmg>Installers/new.dmg", "no suffix>Other/no suffix", "old.zip>Archives/old.zip", "setup.exe>Installers/setup.exe",
		}},
		"by month, all": {"file.organize", map[string]any{"by": "month", "recursive": true}, []string{
			"Pictures/2024-05/a.jpg>2024/2024-05/a.jpg", "a.jpg>2024/2024-05/a (2).jpg", "b.PDF>2024/2024-06/b.PDF", "new.dmg>2024/2024-06/new.dmg",
			"no suffix>2024/2024-05/no suffix", "old.zip>2024/2024-01/old.zip", "setup.exe>2024/2024-01/setup.exe", "sub/c.jpg>2023/2023-05/c.jpg",
		}},
		"photos by year": {"file.organize", map[string]any{"by": "taken-year"}, []string{"a.jpg>2024/a.jpg"}},
		"numbers": {"file.rename", map[string]any{"pattern": "Trip {n}{ext}", "start": 8}, []string{
			"a.jpg>Trip 08.jpg", "b.PDF>Trip 09.PDF", "new.dmg>Trip 10.dmg", "no suffix>Trip 11", "old.zip>Trip 12.zip", "setup.exe>Trip 13.exe",
		}},
		"dates": {"file.rename", map[string]any{"pattern": "{date} {name}{ext}", "case": "lower", "spaces": "underscore"}, []string{
			"a.jpg>2024-05-03_a.jpg", "b.PDF>2024-06-03_b.pdf", "new.dmg>2024-06-20_new.dmg", "no suffix>2024-05-03_no_suffix", "old.zip>2024-01-01_old.zip", "setup.exe>2024-01-01_setup.exe",
		}},
		"find":          {"file.rename", map[string]any{"find": "s", "with": "S"}, []string{"no suffix>no Suffix", "setup.exe>Setup.exe"}},
		"all the same":  {"file.rename", map[string]any{"pattern": "x{ext}", "find": "zzz"}, []string{"a.jpg>x.jpg", "b.PDF>x.PDF", "new.dmg>x.dmg", "no suffix>x", "old.zip>x.zip", "setup.exe>x.exe"}},
		"one name":      {"file.rename", map[string]any{"pattern": "x"}, []string{"a.jpg>x", "b.PDF>x (2)", "new.dmg>x (3)", "no suffix>x (4)", "old.zip>x (5)", "setup.exe>x (6)"}},
		"nothing to do": {"file.rename", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := downloads(t).moves(tt.op, tt.set); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// film is a film without a picture or a sound (ISO/IEC 14496-12), made in May 2024.
func film(brand string) []byte {
	box := func(kind string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
	}
	head := make([]byte, 100) // mvhd, version 0
	for _, at := range []int{4, 8} {
		binary.BigEndian.PutUint32(head[at:], 3_800_000_000)
	}
	binary.BigEndian.PutUint32(head[12:], 1000)
	return slices.Concat(box("ftyp", []byte(brand+"\x00\x00\x02\x00"+brand)), box("moov", box("mvhd", head)), box("mdat", []byte("data")))
}

// Photos of phones, films and raw files are sorted by when they were taken.
func TestTakenByCamera(t *testing.T) {
	b := newBench(t)
	heic, err := os.ReadFile("../../tools/picture/testdata/taken.heic")
	if err != nil {
		t.Fatal(err)
	}
	raw := append([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x00"), "\x01\x00\x03\x90\x02\x00\x14\x00\x00\x00\x2c\x00\x00\x00\x00\x00\x00\x002019:07:08 09:10:11\x00"...)
	b.at("a.heic", "2020-01-01", string(heic))
	b.at("b.mov", "2020-01-01", string(film("qt  ")))
	b.at("c.nef", "2020-01-01", string(raw))
	b.at("d.avi", "2020-01-01", "no clock")
	want := "[a.heic>2024/2024-02/a.heic b.mov>2024/2024-05/b.mov c.nef>2019/2019-07/c.nef d.avi>2020/2020-01/d.avi]"
	if got := b.moves("file.organize", map[string]any{"by": "taken-month"}); fmt.Sprint(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "[a.heic>2024-02-29 a.heic b.mov>2024-05-31 b.mov c.nef>2019-07-08 c.nef d.avi>2020-01-01 d.avi]"
	if got := b.moves("file.rename", map[string]any{"pattern": "{taken} {name}{ext}"}); fmt.Sprint(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Who renames again has files moved that are new, and none that have their name already.
func TestRenameAgain(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"P.jpg", "P (2).jpg", "P (3).jpg", "IMG_1.jpg"} {
		b.at(name, "2024-05-01", name)
	}
	if got := b.moves("file.rename", map[string]any{"pattern": "P{ext}"}); fmt.Sprint(got) != "[IMG_1.jpg>P (4).jpg]" {
		t.Errorf("%s", got)
	}
}

// A folder to which files go is not removed, nor one
// that cannot be read.
func TestCleanupKeepsFolders(t *testing.T) {
	b := newBench(t)
	b.at("a.jpg", "2024-05-03", "a")
	b.at("locked/in/x", "2024-05-03", "a")
	locked := filepath.Join(b.dir, "locked", "in")
	for _, d := range []string{"Pictures/2024-05", "Pictures/2023-05", "other"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	want := "[a.jpg>Pictures/2024-05/a.jpg other> Pictures/2023-05>]"
	if os.Geteuid() != 0 && os.Chmod(locked, 0) == nil { // whoever may do all may read it
		t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
	}
	r := b.run(t.Context(), wire.ToolParams{Op: "file.cleanup", In: []string{b.dir}})
	var got []string
	for _, v := range r.Info {
		m := v.(tools.Move)
		got = append(got, strings.TrimPrefix(m.Path, b.dir+"/")+">"+strings.TrimPrefix(strings.TrimPrefix(m.To, b.dir), "/"))
	}
	if fmt.Sprint(got) != want {
		t.Errorf("got  %s\nwant %s, %v", got, want, r.Problems)
	}
}

// What macOS shows as one file is not taken apart.
func TestPackagesStayWhole(t *testing.T) {
	b := newBench(t)
	for _, dir := range []string{"My.photoslibrary", "Disk.sparsebundle", "Letter.rtfd", "Film.fcpbundle", "Song.logicx", "Text.PAGES", "My.app"} {
		b.at(dir+"/originals/a.jpg", "2024-05-03", "a")
		if err := os.MkdirAll(filepath.Join(b.dir, dir, "cache"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.at("b.jpg", "2024-05-03", "a")
	for op, set := range map[string]map[string]any{"file.organize": {"recursive": true}, "file.cleanup": {"months": false}} {
		if got := b.moves(op, set); fmt.Sprint(got) != "[b.jpg>Pictures/b.jpg]" {
			t.Errorf("%s: %q", op, got)
		}
	}
	if r := b.run(t.Context(), wire.ToolParams{Op: "file.duplicates", In: []string{b.dir}}); len(r.Info) != 0 {
		t.Errorf("%+v", r.Info)
	}
}

// Every proposal can be carried out, a second time too, and then there is
// nothing left to propose.
func TestProposalsAreCarriedOut(t *testing.T) {
	b := downloads(t)
	set := map[string]any{"now": "2024-06-30T00:00:00Z"}
	r := b.run(t.Context(), wire.ToolParams{Op: "file.cleanup", In: []string{b.dir}, Params: set})
	var in, to, times, gone []string
	for _, v := range r.Info {
		if m := v.(tools.Move); m.To == "" {
			gone = append(gone, m.Path)
		} else {
			in, to, times = append(in, m.Path), append(to, m.To), append(times, m.MTime)
		}
	}
	for range 2 {
		r = b.run(t.Context(), wire.ToolParams{Op: "file.move", In: in, Params: map[string]any{"to": to, "mtimes": times}})
		if len(r.Problems) != 0 || len(r.Info) != len(in) {
			t.Fatalf("%+v", r)
		}
		r = b.run(t.Context(), wire.ToolParams{Op: "file.remove", In: gone})
		if len(r.Problems) != 0 {
			t.Fatalf("%+v", r)
		}
	}
	want := ".hidden=g Documents/ Documents/2024-06/ Documents/2024-06/b.PDF=b Installers/ Installers/new.dmg=d My.app/ My.app/Contents/ My.app/Contents/x.txt=l " +
		"Old archives/ Old archives/old.zip=e Old installers/ Old installers/setup.exe=c Other/ Other/2024-05/ Other/2024-05/no suffix=f Pictures/ Pictures/2024-05/ " +
		"Pictures/2024-05/a (2).jpg=a Pictures/2024-05/a.jpg=k desktop.ini=i half.crdownload=h link@ sub/ sub/c.jpg=j"
	if got := tree(t, b.dir); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if left := b.moves("file.cleanup", set); len(left) != 0 {
		t.Errorf("still proposed: %q", left)
	}
}

func TestMoveRefuses(t *testing.T) {
	b := newBench(t)
	a, other := b.at("a", "2024-01-01", "a"), b.at("b", "2024-01-01", "b")
	p := func(name string) string { return filepath.Join(b.dir, name) }
	for _, tt := range []struct{ from, to, time, code string }{
		{a, other, "", tools.OutputExists},
		{a, filepath.Join(other, "x"), "", tools.OutputDenied},
		{a, p("c"), "2024-01-02T00:00:00Z", tools.InputChanged},
		{p("none"), p("c"), "", tools.InputMissing},
		{b.dir, filepath.Join(b.dir, "sub", "x"), "", tools.ToolFailed},
	} {
		set := map[string]any{"to": []any{tt.to}}
		if tt.time != "" {
			set["mtimes"] = []any{tt.time}
		}
		r := b.run(t.Context(), wire.ToolParams{Op: "file.move", In: []string{tt.from}, Params: set})
		if len(r.Problems) != 1 || r.Problems[0].Code != tt.code {
			t.Errorf("%s to %s: %v, want %s", tt.from, tt.to, r.Problems, tt.code)
		}
	}
	r := b.run(t.Context(), wire.ToolParams{Op: "file.remove", In: []string{a, b.dir}})
	wantProblems(t, r, map[string]string{"a": tools.InputUnsupported, filepath.Base(b.dir): tools.OutputExists})
	if r := b.run(t.Context(), wire.ToolParams{Op: "file.remove", In: []string{a}, Params: map[string]any{"files": true}}); len(r.Problems) != 0 {
		t.Errorf("%v", r.Problems)
	}
	if got := tree(t, b.dir); got != "b=b sub/" {
		t.Errorf("%s", got)
	}
}

// A link in the folder may lead anywhere; the folder itself may be one.
func TestMoveAndLinks(t *testing.T) {
	b := newBench(t)
	elsewhere, root := t.TempDir(), filepath.Join(b.dir, "root")
	b.at("in/a", "2024-01-01", "a")
	for link, to := range map[string]string{root: filepath.Join(b.dir, "in"), filepath.Join(b.dir, "in", "away"): elsewhere} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
		}
	}
	move := func(from, to string) string {
		r := b.run(t.Context(), wire.ToolParams{Op: "file.move", In: []string{filepath.Join(root, from)}, Params: map[string]any{"to": []any{filepath.Join(root, to)}}})
		if len(r.Problems) == 0 {
			return ""
		}
		return r.Problems[0].Code
	}
	for _, to := range []string{"away/a", "away/sub/a"} {
		if code := move("a", to); code != tools.OutputDenied {
			t.Errorf("to %s: %q", to, code)
		}
	}
	if code := move("a", "sub/a"); code != "" {
		t.Errorf("below a folder that is a link: %q", code)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
		t.Errorf("elsewhere is %v, %v", left, err)
	}
}

func TestDuplicates(t *testing.T) {
	b := newBench(t)
	b.at("x/copy of one.txt", "2024-02-01", "same")
	b.at("one.txt", "2024-01-01", "same")
	b.at("one (1).txt", "2024-01-01", "same")
	b.at("other.txt", "2024-01-01", "diff")
	b.at("empty1", "2024-01-01", "")
	b.at("empty2", "2024-01-01", "")
	r := b.run(t.Context(), wire.ToolParams{Op: "file.duplicates", In: []string{b.dir}})
	if len(r.Info) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%+v", r)
	}
	g := r.Info[0].(tools.Duplicates)
	var names []string
	for _, f := range g.Files {
		names = append(names, filepath.Base(f.Path))
	}
	if g.Kind != "same" || g.Spare != 8 || fmt.Sprint(names) != "[one.txt one (1).txt copy of one.txt]" {
		t.Errorf("%+v", g)
	}
}

// Pictures beyond those that are compared are told of.
func TestSimilarTooMany(t *testing.T) {
	before := maxPrints
	t.Cleanup(func() { maxPrints = before })
	maxPrints = 0
	b := newBench(t)
	for _, name := range []string{"a.jpg", "b.jpg", "c.txt"} {
		b.at(name, "2024-01-01", name)
	}
	r := b.run(t.Context(), wire.ToolParams{Op: "file.duplicates", In: []string{b.dir}, Params: map[string]any{"similar": true}})
	wantProblems(t, r, map[string]string{"a.jpg": tools.NotCompared})
	if len(r.Problems) == 1 && r.Problems[0].Detail != "2" {
		t.Errorf("%+v", r.Problems)
	}
}

// A long proposal comes in parts.
func TestProposalInParts(t *testing.T) {
	b := newBench(t)
	const files = 3000
	for i := range files {
		b.file(fmt.Sprintf("%s-%04d.txt", strings.Repeat("n", 150), i), nil)
	}
	seen, after := map[string]bool{}, ""
	for page := 0; page < 20; page++ {
		r := b.run(t.Context(), wire.ToolParams{Op: "file.organize", In: []string{b.dir}, Params: map[string]any{"after": after}})
		for _, v := range r.Info {
			seen[v.(tools.Move).Path] = true
		}
		if len(r.Problems) == 0 {
			break
		}
		after = r.Problems[0].Path
	}
	if len(seen) != files {
		t.Errorf("%d of %d files", len(seen), files)
	}
}

func TestEveryOperationHasAHandler(t *testing.T) {
	for _, d := range tools.Catalogue() {
		if handlers[d.Name] == nil {
			t.Errorf("%s is in the catalogue and not carried out", d.Name)
		}
	}
	for name := range handlers {
		op, ok := tools.Find(name)
		if !ok {
			t.Errorf("%s is carried out and not in the catalogue", name)
			continue
		}
		// The parameters have the type that the handler wants; what is missing is
		// another error.
		set := map[string]any{"format": "pdf", "to": []any{"/x"}, "password": "x", "title": "x", "width": 1}
		given := map[string]any{}
		for k := range op.Schema()["properties"].(map[string]any) {
			if v, ok := set[k]; ok && (k != "format" || name == "image.convert") {
				given[k] = v
			}
		}
		if enum, ok := op.Schema()["properties"].(map[string]any)["to"].(map[string]any); ok && enum["enum"] != nil {
			given["to"] = enum["enum"].([]string)[0]
		}
		p, err := op.Decode(given)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := &job.Job{Op: op, Params: p, Order: job.Order{Scratch: t.TempDir(), Tool: wire.ToolParams{In: []string{"/nonexistent/x"}, Out: "/nonexistent/y"}}, Send: func(job.Event) {}}
		if err := handlers[name](ctx, r); err != nil && strings.Contains(err.Error(), "parameters of the type") {
			t.Error(err)
		}
	}
}

// What looks at a folder says that it is at work, before it has an answer: a folder
// may hold thousands of files.
func TestFoldersAreLookedAtAloud(t *testing.T) {
	for op, params := range map[string]map[string]any{
		"file.cleanup": nil, "file.organize": {"by": "taken-month"}, "file.rename": {"pattern": "{n}{ext}"},
		"file.duplicates": nil, "file.hash": {"recursive": true}, "file.report": nil,
	} {
		b := downloads(t)
		p := wire.ToolParams{Op: op, In: []string{b.dir}, Params: params}
		if op == "file.report" {
			p.Out = filepath.Join(t.TempDir(), "report.html")
		}
		b.run(t.Context(), p)
		heard := false
		for _, e := range b.events {
			if e.Progress == nil {
				continue
			}
			if err := e.Progress.Validate(); err != nil {
				t.Errorf("%s: %v", op, err)
			}
			heard = heard || strings.HasPrefix(e.Progress.Item, b.dir+"/")
		}
		if !heard {
			t.Errorf("%s says nothing of the files in a folder: %+v", op, b.events)
		}
	}
}
