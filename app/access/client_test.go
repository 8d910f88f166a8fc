package access

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/vmhost"
)

func client(folders []task.FolderRequest, scopes ...Scope) *Client {
	return &Client{Name: "ci", id: "ci@12345678", scopes: scopes, folders: folders, valid: context.Background()}
}

// What a client may start, and what its tasks are.
func TestStart(t *testing.T) {
	base := realDir(t)
	at := func(name string) string { return filepath.Join(base, name) }
	var folders []task.FolderRequest
	for name, mode := range map[string]task.Mode{"ro": task.ModeReadOnly, "review": task.ModeReview, "rw": task.ModeReadWrite} {
		if err := os.Mkdir(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, task.FolderRequest{Path: at(name), Mode: mode})
	}
	most := []Scope{Read, Tasks, Tools, AI, Decide}
	exec := func(change func(*tasks.StartRequest)) tasks.StartRequest {
		r := tasks.StartRequest{Kind: task.KindExec}
		change(&r)
		return r
	}
	folder := func(path string, mode task.Mode) tasks.StartRequest {
		return exec(func(r *tasks.StartRequest) { r.Folders = []task.FolderRequest{{Path: base + path, Mode: mode}} })
	}
	for name, row := range map[string]struct {
		c    *Client
		r    tasks.StartRequest
		code string // "" is that it may
	}{
		"the person":                   {nil, folder("/anything", "rw"), ""},
		"manage":                       {client(nil, Manage), folder("/anything", "rw"), ""},
		"a program":                    {client(nil, Tasks), exec(func(*tasks.StartRequest) {}), ""},
		"a program, with tools alone":  {client(nil, Tools), exec(func(*tasks.StartRequest) {}), problem.CodeTokenScope},
		"a program, with read alone":   {client(nil, Read), exec(func(*tasks.StartRequest) {}), problem.CodeTokenScope},
		"an operation, with tasks":     {client(nil, Tasks), tasks.StartRequest{Kind: task.KindTool}, problem.CodeTokenScope},
		"an AI, with tasks":            {client(nil, Tasks), tasks.StartRequest{Kind: task.KindAI}, problem.CodeTokenScope},
		"an AI":                        {client(nil, AI), tasks.StartRequest{Kind: task.KindAI}, ""},
		"a kind that is none":          {client(nil, Tools, AI), tasks.StartRequest{Kind: "x"}, problem.CodeTokenScope},
		"a folder":                     {client(folders, Tasks), folder("/ro", "ro"), ""},
		"a folder, without a mode":     {client(folders, Tasks), folder("/rw", ""), ""},
		"a folder, with a slash":       {client(folders, Tasks), folder("/rw/", "ro"), ""},
		"more than its mode":           {client(folders, most...), folder("/ro", "rw"), problem.CodeTokenFolder},
		"review of what can be read":   {client(folders, most...), folder("/ro", "review"), problem.CodeTokenFolder},
		"writing what is reviewed":     {client(folders, most...), folder("/review", "rw"), problem.CodeTokenFolder},
		"a mode that is none":          {client(folders, most...), folder("/rw", "x"), problem.CodeTokenFolder},
		"a folder below":               {client(folders, most...), folder("/rw/sub", "ro"), problem.CodeTokenFolder},
		"a folder above":               {client(folders, most...), folder("/", "ro"), problem.CodeTokenFolder},
		"out of a folder":              {client(folders, most...), folder("/rw/../../etc", "ro"), problem.CodeTokenFolder},
		"back into a folder":           {client(folders, Tasks), folder("/etc/../rw", "ro"), ""},
		"a weaker place by name":       {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Runtime = vmhost.KindSandbox }), problem.CodeTokenScope},
		"another computer":             {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Runtime = "remote:lab" }), problem.CodeTokenScope},
		"a weaker place, with decide":  {client(nil, Tasks, Decide), exec(func(r *tasks.StartRequest) { r.Runtime = vmhost.KindSandbox }), ""},
		"a machine by name":            {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Runtime = vmhost.KindVM }), ""},
		"a plan that nobody sees":      {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Accept = true }), problem.CodeTokenScope},
		"the same, with decide":        {client(nil, Tasks, Decide), exec(func(r *tasks.StartRequest) { r.Accept = true }), ""},
		"all of the network":           {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Network = task.NetworkOn }), problem.CodeTokenScope},
		"a group of hosts":             {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Presets = []string{"x"} }), problem.CodeTokenScope},
		"a network that asks":          {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Network = task.NetworkRestricted }), ""},
		"what other tasks have cached": {client(nil, most...), exec(func(r *tasks.StartRequest) { r.Cache = "x" }), problem.CodeTokenScope},
	} {
		r := row.r
		err := row.c.Start(&r)
		if p, is := errors.AsType[*problem.Problem](err); row.code == "" && err != nil || row.code != "" && (!is || p.Code != row.code) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil || row.c == nil {
			continue
		}
		if !row.c.May(Manage) && !r.Agent {
			t.Errorf("%s: %+v", name, r.PolicyRequest)
		}
		for _, f := range r.Folders {
			if !row.c.May(Manage) && !f.Exact {
				t.Errorf("%s: a link may lead elsewhere: %+v", name, f)
			}
		}
	}
}

// What a client goes on with, or starts again, is no more than it may start.
func TestAgain(t *testing.T) {
	base := realDir(t)
	c := client([]task.FolderRequest{{Path: base, Mode: task.ModeReadOnly}}, Tasks)
	with := func(change func(*task.Task)) task.Task {
		rec := task.Task{Kind: task.KindExec, Folders: []task.Folder{{Path: base, Mode: task.ModeReadOnly}}, Asked: &task.Asked{}}
		change(&rec)
		return rec
	}
	for name, row := range map[string]struct {
		t       task.Task
		accept  bool
		runtime string
		may     bool
	}{
		"the same":                 {with(func(*task.Task) {}), false, "", true},
		"with a yes to its plan":   {with(func(*task.Task) {}), true, "", false},
		"in a weaker place":        {with(func(*task.Task) {}), false, vmhost.KindContainer, false},
		"a folder that was added":  {with(func(t *task.Task) { t.Folders = append(t.Folders, task.Folder{Path: "/etc", Mode: task.ModeReadOnly}) }), false, "", false},
		"another mode":             {with(func(t *task.Task) { t.Folders[0].Mode = task.ModeReadWrite }), false, "", false},
		"an AI":                    {with(func(t *task.Task) { t.Kind = task.KindAI }), false, "", false},
		"all of the network":       {with(func(t *task.Task) { t.Network = task.NetworkOn }), false, "", false},
		"what others have cached":  {with(func(t *task.Task) { t.Asked.Cache = "x" }), false, "", false},
		"what asked for a sandbox": {with(func(t *task.Task) { t.Asked.Runtime = vmhost.KindSandbox }), false, "", false},
		"a record from early on":   {with(func(t *task.Task) { t.Asked = nil }), false, "", true},
		"a folder that was taken":  {with(func(t *task.Task) { t.Folders = nil }), false, "", true},
	} {
		if err := c.Again(row.t, row.accept, row.runtime); (err == nil) != row.may {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// realDir is a directory without links in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Files of an operation are in folders of the token.
func TestTool(t *testing.T) {
	base := realDir(t)
	folders := []task.FolderRequest{}
	for _, f := range []task.FolderRequest{{Path: "a/In", Mode: task.ModeReadOnly}, {Path: "b/In", Mode: task.ModeReadWrite}, {Path: "c", Mode: task.ModeReadWrite}} {
		f.Path = filepath.Join(base, f.Path)
		if err := os.MkdirAll(f.Path, 0o700); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, f)
	}
	c := client(folders, Tools)
	call := func(op, out string, in ...string) toolcall.Call {
		for i := range in {
			in[i] = base + in[i]
		}
		if out != "" {
			out = base + out
		}
		return toolcall.Call{Op: op, In: in, Out: out}
	}
	for _, row := range []struct {
		call  toolcall.Call
		in    string
		modes []task.Mode
	}{
		{call("image.convert", "/b/In/b.png", "/a/In/x/a.png"), "/folders/In/x/a.png", []task.Mode{task.ModeReadOnly, task.ModeReadWrite}},
		{call("image.info", "", "/c/a.png"), "/folders/c/a.png", []task.Mode{task.ModeReadOnly}},
		{call("file.remove", "", "/c/a.png"), "/folders/c/a.png", []task.Mode{task.ModeReadOnly, task.ModeReadWrite, task.ModeReadWrite}},
	} {
		r, err := c.Tool(row.call)
		if err != nil {
			t.Errorf("%s: %v", row.call.Op, err)
			continue
		}
		var modes []task.Mode
		for _, f := range r.Folders {
			modes = append(modes, f.Mode)
		}
		if r.Tool.In[0] != row.in || !slices.Equal(modes, row.modes) || c.Start(&r) != nil {
			t.Errorf("%s: %q %v", row.call.Op, r.Tool.In, modes)
		}
	}
	for _, bad := range []toolcall.Call{
		call("image.info", "", "/etc/passwd"), call("image.info", "", "/a/In/../secret"), call("image.info", "", "/a/Inside/a.png"), {Op: "image.info", In: []string{"a.png"}},
		call("image.convert", "/b.png", "/b/In/a.png"), call("image.convert", "/b/In/../b.png", "/b/In/a.png"),
	} {
		var p *problem.Problem
		if _, err := c.Tool(bad); !errors.As(err, &p) || p.Code != problem.CodeTokenFolder {
			t.Errorf("%v %q: %v", bad.In, bad.Out, err)
		}
	}
}
