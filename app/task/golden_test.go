package task_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"piwork/app/chore"
	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// The golden files are records of version 1 as they stand on people's disks.
// They are never changed: a test that fails here means that a record was
// reshaped. New members get new golden files.

// goldens names the schema and the type of each golden file, by its prefix.
var goldens = map[string]func() any{
	"task":     func() any { return new(task.Task) },
	"plan":     func() any { return new(chore.Plan) },
	"change":   func() any { return new(journal.Change) },
	"question": func() any { return new(vmhost.Question) },
	"decision": func() any { return new(vmhost.Decision) },
	"problem":  func() any { return new(problem.Problem) },
}

// eventData is the type of an event's data, by its kind.
var eventData = map[task.EventKind]func() any{
	task.EventState:    func() any { return new(task.StateData) },
	task.EventStep:     func() any { return new(task.StepData) },
	task.EventPlan:     func() any { return new(chore.Plan) },
	task.EventProgress: func() any { return new(task.ProgressData) },
	task.EventOutput:   func() any { return new(task.OutputData) },
	task.EventProblem:  func() any { return new(problem.Problem) },
	task.EventResult:   func() any { return new(task.Result) },
	task.EventQuestion: func() any { return new(vmhost.Question) },
	task.EventDecision: func() any { return new(vmhost.Decision) },
	task.EventUndo:     func() any { return new(task.UndoData) },
	task.EventRedo:     func() any { return new(task.RedoData) },
	task.EventApply:    func() any { return new(task.ApplyData) },
	task.EventFolder:   func() any { return new(task.FolderData) },
	task.EventPack:     func() any { return new(task.PackData) },
	task.EventMessage:  func() any { return new(task.MessageData) },
	task.EventDelta:    func() any { return new(task.DeltaData) },
	task.EventTool:     func() any { return new(task.ToolData) },
	task.EventUsage:    func() any { return new(task.Usage) },
	task.EventNotice:   func() any { return new(task.NoticeData) },
	task.EventQueue:    func() any { return new(task.QueueData) },
	task.EventStatus:   func() any { return new(json.RawMessage) }, // setup.Report: of the API, not of the records
	task.EventCheck:    func() any { return new(json.RawMessage) }, // setup.Check: likewise
	task.EventUpdate:   func() any { return new(json.RawMessage) }, // updater.State: likewise
	task.EventMachines: func() any { return new(json.RawMessage) }, // app.Machines: likewise
	task.EventSettings: func() any { return new(struct{}) },
	task.EventReset:    func() any { return new(struct{}) },
	task.EventGone:     func() any { return new(struct{}) },
}

func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	files, err := fs.Glob(task.Schemas, "schema/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("schemas: %v, %v", files, err)
	}
	id := func(name string) string { return "urn:piwork:schema:1:" + name }
	var names []string
	for _, f := range files {
		data, err := task.Schemas.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if doc.(map[string]any)["$id"] != id(name) {
			t.Fatalf("%s has another id", f)
		}
		if err := c.AddResource(id(name), doc); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	out := map[string]*jsonschema.Schema{}
	for _, name := range names {
		s, err := c.Compile(id(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = s
	}
	return out
}

func validate(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// strict decodes and refuses members that the type does not know.
func strict(t *testing.T, data []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v\nin %s", err, data)
	}
}

func goldenFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files: %v, %v", files, err)
	}
	return files
}

func prefix(file string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	return name
}

func TestGoldenRecords(t *testing.T) {
	s := schemas(t)
	for _, file := range goldenFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, s[prefix(file)], data); err != nil {
				t.Errorf("does not fit its schema: %v", err)
			}
			v := goldens[prefix(file)]()
			strict(t, data, v)
			again, err := durable.MarshalKeeping(nil, nil, v)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, data) {
				t.Errorf("was\n%s\nis\n%s", data, again)
			}
		})
	}
}

func TestGoldenEvents(t *testing.T) {
	s := schemas(t)["event"]
	covered := map[task.EventKind]bool{}
	err := durable.ReadLines("testdata/golden/events.jsonl", func(n int64, line []byte) error {
		var raw json.RawMessage
		e := task.Event{Data: &raw}
		strict(t, line, &e)
		covered[e.Kind] = true
		if err := validate(t, s, line); err != nil {
			t.Errorf("line %d does not fit its schema: %v", n, err)
		}
		makeData := eventData[e.Kind]
		if makeData == nil {
			t.Fatalf("line %d: kind %q has no type", n, e.Kind)
		}
		data := makeData()
		strict(t, raw, data)
		e.Data = data
		again, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, line) {
			t.Errorf("line %d was\n%s\nis\n%s", n, line, again)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range eventKinds(t) {
		if !covered[kind] {
			t.Errorf("no golden line for events of kind %q", kind)
		}
	}
}

// eventKinds reads the constants of type EventKind from the source, so that a
// new one cannot be forgotten here.
func eventKinds(t *testing.T) []task.EventKind {
	t.Helper()
	var out []task.EventKind
	collect := func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "EventKind" {
			s, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, task.EventKind(s))
		}
		return true
	}
	for _, file := range []string{"record.go", "ai.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, collect)
	}
	if len(out) < 10 {
		t.Fatalf("found only %v", out)
	}
	return out
}

// Every member of every record stands in some golden file and in the schema: a
// member that was renamed or dropped cannot hide.
func TestGoldenFilesAreComplete(t *testing.T) {
	s := schemas(t)
	for name, newRecord := range goldens {
		seen := map[string]bool{}
		for _, file := range goldenFiles(t) {
			if prefix(file) != name {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var doc any
			if err := json.Unmarshal(data, &doc); err != nil {
				t.Fatal(err)
			}
			collect(doc, "", seen)
		}
		for _, path := range members(reflect.TypeOf(newRecord()).Elem(), "") {
			if !seen[path] {
				t.Errorf("%s: member %s stands in no golden file", name, path)
			}
		}
		known := s[name].Properties
		for _, path := range members(reflect.TypeOf(newRecord()).Elem(), "") {
			if top := strings.Split(strings.TrimPrefix(path, "."), ".")[0]; known[strings.TrimSuffix(top, "[]")] == nil {
				t.Errorf("%s: member %s stands not in the schema", name, top)
			}
		}
	}
}

// collect lists the paths of all members of a document, as ".folders[].id".
func collect(doc any, at string, into map[string]bool) {
	switch v := doc.(type) {
	case map[string]any:
		for name, sub := range v {
			into[at+"."+name] = true
			collect(sub, at+"."+name, into)
		}
	case []any:
		for _, sub := range v {
			collect(sub, at+"[]", into)
		}
	}
}

// members lists the same for a type.
func members(typ reflect.Type, at string) []string {
	switch typ.Kind() {
	case reflect.Pointer:
		return members(typ.Elem(), at)
	case reflect.Slice:
		return members(typ.Elem(), at+"[]")
	case reflect.Struct:
		if typ.PkgPath() == "time" {
			return nil
		}
		var out []string
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Anonymous { // its members stand beside the others
				out = append(out, members(f.Type, at)...)
				continue
			}
			if f.Tag.Get("words") != "" || f.Tag.Get("json") == "-" { // never stored
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			path := at + "." + name
			out = append(append(out, path), members(f.Type, path)...)
		}
		return out
	default:
		return nil
	}
}

// The schemas refuse what is not a record: each row spoils a golden file.
func TestSchemasRefuse(t *testing.T) {
	s := schemas(t)
	rows := []struct{ file, old, new string }{
		{"task-chore.json", `"v": 1`, `"v": 2`},
		{"task-chore.json", `"state": "done"`, `"state": "finished"`},
		{"task-chore.json", `"mode": "rw"`, `"mode": "w"`},
		{"task-chore.json", `"id": "0194`, `"id": "../0194`},
		{"task-chore.json", `"network": "off"`, `"net": "off"`},
		{"task-chore.json", `"path": "Pictures.pdf"`, `"path": "/etc/passwd"`},
		{"task-exec.json", `"exitCode": 3`, `"exitCode": "3"`},
		{"task-exec.json", `2026-03-01T10:00:00Z`, `2026-03-01T10:00:00+01:00`},
		{"plan.json", `"effect": "create"`, `"effect": "replace"`},
		{"plan.json", `"sha256": "`, `"sha256": "x`},
		{"plan.json", `"in": [`, `"inputs": [`},
		{"change-move.json", `"from": "a.jpg"`, `"was": "a.jpg"`},
		{"change-create.json", `"mode": 420`, `"mode": "0644"`},
		{"question.json", `"kind": "delete"`, `"kind": "remove"`},
		{"question-risk.json", `"risk": "high"`, `"risk": "higher"`},
		{"decision.json", `"answer": "allow"`, `"answer": "yes"`},
		{"problem.json", `"severity": "blocking"`, `"severity": "fatal"`},
		{"problem.json", `"code": "accel-unavailable"`, `"code": "Acceleration is unavailable"`},
		{"problem.json", `"fix": [`, `"fixes": [`},
	}
	for _, r := range rows {
		data, err := os.ReadFile(filepath.Join("testdata/golden", r.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte(r.old)) {
			t.Errorf("%s has no %s", r.file, r.old)
			continue
		}
		bad := bytes.ReplaceAll(data, []byte(r.old), []byte(r.new))
		if validate(t, s[prefix(r.file)], bad) == nil {
			t.Errorf("%s: %s is accepted", r.file, r.new)
		}
	}
}
