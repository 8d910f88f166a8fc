package access

import (
	"context"
	"errors"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/vmhost"
)

func client(folders []task.FolderRequest, scopes ...Scope) *Client {
	return &Client{Name: "ci", scopes: scopes, folders: folders, valid: context.Background()}
}

// What a client may start, and what its tasks are.
func TestStart(t *testing.T) {
	folders := []task.FolderRequest{{Path: "/ro", Mode: task.ModeReadOnly}, {Path: "/review", Mode: task.ModeReview}, {Path: "/rw", Mode: task.ModeReadWrite}}
	most := []Scope{Read, Tasks, Tools, AI, Decide}
	exec := func(change func(*tasks.StartRequest)) tasks.StartRequest {
		r := tasks.StartRequest{Kind: task.KindExec}
		change(&r)
		return r
	}
	folder := func(path string, mode task.Mode) tasks.StartRequest {
		return exec(func(r *tasks.StartRequest) { r.Folders = []task.FolderRequest{{Path: path, Mode: mode}} })
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
		"out of a folder":              {client(folders, most...), folder("/rw/../etc", "ro"), problem.CodeTokenFolder},
		"back into a folder":           {client(folders, Tasks), folder("/etc/../rw", "ro"), ""},
		"a plan that nobody sees":      {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Accept = true }), problem.CodeTokenScope},
		"the same, with decide":        {client(nil, Tasks, Decide), exec(func(r *tasks.StartRequest) { r.Accept = true }), ""},
		"all of the network":           {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Network = task.NetworkOn }), problem.CodeTokenScope},
		"a group of hosts":             {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Presets = []string{"x"} }), problem.CodeTokenScope},
		"a network that asks":          {client(nil, Tasks), exec(func(r *tasks.StartRequest) { r.Network = task.NetworkRestricted }), ""},
		"what other tasks have cached": {client(nil, most...), exec(func(r *tasks.StartRequest) { r.Cache = "x" }), problem.CodeTokenScope},
	} {
		r := row.r
		err := row.c.Start(&r)
		var p *problem.Problem
		if row.code == "" && err != nil || row.code != "" && (!errors.As(err, &p) || p.Code != row.code) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil || row.c.May(Manage) {
			continue
		}
		if !r.Agent || r.Client != "ci" || r.Requires == nil || r.Requires.AtLeast != vmhost.IsolationNamespace {
			t.Errorf("%s: %+v %+v", name, r.PolicyRequest, r.Requires)
		}
	}
}

// A request has the name of its token, whatever it says itself, and no weaker place.
func TestStartIsNobodyElse(t *testing.T) {
	forged := tasks.StartRequest{Kind: task.KindExec, PolicyRequest: task.PolicyRequest{Client: "other"}, MachineChoice: tasks.MachineChoice{Requires: &vmhost.Requirement{AtLeast: vmhost.IsolationNone}}}
	r := forged
	if err := client(nil, Tasks).Start(&r); err != nil || r.Client != "ci" || r.Requires.AtLeast != vmhost.IsolationNamespace {
		t.Errorf("%v %q %+v", err, r.Client, r.Requires)
	}
	r = forged
	if err := (*Client)(nil).Start(&r); err != nil || r.Client != "" || r.Agent {
		t.Errorf("the person: %v %q", err, r.Client)
	}
	r.Requires = &vmhost.Requirement{AtLeast: vmhost.IsolationHardware}
	if err := client(nil, Tasks).Start(&r); err != nil || r.Requires.AtLeast != vmhost.IsolationHardware {
		t.Errorf("a stronger place: %v %+v", err, r.Requires)
	}
	if forged.Requires.AtLeast != vmhost.IsolationNone {
		t.Error("the request of the caller was changed")
	}
}

// Files of an operation are in folders of the token.
func TestTool(t *testing.T) {
	c := client([]task.FolderRequest{{Path: "/home/me/In", Mode: task.ModeReadOnly}, {Path: "/srv/In", Mode: task.ModeReadWrite}}, Tools)
	call := func(out string, in ...string) toolcall.Call {
		return toolcall.Call{Op: "image.resize", In: in, Out: out, Params: map[string]any{"width": 100}}
	}
	r, err := c.Tool(call("/srv/In/b.png", "/home/me/In/x/a.png"))
	if err != nil || r.Kind != task.KindTool || len(r.Folders) != 2 || r.Tool.In[0] != "/folders/In/x/a.png" || r.Tool.Out[:9] != "/folders/" || r.Tool.Out == "/folders/In/b.png" {
		t.Fatalf("%v %+v", err, r.Tool)
	}
	if err := c.Start(&r); err != nil || r.Folders[0].Mode != task.ModeReadOnly {
		t.Errorf("%v %+v", err, r.Folders)
	}
	for _, bad := range []toolcall.Call{
		call("", "/etc/passwd"), call("", "/home/me/In/../secret"), call("", "/home/me/Inside/a.png"), call("", "a.png"),
		call("/tmp/b.png", "/srv/In/a.png"), call("/srv/In/../b.png", "/srv/In/a.png"),
	} {
		var p *problem.Problem
		if _, err := c.Tool(bad); !errors.As(err, &p) || p.Code != problem.CodeTokenFolder {
			t.Errorf("%v %q: %v", bad.In, bad.Out, err)
		}
	}
}
