package tools

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"piwork/vmhost/wire"
)

func TestCatalogue(t *testing.T) {
	var names []string
	for _, d := range Catalogue() {
		names = append(names, d.Name)
		op, ok := Find(d.Name)
		if !ok || op.Name != d.Name || d.MinIn < 1 || d.MaxIn < d.MinIn || d.MaxIn > wire.MaxInputs || (d.Out != OutNone && d.Out != OutFile) {
			t.Errorf("%+v", d)
		}
		if _, err := rules(reflect.TypeOf(op.params()).Elem()); err != nil {
			t.Error(err)
		}
		if l := op.Limits(op.params(), Load{}); l.Wall < baseWall || l.FileSize < baseIO {
			t.Errorf("%s: limits %+v without any load", d.Name, l)
		}
		small, large := op.Limits(op.params(), Load{Inputs: 1, Bytes: 1 << 20}), op.Limits(op.params(), Load{Inputs: 1000, Bytes: 1 << 40})
		if large.Wall <= small.Wall || large.Wall.Milliseconds() > wire.MaxWallMS {
			t.Errorf("%s: limits %+v and %+v", d.Name, small, large)
		}
	}
	if want := []string{"image.info", "image.convert", "pdf.merge", "file.hash"}; !slices.Equal(names, want) {
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
	{`{"format":"pdf"}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 90, Background: "white"}, "", false},
	{`{"format":"jpeg","quality":1,"background":"black","replace":true,"page":"a4"}`, &ImageConvert{Format: "jpeg", Page: "a4", Quality: 1, Background: "black", Replace: true}, "", false},
	{`{"format":"pdf","quality":"75","replace":"true"}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 75, Background: "white", Replace: true}, "", true},
	{`{"format":"pdf","quality":100}`, &ImageConvert{Format: "pdf", Page: "fit", Quality: 100, Background: "white"}, "", false},
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
		case tt.want != nil && (err != nil || *got.(*ImageConvert) != *tt.want):
			t.Errorf("%s: %+v, %v", tt.params, got, err)
		case tt.want == nil && (!errors.As(err, &bad) || bad.Field != tt.field):
			t.Errorf("%s: error = %v, want one of %s", tt.params, err, tt.field)
		}
	}
}

// The schema says the same as Decode.
func TestSchemaAgrees(t *testing.T) {
	op, _ := Find("image.convert")
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
		t.Fatal(err)
	}
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
		{call("image.convert", two, "/out", map[string]any{"format": "png"}), "in"},
		{call("image.convert", two[:1], "/out", map[string]any{"format": "png"}), ""},
		{call("pdf.merge", two, "/out", nil), ""},
		{call("file.hash", two, "", map[string]any{"recursive": true, "after": "/a/b"}), ""},
		{call("file.hash", two, "", map[string]any{"after": strings.Repeat("x", 5000)}), "params.after"},
		{call("file.hash", two, "", map[string]any{"after": "a\x00b"}), "params.after"},
	}
	for i, tt := range tests {
		op, ok := Find(tt.call.Op)
		if !ok {
			t.Fatal(tt.call.Op)
		}
		_, err := op.Check(tt.call)
		var bad *wire.InvalidError
		if tt.field == "" && err != nil || tt.field != "" && (!errors.As(err, &bad) || bad.Field != tt.field) {
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
			var bad *wire.InvalidError
			if !errors.As(err, &bad) || len(err.Error()) > 1000 {
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
