package piwork

import (
	"errors"
	"testing"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
)

// A controller that runs already is used as one of the program's own.
func TestConnect(t *testing.T) {
	f := apitest.New(apitest.Script{Run: apitest.Run{Output: []task.OutputData{{Data: []byte("hi\n")}}}})
	a := api.New(api.Options{Service: f})
	t.Cleanup(a.Close)
	p := Connect(client.InProcess(a.Handler()))
	one, err := p.Run(t.Context(), []string{"echo", "hi"}, map[string]task.Mode{"/b": task.ModeReadOnly, "/a": task.ModeReview})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := one.Output(t.Context()); err != nil || string(out) != "hi\n" {
		t.Errorf("%v %q", err, out)
	}
	if rec, err := one.Wait(t.Context()); err != nil || rec.State != task.StateDone {
		t.Errorf("%v %v", err, rec.State)
	}
	if asked := f.Started()[0].Folders; len(asked) != 2 || asked[0] != (task.FolderRequest{Path: "/a", Mode: task.ModeReview}) {
		t.Errorf("%v", asked)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Each option is heard once, whoever has the data directory.
func TestOpenHearsOptionsOnce(t *testing.T) {
	for _, name := range []string{app.EnvDataDir, app.EnvConfigDir, app.EnvCacheDir} {
		t.Setenv(name, t.TempDir())
	}
	heard := 0
	p, err := Open(t.Context(), app.Options{}, func(*options) error { heard++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil || heard != 1 {
		t.Errorf("%v, heard %d times", err, heard)
	}
}

func TestRefused(t *testing.T) {
	f := apitest.New(apitest.Script{Refuse: map[string]error{"StartTask": problem.New(problem.CodeDenied)}})
	a := api.New(api.Options{Service: f})
	t.Cleanup(a.Close)
	var no *problem.Problem
	if _, err := Connect(client.InProcess(a.Handler())).Run(t.Context(), []string{"x"}, nil); !errors.As(err, &no) || no.Code != problem.CodeDenied {
		t.Error(err)
	}
}
