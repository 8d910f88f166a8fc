package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/pack/tools"
)

// Every parameter of every operation can be given on the command line, and
// arrives as what the operation takes it for.
func TestEveryOperationIsTyped(t *testing.T) {
	for _, d := range tools.Catalogue() {
		op, ok := tools.Find(d.Name)
		if !ok {
			t.Fatal(d.Name)
		}
		all := properties(d)
		required := map[string]any{}
		for _, name := range d.Params["required"].([]string) {
			required[name] = someText(all[name])
		}
		for name, p := range all {
			text := someText(p)
			set, err := flags.ParseSet([]string{name + "=" + text})
			if err != nil {
				t.Errorf("%s %s: %v", d.Name, name, err)
				continue
			}
			given := maps.Clone(required)
			maps.Copy(given, typed(d.Name, set))
			if _, err := op.Decode(given); err != nil {
				t.Errorf("%s --set %s=%s: %v", d.Name, name, text, err)
			}
			kinds := map[string]string{"integer": "int64", "number": "float64", "boolean": "bool"}
			if want := kinds[wording.Shown(p["type"])]; want != "" && fmt.Sprintf("%T", given[name]) != want {
				t.Errorf("%s --set %s=%s became a %T", d.Name, name, text, given[name])
			}
			if words := choices(p); strings.TrimSpace(words) == "" || strings.Contains(words, "map[") || strings.HasPrefix(words, "array") {
				t.Errorf("%s %s: it is said to be %q", d.Name, name, words)
			}
		}
	}
}

// someText is a value of a parameter as somebody would type it.
func someText(p map[string]any) string {
	if items, is := p["items"].(map[string]any); is {
		return someText(items)
	}
	switch list := p["enum"].(type) {
	case []string:
		return list[len(list)-1]
	case []any:
		return wording.Shown(list[len(list)-1])
	}
	switch p["type"] {
	case "integer":
		if low, is := p["minimum"]; is {
			return wording.Shown(low)
		}
		return "7"
	case "boolean":
		return "true"
	}
	return "a"
}

// What was reported names files as they are called here, and nothing else changes.
func TestReported(t *testing.T) {
	dir := t.TempDir()
	got := reported(task.Task{
		Folders: []task.Folder{{Path: dir, Name: "pictures"}},
		Report:  task.Report{Info: []any{map[string]any{"path": "/folders/pictures/a.jpg", "format": "/folders/pictures"}, map[string]any{"words": "a\x1b[2J"}}},
	})
	path, err := json.Marshal(filepath.Join(dir, "a.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`{"format":"/folders/pictures","path":` + string(path) + `}`, `{"words":"a\u001b[2J"}`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
