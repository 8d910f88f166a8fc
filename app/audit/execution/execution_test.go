package execution

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/traffic"
	"piwork/vmhost/wire"
)

func testLog(t *testing.T) *audit.Log {
	t.Helper()
	dir := t.TempDir()
	key, err := audit.OpenKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	log, _, _, err := audit.Open(dir, audit.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// What a person calls their things is in no record, and what was done is.
func TestNamesAreDigests(t *testing.T) {
	log := testLog(t)
	x := Execution{ID: "t/1", Task: "t", Request: "r1", Client: "ci@1"}
	at := Place{Capabilities: vmhost.Capabilities{Name: "vm"}, Network: task.NetworkOff, Folders: []task.Folder{{Path: "/home/kim/Diary", Mode: task.ModeReadOnly}}}
	const file = "/folders/Diary/love.txt"
	for _, row := range []struct {
		a    vmhost.Action
		want string
	}{
		{vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/usr/bin/grep", "love"}, Env: map[string]string{"TOKEN": "love"}}}, `"action":"exec","program":"grep"`},
		{vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/folders/Diary/love.sh"}}}, `"action":"exec","args"`},
		{vmhost.Action{Tool: &wire.ToolParams{Op: "pdf.merge", In: []string{file}, Out: file, Params: map[string]any{"title": "love"}}}, `"action":"tool","op":"pdf.merge"`},
		{vmhost.Action{File: &wire.FileParams{Op: wire.FileWrite, Path: file}, Data: []byte("my love")}, `"content":"` + string(log.Digest("my love"))},
		{vmhost.Action{File: &wire.FileParams{Op: wire.FileRead, Path: file}}, `"in":["` + string(log.Digest(file))},
		{vmhost.Action{Fetch: &wire.FetchParams{URL: "https://love@example.org:8443/love?love", Into: file}}, `"hosts":["example.org"]`},
		{vmhost.Action{Page: &wire.PageParams{Steps: []wire.PageStep{{Do: wire.PageOpen, URL: "https://example.org/love"}, {Do: wire.PageOpen, URL: "https://example.org/b"}, {Do: wire.PageType, Text: "love"}}}}, `"hosts":["example.org"]`},
	} {
		data, err := json.Marshal(x.Begin(log.Key, at, row.a))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"love", "Diary", "kim"} {
			if strings.Contains(string(data), name) {
				t.Errorf("%q is in %s", name, data)
			}
		}
		for _, want := range []string{row.want, `"request":"r1"`, `"client":"ci@1"`, string(log.Digest("/home/kim/Diary"))} {
			if !strings.Contains(string(data), want) {
				t.Errorf("no %s in %s", want, data)
			}
		}
	}
	many := slices.Repeat([]string{file}, 5*audit.MaxPaths)
	if r := x.Begin(log.Key, at, vmhost.Action{Tool: &wire.ToolParams{In: many}}); len(r.In) != audit.MaxPaths || r.Inputs != len(many) {
		t.Errorf("%d of %d", len(r.In), r.Inputs)
	}
}

// The end of an execution has how long it took, and says where nothing came of it.
func TestEndSaysHowItWent(t *testing.T) {
	broken := func(path string) wire.ToolProblem { return wire.ToolProblem{Code: "input-broken", Path: path} }
	for name, row := range map[string]struct {
		in   []string
		obs  vmhost.Observation
		err  error
		ms   int64
		code string
	}{
		"a file":                    {nil, vmhost.Observation{File: &wire.FileResult{}}, nil, 1500, ""},
		"a fetch":                   {nil, vmhost.Observation{Fetch: &wire.FetchResult{}}, nil, 1500, ""},
		"a page":                    {nil, vmhost.Observation{Page: &wire.PageResult{}}, nil, 1500, ""},
		"a failure":                 {nil, vmhost.Observation{}, problem.New(problem.CodeTimeout), 1500, problem.CodeTimeout},
		"a program":                 {nil, vmhost.Observation{Exec: &wire.ExecResult{WallMS: 7}}, nil, 7, ""},
		"all inputs of a tool fail": {[]string{"a", "b"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{broken("a"), broken("b")}}}, nil, 7, "input-broken"},
		"one of two":                {[]string{"a", "b"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{broken("a")}}}, nil, 7, ""},
		"of an archive some":        {[]string{"a"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{broken("a")}, Out: []wire.ToolFile{{Path: "x"}}}}, nil, 7, ""},
		"facts of some":             {[]string{"a"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{broken("a")}, Info: []any{1}}}, nil, 7, ""},
		"a full answer":             {[]string{"a"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{{Code: tools.MoreResults, Path: "a"}}}}, nil, 7, ""},
		"the whole":                 {[]string{"a"}, vmhost.Observation{Tool: &wire.ToolResult{WallMS: 7, Problems: []wire.ToolProblem{{Code: "disk-full"}}}}, nil, 7, "disk-full"},
	} {
		x := Execution{ID: "t/1", Task: "t", In: row.in, Took: 1500 * time.Millisecond}
		if r := x.End(row.obs, row.err); r.WallMS != row.ms || r.Problem != row.code {
			t.Errorf("%s: %d ms, %q", name, r.WallMS, r.Problem)
		}
	}
}

func TestTrafficIsRecorded(t *testing.T) {
	log := testLog(t)
	x := Execution{Task: "t", Client: "ci@1"}
	if err := x.Traffic(log, audit.PurposeModel, []traffic.Total{{Host: "a", Out: 1, In: 2, Times: 3}, {Host: "b", Port: 80}}); err != nil {
		t.Fatal(err)
	}
	p, err := log.Records(t.Context(), audit.Filter{About: "a"})
	if err != nil || len(p.Records) != 1 || fmt.Sprint(p.Records[0].Traffic) != "{a 0 model 1 2 3}" || p.Records[0].Client != "ci@1" {
		t.Errorf("%+v, %v", p, err)
	}
}
