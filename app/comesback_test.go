package app

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

// A folder goes while a task works in it, and comes back. The problem says how the task goes on,
// it does go on so, and both parts can be taken back.
func TestFolderThatComesBack(t *testing.T) {
	memdir.OnDisk(t)
	for kind, tt := range map[string]struct {
		request func(dir string) tasks.StartRequest
		cause   string
		fix     string
		goOn    func(c *Controller, id string) (task.Task, error)
	}{
		"chore": {compress, "resume", problem.FixResume, func(c *Controller, id string) (task.Task, error) { return c.ResumeTask(context.Background(), id) }},
		"program": {func(dir string) tasks.StartRequest {
			return tasks.StartRequest{Kind: task.KindExec, Argv: []string{"make"}, Accept: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}}
		}, "again", problem.FixStartAgain, func(c *Controller, id string) (task.Task, error) {
			if _, err := c.ResumeTask(context.Background(), id); codeOf(err) != problem.CodeNotResumable {
				return task.Task{}, errors.Join(errors.New("a program is resumed"), err)
			}
			return c.StartAgain(context.Background(), id, tasks.AgainRequest{Accept: true})
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			dir := filepath.Join(w.base, "Scans")
			scans(t, dir)
			before := files(t, dir)
			away := dir + " away"
			var lost folders.Lost
			pull := true
			real := realShares(w)
			if kind == "chore" { // whose programs write past the share
				real = w.seams
			}
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Programs = choretest.Programs
				made := 0
				rt.After = func(p wire.ToolParams) error {
					if made++; pull && made == 2 && p.Out != "" {
						_ = os.Rename(dir, away)
						lost("f1", false)
					}
					return nil
				}
				rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
					if err := rt.Files.Write("/folders/Scans/"+map[bool]string{true: "half", false: "whole"}[pull], []byte("x")); err != nil || !pull {
						return wire.ExecResult{}, err
					}
					_ = os.Rename(dir, away)
					lost("f1", false)
					<-ctx.Done()
					return wire.ExecResult{}, context.Cause(ctx)
				}
				return nil
			}
			c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (s seams, err error) {
				s, err = real(ctx, o)
				share := s.share
				s.share = func(list []task.Folder, j history.Journal, g *guard.Guard, l folders.Lost) (folders.Share, error) {
					lost = l
					return share(list, j, g, l)
				}
				return s, err
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(context.Background())
			wait := w.listen(c)
			id := w.start(c, tt.request(dir)).ID
			got := wait(id, task.StateFailed)
			if got.Error.Code != problem.CodeFolderGone || got.Error.Cause != tt.cause || got.Error.Fix[0].Code != tt.fix {
				t.Fatalf("%+v", got.Error)
			}
			if now, err := c.ResumeTask(t.Context(), id); err == nil {
				t.Errorf("while the folder is away: %+v", now)
			}
			pull = false
			if err := os.Rename(away, dir); err != nil {
				t.Fatal(err)
			}
			half := files(t, dir)
			next, err := tt.goOn(c, id)
			if err != nil {
				t.Fatal(err)
			}
			if wait(next.ID, task.StateDone); len(files(t, dir)) <= len(half) || len(half) <= len(before) {
				t.Errorf("%d, %d and %d files", len(before), len(half), len(files(t, dir)))
			}
			for _, id := range []string{next.ID, id} {
				if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 {
					t.Errorf("%+v, %v", rep, err)
				}
			}
			if after := files(t, dir); !maps.Equal(before, after) {
				t.Errorf("undone: %v", after)
			}
		})
	}
}
