package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

const hashOfTable = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// tables is a runtime with tables in JSON, and the web.
type tables struct {
	t      *testing.T
	files  map[string]string // JSON by path in the guest; of a sheet by path#sheet
	sheets []string          // of each
	web    map[string]page   // by address
	asked  []string          // addresses
	err    error             // of the web
}

// sheet is the table that an operation reads.
func (w *tables) sheet(in string, params map[string]any) string {
	name, _ := params["sheet"].(string)
	if name == "" && len(w.sheets) > 0 && path.Dir(in) == "/folders/Shop" {
		name = w.sheets[0]
	}
	if name != "" {
		in += "#" + name
	}
	return w.files[in]
}

func (w *tables) env(params map[string]any) Env {
	all := map[string]any{"format": "same", "language": "en"}
	for k, v := range params {
		all[k] = v
	}
	return Env{
		Params: all,
		Folders: []Folder{{ID: "f1", Name: "Shop", Guest: "/folders/Shop", List: func(context.Context, bool) (out []Entry, err error) {
			for p := range w.files {
				if path.Dir(p) == "/folders/Shop" {
					out = append(out, Entry{Path: path.Base(p)})
				}
			}
			return out, nil
		}}},
		Execute: w.execute,
	}
}

func (w *tables) execute(_ context.Context, a vmhost.Action) (obs vmhost.Observation, err error) {
	switch {
	case a.Page != nil:
		at := a.Page.Steps[0].URL
		w.asked = append(w.asked, at)
		if w.err != nil {
			return obs, w.err
		}
		p, ok := w.web[at]
		if !ok {
			return obs, &vmhost.FailedActionError{What: "page", ActFailure: wire.ActFailure{Code: wire.ActUnreachable}}
		}
		obs.Page = &wire.PageResult{Title: p.title, Steps: []wire.PageDone{{}, {Text: p.text}}}
	case a.File != nil && a.File.Op == wire.FileRead:
		obs.File = &wire.FileResult{Data: []byte(w.files[a.File.Path])}
	case a.File != nil:
		w.files[a.File.Path] = string(a.Data)
	case a.Tool != nil && a.Tool.Op == opTableTo:
		var p tools.TableConvert
		p.Names, _ = a.Tool.Params["names"].([]string)
		out := a.Tool.Out + "/" + p.Names[0]
		w.files[out] = w.sheet(a.Tool.In[0], a.Tool.Params)
		obs.Tool = &wire.ToolResult{Out: []wire.ToolFile{{Path: out, Size: int64(len(w.files[out])), SHA256: "x"}}}
	case a.Tool != nil:
		obs.Tool = &wire.ToolResult{}
		for _, in := range a.Tool.In {
			s, err := parseSheet([]byte(w.sheet(in, a.Tool.Params)))
			if err != nil {
				w.t.Fatal(err)
			}
			info := tools.TableInfo{Path: in, Format: strings.TrimPrefix(path.Ext(in), "."), Sheets: w.sheets, Rows: len(s.rows), Sample: s.rows[:min(len(s.rows), tableLook)], SHA256: hashOfTable, Size: 7}
			for c, n := range s.header {
				column := tools.TableColumn{Name: n}
				for _, row := range s.rows {
					if row[c] == "" {
						column.Empty++
					}
				}
				info.Columns = append(info.Columns, column)
			}
			obs.Tool.Info = append(obs.Tool.Info, asJSON(w.t, info))
		}
	}
	return obs, err
}

// asJSON is a value as JSON makes it.
func asJSON(t *testing.T, v any) (out map[string]any) {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What is empty is filled in with what pages say; what was there stays, also what only looks
// like a number. A page that is not there leaves its rows as they are, and is named.
func TestFillTable(t *testing.T) {
	w := &tables{
		t: t,
		files: map[string]string{
			"/folders/Shop/Shoes.csv":             `[{"No":"007","Page":"example.org/a","Price":"","Title":"","Colour":"red"},{"No":8,"Page":"https://example.org/b","Price":"","Title":"","Colour":""},{"No":"","Page":"","Price":"","Title":"","Colour":""},{"No":9,"Page":"example.org/a","Price":"1","Title":"mine","Colour":""}]`,
			"/folders/Shop/Shoes (filled in).csv": `[]`, "/folders/Shop/Names.xlsx": `[{"Name":"Ann","Mail":""}]`,
		},
		web: map[string]page{"https://example.org/a": {"A shoe", "Shoes\nPrice:\u00a03.50\u00a0€\nColour\tblue\tdark\nPrice: 4"}},
	}
	plan, err := fillTable{}.Plan(t.Context(), w.env(nil))
	if err != nil || len(plan.Operations) != 1 || len(plan.Skipped) != 2 || plan.Skipped[0].Code != problem.CodeNothingToFill || plan.Operations[0].Out != "/folders/Shop/Shoes (filled in) (2).csv" || w.asked != nil {
		t.Fatalf("%+v %v, asked %q", plan, err, w.asked)
	}
	out, err := fillTable{}.Run(t.Context(), w.env(nil), plan)
	if err != nil || len(out.Results) != 1 {
		t.Fatalf("%+v %v", out, err)
	}
	if want := []string{"https://example.org/a", "https://example.org/b"}; !slices.Equal(w.asked, want) {
		t.Errorf("visited %q", w.asked)
	}
	if len(out.Problems) != 1 || out.Problems[0].Code != problem.CodeWebUnreachable || out.Problems[0].Params["name"] != "https://example.org/b" {
		t.Errorf("%+v", out.Problems)
	}
	const want = `[{"No":"007","Page":"example.org/a","Price":"3.50 €","Title":"A shoe","Colour":"red"},{"No":"8","Page":"https://example.org/b","Price":"","Title":"","Colour":""},{"No":"","Page":"","Price":"","Title":"","Colour":""},{"No":"9","Page":"example.org/a","Price":"1","Title":"mine","Colour":"blue dark"}]`
	if got := w.files["/folders/Shop/Shoes (filled in) (2).csv"]; got != want {
		t.Error(got)
	}
}

// Every sheet of a workbook that has something to fill in becomes a table.
func TestFillTableSheets(t *testing.T) {
	const gaps = `[{"Page":"a.org","Price":""}]`
	w := &tables{
		t: t, sheets: []string{"Notes", "May", "a/b"},
		files: map[string]string{"/folders/Shop/a.xlsx": "", "/folders/Shop/a.xlsx#Notes": `[{"a":"b"}]`, "/folders/Shop/a.xlsx#May": gaps, "/folders/Shop/a.xlsx#a/b": gaps},
		web:   map[string]page{"https://a.org": {text: "Price: 3"}},
	}
	plan, err := fillTable{}.Plan(t.Context(), w.env(nil))
	if err != nil || len(plan.Operations) != 2 || len(plan.Skipped) > 0 || plan.Operations[0].Out != "/folders/Shop/a (May) (filled in).xlsx" || plan.Operations[1].Out != "/folders/Shop/a (filled in).xlsx" {
		t.Fatalf("%+v %v", plan, err)
	}
	out, err := fillTable{}.Run(t.Context(), w.env(nil), plan)
	if err != nil || len(out.Results) != 2 || w.files[plan.Operations[1].Out] != `[{"Page":"a.org","Price":"3"}]` {
		t.Errorf("%+v %v %q", out, err, w.files)
	}
	for _, op := range plan.Operations {
		delete(w.files, op.Out)
	}
	w.files["/folders/Shop/a.xlsx#May"], w.files["/folders/Shop/a.xlsx#a/b"] = `[]`, `[]`
	if plan, err := (fillTable{}).Plan(t.Context(), w.env(nil)); len(plan.Skipped) != 1 || problem.From(err) == nil || problem.From(err).Code != problem.CodeNothingLeft {
		t.Errorf("%+v %v", plan, err)
	}
}

// The column of the addresses is the first that mostly has some. What is none is a row
// without one, however late it comes; what looks like a price is none.
func TestFillTableAddresses(t *testing.T) {
	rows := []string{`{"Paid":"3.50","Seen":"31.05.2024","Page":"a.org","Price":""}`, `{"Paid":"2.5","Seen":"1.6.","Page":"n/a","Price":""}`}
	for range tableLook + 500 {
		rows = append(rows, `{"Paid":"","Seen":"","Page":"https://a.org","Price":"1"}`)
	}
	rows = append(rows, `{"Paid":"","Seen":"","Page":"see Dr. Who","Price":""}`, `{"Paid":"","Seen":"","Page":"HTTPS://a.org","Price":""}`)
	for name, table := range map[string]string{"": strings.Join(rows, ","), ", gaps only at the end": strings.Join(rows[2:], ",")} {
		w := &tables{
			t: t, files: map[string]string{"/folders/Shop/a.csv": "[" + table + "]"},
			web: map[string]page{"https://a.org": {text: "Price: 3\nPaid: 4"}, "HTTPS://a.org": {text: "Price: 5"}},
		}
		plan, err := fillTable{}.Plan(t.Context(), w.env(nil))
		if err != nil {
			t.Fatalf("%v%s", err, name)
		}
		out, err := fillTable{}.Run(t.Context(), w.env(nil), plan)
		made := w.files["/folders/Shop/a (filled in).csv"]
		if err != nil || len(out.Problems) > 0 || !strings.HasSuffix(made, `"Page":"see Dr. Who","Price":""},{"Paid":"","Seen":"","Page":"HTTPS://a.org","Price":"5"}]`) || strings.Contains(made, `"n/a","Price":"3"`) {
			t.Errorf("%+v %v%s", out, err, name)
		}
	}
}

// A run that fills in nothing makes no copy, and says so.
func TestFillTableNothing(t *testing.T) {
	const table = `[{"Page":"a.org","Price":""}]`
	for cause, tt := range map[string]struct {
		now string // the table at the run
		web map[string]page
	}{
		"":      {`[{"Page":"a.org","Price":"3"}]`, nil},
		"pages": {table, map[string]page{"https://a.org": {text: "Costs: 3"}}},
	} {
		w := &tables{t: t, files: map[string]string{"/folders/Shop/a.csv": table}, web: tt.web}
		plan, err := fillTable{}.Plan(t.Context(), w.env(nil))
		if err != nil {
			t.Fatal(err)
		}
		w.files["/folders/Shop/a.csv"] = tt.now
		out, err := fillTable{}.Run(t.Context(), w.env(nil), plan)
		if p := problem.From(err); p == nil || p.Code != problem.CodeNothingLeft || len(out.Results) > 0 || w.files[plan.Operations[0].Out] != "" ||
			len(out.Problems) != 1 || out.Problems[0].Code != problem.CodeNothingToFill || out.Problems[0].Cause != cause {
			t.Errorf("%q: %+v %v", cause, out, err)
		}
	}
}

// What a page says under a name.
func TestPageSays(t *testing.T) {
	for _, tt := range []struct{ text, name, want string }{
		{"Price: 3", "price", "3"},
		{"PRICE\t3\tEUR", "Price:", "3 EUR"},
		{"Price\n\n  \n3", "Price", "3"},
		{"Price:\n3\nPrice: 4", "Price *", "3"},
		{"The Price: 3", "Price", ""},
		{"Price", "Price", ""},
		{"Straße: Weg 1", "STRASSE", "Weg 1"},
		{"Link: https://a.org/x: y", "Link", "https://a.org/x: y"},
		{"Price: \u202e3\x00\u200b", "Price", "3"},
		{"Price: " + strings.Repeat("x", 9999), "Price", strings.Repeat("x", maxCell)},
		{"", "Title", "T"},
		{"Title: other", "Title", "other"},
	} {
		if got := (page{"T", tt.text}).says(tt.name); got != tt.want {
			t.Errorf("%.40q of %.40q: %q", tt.name, tt.text, got)
		}
	}
}

// A table names more pages than one task visits.
func TestFillTableIsBounded(t *testing.T) {
	w := &tables{t: t, files: map[string]string{}, web: map[string]page{}}
	var rows []string
	for i := range maxVisits + 5 {
		rows = append(rows, fmt.Sprintf(`{"Page":"a%d.org","Price":""}`, i))
		w.web[fmt.Sprintf("https://a%d.org", i)] = page{text: "Price: 3"}
	}
	w.files["/folders/Shop/a.csv"] = "[" + strings.Join(rows, ",") + "]"
	plan, err := fillTable{}.Plan(t.Context(), w.env(nil))
	if err != nil {
		t.Fatal(err)
	}
	out, err := fillTable{}.Run(t.Context(), w.env(nil), plan)
	if err != nil || len(w.asked) != maxVisits || len(out.Problems) != 1 || out.Problems[0].Code != problem.CodePagesLeft {
		t.Errorf("%d visits, %+v %v", len(w.asked), out.Problems, err)
	}
	if got := w.files["/folders/Shop/a (filled in).csv"]; strings.Count(got, `"3"`) != maxVisits {
		t.Errorf("%d cells", strings.Count(got, `"3"`))
	}
}

// Attacks and mistakes: addresses that lead elsewhere, plans of something else, answers that
// fit to nothing.
func TestFillTableRefuses(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd.x", "javascript:alert(1)//a.b", "chrome://a.b", "nobody", "https://user:pw@example.org", "a.org and more"} {
		w := &tables{t: t, files: map[string]string{"/folders/Shop/a.csv": fmt.Sprintf(`[{"Page":%q,"Price":""}]`, address)}}
		if _, err := (fillTable{}).Plan(t.Context(), w.env(nil)); problem.From(err) == nil || problem.From(err).Code != problem.CodeNothingLeft {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := (fillTable{}).Plan(t.Context(), (&tables{t: t}).env(nil)); problem.From(err) == nil || problem.From(err).Code != problem.CodeNoFiles {
		t.Errorf("no tables: %v", err)
	}
	world := func() (*tables, Plan) {
		w := &tables{t: t, files: map[string]string{"/folders/Shop/a.csv": `[{"Page":"a.org","Price":""}]`}, web: map[string]page{"https://a.org": {}}}
		p, err := fillTable{}.Plan(t.Context(), w.env(nil))
		if err != nil {
			t.Fatal(err)
		}
		return w, p
	}
	for name, change := range map[string]func(*Plan){
		"another chore": func(p *Plan) { p.Chore = "clean-table" }, "another operation": func(p *Plan) { p.Operations[0].Op = "table.clean" },
		"out of the folder": func(p *Plan) { p.Operations[0].Out = "/folders/Other/x.csv" }, "above": func(p *Plan) { p.Operations[0].Out = "/folders/Shop/../x.csv" },
		"another kind": func(p *Plan) { p.Operations[0].Out = "/folders/Shop/x.sh" }, "another input": func(p *Plan) { p.Operations[0].In[0].Path = "/etc/passwd" },
		"another effect": func(p *Plan) { p.Operations[0].Effect = EffectDelete }, "none": func(p *Plan) { p.Operations = nil },
	} {
		w, p := world()
		change(&p)
		if _, err := (fillTable{}).Run(t.Context(), w.env(nil), p); !errors.Is(err, errPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for code, want := range map[string]string{wire.ActNoProgram: problem.CodeAddOnMissing, wire.ActDenied: problem.CodePermission} {
		w, p := world()
		w.err = &vmhost.FailedActionError{What: "page", ActFailure: wire.ActFailure{Code: code}}
		if out, err := (fillTable{}).Run(t.Context(), w.env(nil), p); problem.From(err) == nil || problem.From(err).Code != want || len(out.Results) > 0 {
			t.Errorf("%s: %v", code, err)
		}
	}
	for _, bad := range []string{"", "{}", "[1]", `[{"a":1},{"b":1}]`, `[{"a":1},{}]`, `[{"a":1},{"a":1,"b":2}]`, `[{"a":1}`} {
		if s, err := parseSheet([]byte(bad)); err == nil {
			t.Errorf("%s is %+v", bad, s)
		}
	}
}
