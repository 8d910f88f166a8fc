package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"piwork/vmhost/wire"
)

func TestCatalogue(t *testing.T) {
	var names []string
	for _, d := range Catalogue() {
		names = append(names, d.Name)
		op, ok := Find(d.Name)
		if !ok || op.Name != d.Name || d.MinIn < 1 || d.MaxIn < d.MinIn || d.MaxIn > wire.MaxInputs || !slices.Contains([]Output{OutNone, OutFile, OutFolder, OutEach}, d.Out) {
			t.Errorf("%+v", d)
		}
		if _, err := rules(reflect.TypeOf(op.params()).Elem()); err != nil {
			t.Error(err)
		}
		if l := op.Limits(Load{}); l.Wall < baseWall || l.FileSize < baseFile || l.IO <= 0 {
			t.Errorf("%s: limits %+v without any load", d.Name, l)
		}
		held := op.Limits(Load{Inputs: 3, Bytes: 5 << 20})
		want := Limits{
			Wall:     time.Duration(d.Bounds.Wall.Seconds+3*d.Bounds.Wall.PerInput+5*d.Bounds.Wall.PerMB) * time.Second,
			Program:  time.Duration(d.Bounds.Program.Seconds+3*d.Bounds.Program.PerInput+5*d.Bounds.Program.PerMB) * time.Second,
			FileSize: d.Bounds.File.MB<<20 + d.Bounds.File.Times*5<<20, MemoryMB: d.Bounds.MemoryMB,
			Processors: d.Bounds.Processors, Processes: d.Bounds.Processes, IO: d.Bounds.DiskMBPerSecond << 20,
		}
		if held != want || held.MemoryMB < memoryFew || held.Processors < 1 || held.Processes < 1 {
			t.Errorf("%s: it says %+v and is held to %+v", d.Name, d.Bounds, held)
		}
		small, large := op.Limits(Load{Inputs: 1, Bytes: 1 << 20}), op.Limits(Load{Inputs: 1000, Bytes: 1 << 40})
		if large.Wall <= small.Wall || large.Wall.Milliseconds() > wire.MaxWallMS {
			t.Errorf("%s: limits %+v and %+v", d.Name, small, large)
		}
	}
	if want := []string{
		"image.info", "image.convert", "image.resize",
		"pdf.info", "pdf.merge", "pdf.split", "pdf.rotate", "pdf.compress", "pdf.text", "pdf.ocr", "pdf.images", "pdf.protect", "pdf.unlock",
		"archive.list", "archive.info", "archive.extract", "archive.create",
		"table.read", "table.convert", "table.clean", "table.merge", "table.receipts",
		"file.hash", "file.report", "file.duplicates", "file.organize", "file.rename", "file.cleanup", "file.move", "file.remove",
		"metadata.read", "metadata.write", "metadata.strip", "plist.validate", "plist.convert",
		"text.convert", "text.extract", "audio.info", "audio.transcode", "csound.perform", "lilypond.render",
	}; !slices.Equal(names, want) {
		t.Errorf("operations %v, want %v", names, want)
	}
	if _, ok := Find("no.such"); ok {
		t.Error("an operation that does not exist is found")
	}
	if b, err := json.Marshal(Catalogue()); err != nil || !json.Valid(b) {
		t.Errorf("%v", err)
	}
}

// paramCases are parameters of image.convert and whether they are taken.
var paramCases = []struct {
	params string
	want   *ImageConvert // nil when refused
	field  string
	lax    bool // only Decode takes it: text of a command line
}{
	{`{"format":"pdf"}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 90, Background: "white", DPI: 150, Each: Each{Names: []string{}}}, "", false},
	{`{"format":"jpeg","quality":1,"background":"black","replace":true,"page":"a4"}`, &ImageConvert{Format: "jpeg", Page: "a4", Quality: 1, Background: "black", DPI: 150, Each: Each{Names: []string{}, Replace: true}}, "", false},
	{`{"format":"pdf","quality":"75","replace":"true"}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 75, Background: "white", DPI: 150, Each: Each{Names: []string{}, Replace: true}}, "", true},
	{`{"format":"pdf","quality":100}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 100, Background: "white", DPI: 150, Each: Each{Names: []string{}}}, "", false},
	{`{}`, nil, "params.format", false},
	{`{"format":""}`, nil, "params.format", false},
	{`{"format":"msl"}`, nil, "params.format", false},
	{`{"format":"PDF"}`, nil, "params.format", false},
	{`{"format":["pdf"]}`, nil, "params.format", false},
	{`{"format":"pdf","page":"a4:/etc/passwd"}`, nil, "params.page", false},
	{`{"format":"pdf","quality":0}`, nil, "params.quality", false},
	{`{"format":"pdf","quality":101}`, nil, "params.quality", false},
	{`{"format":"pdf","quality":1.5}`, nil, "params.quality", false},
	{`{"format":"pdf","quality":1e300}`, nil, "params.quality", false},
	{`{"format":"pdf","quality":"-define x=y"}`, nil, "params.quality", false},
	{`{"format":"pdf","background":"url(/etc/passwd)"}`, nil, "params.background", false},
	{`{"format":"pdf","replace":1}`, nil, "params.replace", false},
	{`{"format":"pdf","replace":"yes"}`, nil, "params.replace", false},
	{`{"format":"pdf","Format":"png"}`, nil, "params.Format", false},
	{`{"format":"pdf","extra":1}`, nil, "params.extra", false},
}

func TestDecode(t *testing.T) {
	op, _ := Find("image.convert")
	for _, tt := range paramCases {
		var given map[string]any
		if err := json.Unmarshal([]byte(tt.params), &given); err != nil {
			t.Fatal(err)
		}
		got, err := op.Decode(given)
		var bad *wire.InvalidError
		switch {
		case tt.want != nil && (err != nil || !reflect.DeepEqual(got, tt.want)):
			t.Errorf("%s: %+v, %v", tt.params, got, err)
		case tt.want == nil && (!errors.As(err, &bad) || bad.Field != tt.field):
			t.Errorf("%s: error = %v, want one of %s", tt.params, err, tt.field)
		}
	}
}

// compiled is the schema of an operation's parameters.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	op, ok := Find(name)
	if !ok {
		t.Fatal(name)
	}
	b, err := json.Marshal(op.Schema())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("params.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("params.json")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}

// The schema says the same as Decode.
func TestSchemaAgrees(t *testing.T) {
	schema := compiled(t, "image.convert")
	for _, tt := range paramCases {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.params))
		if err != nil {
			t.Fatal(err)
		}
		err = schema.Validate(value)
		if want := tt.want != nil && !tt.lax; (err == nil) != want {
			t.Errorf("%s: the schema says %v", tt.params, err)
		}
	}
}

// So it does for every operation: what each takes and what it does not.
func TestEverySchema(t *testing.T) {
	for _, tt := range []struct {
		op, params string
		good       bool
		lax        bool // only Decode takes it
		strict     bool // only Decode refuses it: Check
	}{
		{"pdf.protect", `{"password":"x"}`, true, false, false},
		{"pdf.protect", `{}`, false, false, false},
		{"pdf.protect", `{"password":""}`, false, false, false},
		{"pdf.protect", `{"password":"a\nb"}`, false, false, true},
		{"pdf.split", `{"ranges":["1-3","z","r2-r1","1,3-z"]}`, true, false, false},
		{"pdf.split", `{"ranges":"1-3,z"}`, true, true, false},
		{"pdf.split", `{"ranges":["1-3 --password=x"]}`, false, false, true},
		{"pdf.split", `{"ranges":[1]}`, false, false, false},
		{"pdf.rotate", `{"angle":100}`, false, false, true},
		{"pdf.rotate", `{"pages":"@x"}`, false, false, true},
		{"image.resize", `{"width":10}`, true, false, false},
		{"image.resize", `{}`, false, false, true},
		{"image.resize", `{"width":10,"fit":"cover"}`, false, false, true},
		{"image.resize", `{"width":30000,"height":30000}`, false, false, true},
		{"lilypond.render", `{"outputs":["pdf","midi"]}`, true, false, false},
		{"lilypond.render", `{"outputs":["pdf","msl"]}`, false, false, false},
		{"metadata.write", `{"title":"x","keywords":["a"]}`, true, false, false},
		{"metadata.write", `{"title":"x\ny"}`, false, false, true},
		{"metadata.write", `{"taken":"yesterday"}`, false, false, true},
		{"metadata.write", `{}`, false, false, true},
		{"file.rename", `{"pattern":"{taken} {n}{ext}"}`, true, false, false},
		{"file.rename", `{"pattern":"../{n}"}`, false, false, true},
		{"file.rename", `{"pattern":"{other}"}`, false, false, true},
		{"file.rename", `{"find":"a","with":"../b"}`, false, false, true},
		{"file.move", `{"to":["/a/b"]}`, true, false, false},
		{"file.move", `{"to":["/a/../b"]}`, false, false, true},
		{"file.move", `{"to":["/a","/a"]}`, false, false, true},
		{"file.cleanup", `{"now":"yesterday"}`, false, false, true},
		{"table.clean", `{"to":"csv","columns":["a"],"header":false}`, false, false, true},
		{"table.convert", `{"to":"xls"}`, false, false, false},
		{"image.convert", `{"format":"pdf","names":["a"]}`, false, false, true},
	} {
		op, _ := Find(tt.op)
		var given map[string]any
		if err := json.Unmarshal([]byte(tt.params), &given); err != nil {
			t.Fatal(err)
		}
		p, err := op.Decode(given)
		if err == nil {
			err = CheckParams(p)
		}
		if (err == nil) != tt.good {
			t.Errorf("%s %s: %v", tt.op, tt.params, err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.params))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled(t, tt.op).Validate(value); (err == nil) != (tt.good && !tt.lax || tt.strict) {
			t.Errorf("%s %s: the schema says %v", tt.op, tt.params, err)
		}
	}
}

// What is known of an operation's programs is complete, and secrets are marked.
func TestPrograms(t *testing.T) {
	for _, d := range Catalogue() {
		compiled(t, d.Name)
		for _, p := range d.Programs {
			if known := Programs()[p]; known.Package == "" || known.Licence == "" {
				t.Errorf("%s: nothing is known of %s", d.Name, p)
			}
		}
		op, _ := Find(d.Name)
		properties, _ := d.Params["properties"].(map[string]any)
		if _, has := properties["password"]; has != slices.Contains(op.Secrets(), "password") {
			t.Errorf("%s: its password is no secret", d.Name)
		}
		if _, has := properties["names"]; has != (d.Out == OutEach) {
			t.Errorf("%s: out is %s and names %v", d.Name, d.Out, has)
		}
	}
	for name, want := range map[string]string{"text.convert": "[office]", "audio.info": "[media]", "csound.perform": "[music]", "image.convert": "[]"} {
		if op, _ := Find(name); fmt.Sprint(op.AddOns()) != want {
			t.Errorf("%s needs %v", name, op.AddOns())
		}
	}
}

func TestCheck(t *testing.T) {
	call := func(op string, in []string, out string, params map[string]any) wire.ToolParams {
		return wire.ToolParams{ID: "x", Op: op, In: in, Out: out, Params: params}
	}
	pdf := map[string]any{"format": "pdf"}
	two := []string{"/a", "/b"}
	tests := []struct {
		call  wire.ToolParams
		field string // "" when it is right
	}{
		{call("image.info", two, "", nil), ""},
		{call("image.info", nil, "", nil), "in"},
		{call("image.info", two, "/out", nil), "out"},
		{call("image.info", two, "", map[string]any{"x": 1}), "params.x"},
		{call("image.info", make([]string, maxPictures+1), "", nil), "in"},
		{call("image.convert", two, "/out", pdf), ""},
		{call("image.convert", two, "", pdf), "out"},
		{call("image.convert", two, "/a", pdf), "out"},
		{call("image.convert", two, "out", pdf), "out"},
		{call("image.convert", two, "/out", map[string]any{"format": "png"}), ""},
		{call("image.convert", two[:1], "/out", map[string]any{"format": "png"}), ""},
		{call("image.convert", two, "/out", map[string]any{"format": "png", "names": []any{"a", "b"}}), ""},
		{call("image.convert", two, "/out", map[string]any{"format": "png", "names": []any{"a"}}), "params.names"},
		{call("image.convert", two, "/out", map[string]any{"format": "png", "names": []any{"a", "a"}}), "params.names"},
		{call("image.convert", two, "/out", map[string]any{"format": "png", "names": []any{"a", "../b"}}), "params.names"},
		{call("image.convert", two, "/out", map[string]any{"format": "png", "names": []any{"a", ".."}}), "params.names"},
		{call("archive.extract", two[:1], "", nil), "out"},
		{call("archive.extract", two, "/out", nil), "in"},
		{call("file.move", two, "", map[string]any{"to": []any{"/c"}}), "params.to"},
		{call("file.move", two, "", map[string]any{"to": []any{"/c", "/d"}}), ""},
		{call("pdf.merge", two, "/out", nil), ""},
		{call("file.hash", two, "", map[string]any{"recursive": true, "after": "/a/b"}), ""},
		{call("file.hash", two, "", map[string]any{"after": strings.Repeat("x", 5000)}), "params.after"},
		{call("file.hash", two, "", map[string]any{"after": "a\x00b"}), "params.after"},
		{call("archive.list", two, "", map[string]any{"after": "1:20"}), ""},
		{call("archive.list", two, "", map[string]any{"after": "a/b.txt"}), "params.after"},
		{call("archive.list", two, "", map[string]any{"after": "1:-2"}), "params.after"},
	}
	for i, tt := range tests {
		op, ok := Find(tt.call.Op)
		if !ok {
			t.Fatal(tt.call.Op)
		}
		_, err := op.Check(tt.call)
		if bad, is := errors.AsType[*wire.InvalidError](err); tt.field == "" && err != nil || tt.field != "" && (!is || bad.Field != tt.field) {
			t.Errorf("%d: error = %v, want one of %q", i, err, tt.field)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, tt := range paramCases {
		f.Add("image.convert", tt.params)
	}
	f.Add("file.hash", `{"recursive":true,"after":"/x"}`)
	f.Fuzz(func(t *testing.T, name, params string) {
		op, ok := Find(name)
		var given map[string]any
		if !ok || json.Unmarshal([]byte(params), &given) != nil {
			return
		}
		p, err := op.Decode(given)
		if err != nil {
			if _, is := errors.AsType[*wire.InvalidError](err); !is || len(err.Error()) > 1000 {
				t.Errorf("error %v", err)
			}
			return
		}
		// What was taken is taken again as it is.
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatal(err)
		}
		same, err := op.Decode(again)
		if err != nil || !reflect.DeepEqual(p, same) {
			t.Errorf("%+v became %+v, %v", p, same, err)
		}
	})
}
