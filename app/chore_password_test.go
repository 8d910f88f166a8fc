package app

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// secretive is a chore with a password, which it is asked for twice.
type secretive struct{ heard *[]any }

func (secretive) Info() chore.Info {
	return chore.Info{Name: "secretive", Needs: []string{}, Params: []chore.ParamInfo{
		{Name: "password", Type: chore.TypePassword, Default: ""}, {Name: "name", Type: "string", Default: "x"},
	}}
}

func (s secretive) Plan(_ context.Context, env chore.Env) (chore.Plan, error) {
	*s.heard = append(*s.heard, env.Params["password"], env.Params["name"])
	op := chore.Operation{Op: "file.hash", In: []chore.Input{{Path: "/folders/Trip/a", SHA256: "0"}}, Out: "/folders/Trip/b", Effect: chore.EffectCreate}
	return chore.Plan{
		V: chore.PlanVersion, Chore: "secretive", Params: chore.Recorded(s.Info(), env.Params), Operations: []chore.Operation{op}, Needs: []string{},
	}, nil
}

func (s secretive) Run(_ context.Context, env chore.Env, _ chore.Plan) (chore.Outcome, error) {
	*s.heard = append(*s.heard, env.Params["password"])
	return chore.Outcome{}, nil
}

// A password reaches the chore, and no file.
func TestChorePassword(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	find := tasks.FindChore
	t.Cleanup(func() { tasks.FindChore = find })
	var heard []any
	tasks.FindChore = func(string) (chore.Chore, bool) { return secretive{&heard}, true }
	request := func(params map[string]any) tasks.StartRequest {
		return tasks.StartRequest{Kind: task.KindChore, Chore: "secretive", Folders: []task.FolderRequest{{Path: dir}}, Params: params}
	}
	for _, wrong := range []map[string]any{nil, {"password": ""}, {"password": "two\nlines"}, {"password": 5}} {
		if _, err := c.StartTask(t.Context(), request(wrong)); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	const secret = "hunter2-ünder"
	id := w.start(c, request(map[string]any{"password": secret})).ID
	wait(id, task.StateWaiting)
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	done := wait(id, task.StateDone)
	if len(heard) != 3 || heard[0] != secret || heard[1] != "x" || heard[2] != secret {
		t.Errorf("%v", heard)
	}
	if _, ok := done.Params["password"]; ok || done.Params["name"] != "x" {
		t.Errorf("%v", done.Params)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(c.o.DataDir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("%s has the password", p)
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}
