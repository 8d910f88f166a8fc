//go:build vm

package app

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // how results are read
	_ "image/png"  // likewise
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/chore"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// realChore is a chore over a folder of its own, inside of the folder of all.
type realChore struct {
	name   string
	params map[string]any
	files  map[string][]byte
	want   []string // files that are made
	left   int      // inputs that are left out
	check  func(t *testing.T, dir string)
}

// manyChores does several chores one after the other in the same machine, each in
// its own folder.
type manyChores struct {
	chores []realChore
	dir    string
	plans  []chore.Plan
	outs   []chore.Outcome
}

func (*manyChores) Info() chore.Info { return chore.Info{Name: "many", Needs: []string{}} }

func (m *manyChores) env(env chore.Env, c realChore, found chore.Chore) (chore.Env, error) {
	params, err := chore.Complete(found.Info(), c.params)
	f := env.Folders[0]
	dir := filepath.Join(m.dir, c.name)
	f.Guest, f.CanWrite = f.Guest+"/"+c.name, nil
	f.List = func(ctx context.Context, recursive bool) ([]chore.Entry, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return chore.List(ctx, root, recursive)
	}
	env.Params, env.Folders = params, []chore.Folder{f}
	return env, err
}

func (m *manyChores) Plan(ctx context.Context, env chore.Env) (chore.Plan, error) {
	all := chore.Plan{V: chore.PlanVersion, Chore: "many", Needs: []string{}}
	for _, c := range m.chores {
		found, ok := chore.Find(c.name)
		if !ok {
			return all, fmt.Errorf("there is no chore %s", c.name)
		}
		one, err := m.env(env, c, found)
		if err != nil {
			return all, fmt.Errorf("%s: %w", c.name, err)
		}
		plan, err := found.Plan(ctx, one)
		if err != nil {
			return all, fmt.Errorf("%s: %w", c.name, err)
		}
		m.plans = append(m.plans, plan)
		all.Operations = append(all.Operations, plan.Operations...)
	}
	return all, nil
}

func (m *manyChores) Run(ctx context.Context, env chore.Env, _ chore.Plan) (chore.Outcome, error) {
	var errs []error
	for i, c := range m.chores {
		found, _ := chore.Find(c.name)
		one, err := m.env(env, c, found)
		if err != nil {
			return chore.Outcome{}, err
		}
		out, err := found.Run(ctx, one, m.plans[i])
		m.outs = append(m.outs, out)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	return chore.Outcome{}, errors.Join(errs...)
}

// pdfOf is a PDF with a line of text on each page.
func pdfOf(pages ...string) []byte {
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), strings.Join(kids, " ")),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	for i, text := range pages {
		content := fmt.Sprintf("BT /F 36 Tf 40 90 Td (%s) Tj ET", text)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>", 5+2*i),
			fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content))
	}
	return pdfOfObjects(objects...)
}

// pdfOfObjects is a PDF of these objects, the catalogue first.
func pdfOfObjects(objects ...string) []byte {
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for _, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// elsewhere are chores that TestRealChores does not do, with who does.
var elsewhere = map[string]string{
	"pictures-to-pdf":   "TestRealChore",
	"cleanup-downloads": "TestRealChoresAtScale",
	"find-duplicates":   "TestRealChoresAtScale",
	"rename-files":      "TestRealChoresAtScale",
	"sort-photos":       "TestRealChoresAtScale",
	"save-web-page":     "TestRealSavePage",
	"fill-table":        "TestRealFillTable",
	"voice-memo":        "TestAddOns in pack/image carries its operation out: it needs an add-on",
}

// everyChore holds the chores that a test does, and those that it names another for, to
// the chores that there are. What an AI adds to one is tested with the AI.
func everyChore(t *testing.T, done []string, elsewhere map[string]string) {
	t.Helper()
	for _, info := range chore.All() {
		if here := slices.Contains(done, info.Name); info.AI == nil && here == (elsewhere[info.Name] != "") {
			t.Errorf("%s is done here %v, and elsewhere %q", info.Name, here, elsewhere[info.Name])
		}
	}
}

// TestRealChores does each chore that makes files on small real files, in one
// machine, and looks at what was made; then everything is taken back.
func TestRealChores(t *testing.T) {
	sample := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("../pack/tools/picture/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const secret = "pass wörd"
	var zipped bytes.Buffer
	zw := zip.NewWriter(&zipped)
	for _, name := range []string{"in/a.txt", "../../evil.txt", "b.txt"} {
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	picture := func(file, format string, side int) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			f, err := os.Open(filepath.Join(dir, file))
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			c, is, err := image.DecodeConfig(f)
			if err != nil || is != format || side > 0 && max(c.Width, c.Height) != side {
				t.Errorf("%s is %s, %d × %d, %v", file, is, c.Width, c.Height, err)
			}
		}
	}
	holds := func(file, text string, times int) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			b, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || strings.Count(string(b), text) != times {
				t.Errorf("%s: %q, %v", file, b[:min(len(b), 300)], err)
			}
		}
	}
	m := &manyChores{dir: filepath.Join(t.TempDir(), "All"), chores: []realChore{
		{"convert-pictures", nil, map[string][]byte{"a.heic": sample("a.heic"), "-ü\n.png": sample("deep.png"), "cut.heic": sample("a.heic")[:100]},
			[]string{"Converted pictures/-ü\n.jpg", "Converted pictures/a.jpg"}, 1, picture("Converted pictures/a.jpg", "jpeg", 0)},
		{"strip-metadata", nil, map[string][]byte{"p.jpg": sample("cmyk.jpg"), "d.pdf": pdfOf("One")}, []string{"For sharing/d.pdf", "For sharing/p.jpg"}, 0, picture("For sharing/p.jpg", "jpeg", 0)},
		{"merge-pdf", nil, map[string][]byte{"10.pdf": pdfOf("Ten"), "9.pdf": pdfOf("Nine", "Nine more"), "cut.pdf": pdfOf("x")[:50]}, []string{"Merged.pdf"}, 1, nil},
		{"split-pdf", map[string]any{"every": 2}, map[string][]byte{"r.pdf": pdfOf("1", "2", "3")}, []string{"r/r 1-2.pdf", "r/r 3-3.pdf"}, 0, nil},
		{"compress-pdf", nil, map[string][]byte{"c.pdf": pdfOf("Compressed")}, []string{"Smaller PDFs/c.pdf"}, 0, nil},
		{"unlock-pdf", map[string]any{"password": secret}, map[string][]byte{"open.pdf": pdfOf("Open")}, []string{"Unlocked PDFs/locked.pdf"}, 0, nil},
		// The text of the page, and that which was read of it.
		{"searchable-scans", nil, map[string][]byte{"s.pdf": pdfOf("Invoice")}, []string{"Searchable/s.pdf", "Searchable/s.txt"}, 0, holds("Searchable/s.txt", "Invoice", 1)},
		{"unpack-archives", nil, map[string][]byte{"z.zip": zipped.Bytes()}, []string{"z/b.txt", "z/in/a.txt"}, 0, holds("z/b.txt", "b.txt", 1)},
		{"clean-table", nil, map[string][]byte{"t.csv": []byte("A,B\n x ,1\nx,1\n,\n")}, []string{"Clean tables/t.csv"}, 0, holds("Clean tables/t.csv", "x,1", 1)},
		{"join-tables", nil, map[string][]byte{"1.csv": []byte("A,B\n1,2\n"), "2.csv": []byte("B;A\n3;4\n")}, []string{"Joined.csv"}, 0, holds("Joined.csv", "4,3", 1)},
		{"extract-text", nil, map[string][]byte{"d.rtf": []byte(`{\rtf1 K\'f6ln\par}`)}, []string{"Text/d.txt"}, 0, holds("Text/d.txt", "Köln", 1)},
		{"receipts-to-table", nil, map[string][]byte{"bill.html": []byte("<h1>Muster GmbH</h1><p>Rechnungsdatum 05.02.2024<p>19% MwSt 1,90<p>Gesamtbetrag 11,90 &euro;")},
			[]string{"Receipts.csv"}, 0, holds("Receipts.csv", "2024-02-05,Muster GmbH,11.90,1.90,EUR", 1)},
		{"folder-report", nil, map[string][]byte{"-ü <b>.txt": []byte("x"), "sub/b.pdf": pdfOf("x")}, []string{"Report.html"}, 0, holds("Report.html", "-ü &lt;b&gt;.txt", 3)},
	}}
	var names []string
	for _, c := range m.chores {
		names = append(names, c.name)
	}
	everyChore(t, names, elsewhere)
	tier.Rest(t, "TestOperations of pack/guest/guestvm")
	for _, c := range m.chores {
		for name, data := range c.files {
			p := filepath.Join(m.dir, c.name, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, data, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := openReal(t, warmOptions(t))
	start := func(r tasks.StartRequest) task.Task {
		t.Helper()
		r.Folders, r.Accept = []task.FolderRequest{{Path: m.dir, Mode: task.ModeReadWrite}}, true
		began, err := c.StartTask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for limit := time.Now().Add(20 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
			got, err := c.Task(t.Context(), began.ID)
			if err != nil || time.Now().After(limit) {
				t.Fatalf("%s, %v", got.State, err)
			}
			if got.State.Final() && c.Live(began.ID) == nil {
				return got
			}
		}
	}
	if got := start(tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{
		Op: "pdf.protect", In: []string{"/folders/All/unlock-pdf/open.pdf"}, Out: "/folders/All/unlock-pdf/locked.pdf", Params: map[string]any{"password": secret},
	}}); got.State != task.StateDone {
		t.Fatalf("%+v", got.Error)
	}
	before := exactly(t, m.dir)
	find := tasks.FindChore
	t.Cleanup(func() { tasks.FindChore = find })
	tasks.FindChore = func(string) (chore.Chore, bool) { return m, true }
	ran := start(tasks.StartRequest{Kind: task.KindChore, Chore: "many"})
	if ran.State != task.StateDone {
		t.Errorf("%s, %+v", ran.State, ran.Error)
	}
	after := exactly(t, m.dir)
	var pdfs []string
	for i, want := range m.chores {
		t.Run(want.name, func(t *testing.T) {
			if i >= len(m.outs) {
				t.Fatal("it was not done")
			}
			dir := filepath.Join(m.dir, want.name)
			var made []string
			for _, r := range m.outs[i].Results {
				made = append(made, r.Path) // in the folder of the chore
				if filepath.Ext(r.Path) == ".pdf" {
					pdfs = append(pdfs, "/folders/All/"+want.name+"/"+r.Path)
				}
			}
			slices.Sort(made)
			if !slices.Equal(made, want.want) || len(m.plans[i].Skipped) != want.left {
				t.Errorf("made %q, left out %+v, problems %+v", made, m.plans[i].Skipped, m.outs[i].Problems)
			}
			if want.check != nil {
				want.check(t, dir)
			}
		})
	}
	for p, was := range before {
		if info, err := os.Stat(filepath.Join(m.dir, p)); err == nil && !info.IsDir() && after[p] != was {
			t.Errorf("%q was changed", p)
		}
	}
	looked := start(tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "pdf.info", In: pdfs}})
	pages := map[string]any{}
	for _, i := range looked.Info {
		if info, ok := i.(map[string]any); ok {
			pages[strings.TrimPrefix(fmt.Sprint(info["path"]), "/folders/All/")] = info["pages"]
		}
	}
	want := "map[compress-pdf/Smaller PDFs/c.pdf:1 merge-pdf/Merged.pdf:3 searchable-scans/Searchable/s.pdf:1 split-pdf/r/r 1-2.pdf:2 " +
		"split-pdf/r/r 3-3.pdf:1 strip-metadata/For sharing/d.pdf:1 unlock-pdf/Unlocked PDFs/locked.pdf:1]"
	if fmt.Sprint(pages) != want {
		t.Errorf("pages are %v, %+v", pages, looked.Problems)
	}
	rep, err := c.Undo(t.Context(), ran.ID, history.UndoRequest{})
	if err != nil || len(rep.Conflicts) > 0 {
		t.Fatalf("%+v, %v", rep.Conflicts, err)
	}
	if d := differences(before, exactly(t, m.dir)); len(d) > 0 {
		t.Errorf("undone, there differs %q", d)
	}
}
