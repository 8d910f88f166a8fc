package toolcall

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

var updateNames = flag.Bool("update-names", false, "write testdata/toolnames.json")

// The window shows a name for what is made, and shows another in the same moment
// that a file is added or an option chosen. It makes that name itself: asked of the
// controller it would come late and change under the pointer, and each request
// would carry the options, passwords among them, for nothing but a name. So that
// the two do not part, what the window shows is held against this table of what
// the controller names (frontend/src/lib/model/tools.test.ts).
func TestToolNames(t *testing.T) {
	var out bytes.Buffer
	rows := 0
	row := func(op tools.Operation, in []string, params map[string]any) {
		given, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		guest, err := Call{Op: op.Name, In: in}.kept(op, wire.ToolParams{Params: params})
		if err != nil {
			t.Fatalf("%s %q %s: %v", op.Name, in, given, err)
		}
		files, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s{\"op\": %q, \"in\": %s, \"params\": %s, \"name\": %q}", map[bool]string{true: "[", false: ",\n"}[rows == 0], op.Name, files, given, path.Base(guest))
		rows++
	}
	for _, listed := range tools.Catalogue() {
		op, _ := tools.Find(listed.Name)
		if op.Out == tools.OutNone {
			continue
		}
		properties, _ := op.Schema()["properties"].(map[string]any)
		kinds := []map[string]any{}
		for _, name := range []string{"format", "to"} {
			p, _ := properties[name].(map[string]any)
			choices, _ := p["enum"].([]string)
			for _, c := range choices {
				kinds = append(kinds, map[string]any{name: c})
			}
		}
		if len(kinds) == 0 {
			kinds = append(kinds, map[string]any{})
		}
		for _, name := range listed.Params["required"].([]string) {
			if p := properties[name].(map[string]any); p["enum"] == nil && p["type"] == "string" {
				for i := range kinds {
					kinds[i] = cloneWith(kinds[i], name, "something")
				}
			}
		}
		for _, params := range kinds {
			for _, in := range [][]string{{"a.b.png"}, {"Sea.HEIC"}, {"letters"}, {"a.png", "b.png"}}[:min(4, 2+listed.MaxIn)] {
				row(op, in, params)
			}
			if properties["names"] != nil {
				row(op, []string{"a.png"}, cloneWith(params, "names", []string{"inside.png"}))
			}
		}
	}
	out.WriteString("]\n")
	const file = "testdata/toolnames.json"
	if *updateNames {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s is stale: run go test ./app/toolcall -run TestToolNames -update-names", file)
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
}
