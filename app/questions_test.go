package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// deleter is a world whose programs delete, through the guard of their task, as
// many originals as their first argument has characters, and end with how many
// they could not.
type deleter struct {
	*world
	c *Controller

	mu     sync.Mutex
	steps  []string // of machines: "pause", "resume"
	paused chan struct{}
}

// still is a runtime that can stand still.
type still struct {
	vmhost.Runtime
	d *deleter
}

func (s still) Pause(context.Context) error {
	s.d.note("pause")
	s.d.paused <- struct{}{}
	return nil
}
func (s still) Resume(context.Context) error { s.d.note("resume"); return nil }

func (d *deleter) note(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps = append(d.steps, s)
}

func newDeleter(t *testing.T) *deleter {
	w := newWorld(t)
	d := &deleter{world: w, c: w.open(), paused: make(chan struct{}, 100)}
	d.c.Patience = time.Hour
	var guards, pulled sync.Map // by the first folder
	d.c.s.share = func(folders []task.Folder, j history.Journal, g *guard.Guard, lost folders.Lost) (folders.Share, error) {
		guards.Store(folders[0].Path, g)
		pulled.Store(folders[0].Path, func() { lost(folders[0].ID, false) })
		g.Folder(folders[0].ID, folders[0].Name, 1000)
		return w.share(folders, j, g, lost)
	}
	d.c.s.machine = func(s vm.Config) (vmhost.Runtime, error) {
		rt, err := w.machine(s)
		if err != nil {
			return nil, err
		}
		w.all()[len(w.all())-1].Exec = func(ctx context.Context, p wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			g, _ := guards.Load(s.Env.WritableRoots[0])
			if p.Argv[0] == "pull" { // the stick out
				pull, _ := pulled.Load(s.Env.WritableRoots[0])
				pull.(func())()
				<-ctx.Done()
				return wire.ExecResult{}, ctx.Err()
			}
			refused := 0
			for i := range p.Argv[1] {
				if p.Argv[0] == "dd" { // writes that many GiB
					if share.Settle(ctx, func() error { return g.(*guard.Guard).Write("f1", "big.bin", 1<<30) }) != nil {
						refused++
					}
					continue
				}
				err := share.Settle(ctx, func() error {
					_, err := g.(*guard.Guard).Take(guard.Intent{Folder: "f1", Path: fmt.Sprintf("%02d.jpg", i), Effect: guard.Delete, Original: true})
					return err
				})
				if err != nil {
					refused++
				}
			}
			return wire.ExecResult{ExitCode: refused}, nil
		}
		return still{rt, d}, nil
	}
	return d
}

// delete starts a task that deletes n originals of dir.
func (d *deleter) delete(dir string, n int, accept bool) task.Task {
	d.t.Helper()
	return d.start(d.c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"rm", strings.Repeat("x", n)}, Accept: accept,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}})
}

// question waits for the open question of a task.
func (d *deleter) question(id string) vmhost.Question {
	d.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		list, err := d.c.Questions(d.t.Context(), id)
		if err != nil {
			d.t.Fatal(err)
		}
		if len(list) == 1 {
			return list[0]
		}
	}
	now, err := d.c.Task(d.t.Context(), id)
	d.t.Fatalf("no question: %+v %v", now, err)
	return vmhost.Question{}
}

func (d *deleter) say(id, question string, r consent.AnswerRequest) {
	d.t.Helper()
	got, err := d.c.Answer(d.t.Context(), id, question, r)
	if err != nil || got.ID != question || got.Answer != r.Answer {
		d.t.Fatalf("%+v %v", got, err)
	}
}

const free = 5 // of guard.ForCommands

// A task whose disk is pulled out ends at once, and says which folder it was.
func TestFolderThatGoesEndsTheTask(t *testing.T) {
	d := newDeleter(t)
	wait := d.listen(d.c)
	dir := d.pictures("a.png")
	began := d.start(d.c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"pull", "it"}, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}})
	got := wait(began.ID, task.StateFailed)
	if got.Error.Code != problem.CodeFolderGone || got.Error.Params["path"] != dir || got.Error.Params["name"] != filepath.Base(dir) {
		t.Errorf("%q %v", got.Error.Code, got.Error.Params)
	}
}

// A task that writes more than its share waits for a yes, and one that would fill the disk
// is over: the computer keeps what is left.
func TestWritingMuchWaitsAndAFullDiskStops(t *testing.T) {
	d := newDeleter(t)
	d.diskMB = 100 << 10
	wait := d.listen(d.c)
	write := func(gib int) task.Task {
		return d.start(d.c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"dd", strings.Repeat("x", gib)},
			Folders: []task.FolderRequest{{Path: d.pictures("a.png"), Mode: task.ModeReadWrite}}})
	}
	if got := wait(write(3).ID, task.StateDone); *got.ExitCode != 0 {
		t.Errorf("%+v", got)
	}
	asks := func(began task.Task, limit int64) vmhost.Question { // before the piece that is too much
		t.Helper()
		q := d.question(began.ID)
		if written := q.Text.Params["bytes"].(int64); q.Text.Code != "guard-write-much" || written > limit || written <= limit-1<<30 {
			t.Errorf("%d: %+v", limit, q)
		}
		return q
	}
	began := write(6)
	q := asks(began, guard.DefaultWrites)
	d.world.mu.Lock()
	d.diskMB = 900
	d.world.mu.Unlock()
	d.say(began.ID, q.ID, consent.AnswerRequest{Answer: "allow", Scope: "task"})
	got := wait(began.ID, task.StateFailed)
	if got.Error.Code != problem.CodeDiskFull || got.Error.Cause != "folder-disk-full" || got.Error.Params["freeBytes"] != float64(900<<20) {
		t.Errorf("%q %v", got.Error.Cause, got.Error.Params)
	}
	d.world.mu.Lock()
	d.diskMB = 100 << 10
	d.world.mu.Unlock()
	if k, err := d.c.UndoKeeping(t.Context()); err != nil || k.Settings.WriteMB != history.DefaultWriteMB {
		t.Errorf("%+v %v", k, err)
	}
	if _, err := d.c.SetUndoKeeping(t.Context(), history.UndoSettings{WriteMB: 1000}); err != nil {
		t.Fatal(err)
	}
	began = write(3)
	q = asks(began, 1_000_000_000)
	d.say(began.ID, q.ID, consent.AnswerRequest{Answer: "allow", Scope: "task"})
	wait(began.ID, task.StateDone)
	for _, mb := range []int{-1, history.MinUndoMB - 1, history.MaxUndoMB + 1} {
		if _, err := d.c.SetUndoKeeping(t.Context(), history.UndoSettings{WriteMB: mb}); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%d MB: %v", mb, err)
		}
	}
}

func TestQuestion(t *testing.T) {
	for _, x := range []struct {
		r    consent.AnswerRequest
		exit int
	}{
		{consent.AnswerRequest{Answer: "allow", Scope: "task"}, 0},
		{consent.AnswerRequest{Answer: "allow", Scope: "once"}, 0},
		{consent.AnswerRequest{Answer: "deny"}, 50 - free},
		{consent.AnswerRequest{Answer: "deny", Unattended: true}, 50 - free},
	} {
		t.Run(fmt.Sprintf("%+v", x.r), func(t *testing.T) {
			d := newDeleter(t)
			wait := d.listen(d.c)
			began := d.delete(d.pictures("a.png"), 50, false)
			q := d.question(began.ID)
			if q.Kind != vmhost.AskMassChange || !strings.HasPrefix(q.ID, "q1-") || q.Text.Code != "guard-delete-many" || q.Text.Params["done"] != free || !slices.Equal(q.Items, []string{"05.jpg"}) {
				t.Errorf("%+v", q)
			}
			waiting := wait(began.ID, task.StateWaiting)
			if _, err := d.c.AcceptPlan(t.Context(), began.ID); codeOf(err) != problem.CodeTaskNotWaiting {
				t.Errorf("a question was taken for a plan: %v", err)
			}
			if waiting.Ended != nil {
				t.Errorf("%+v", waiting)
			}
			for _, bad := range []struct {
				task, id string
				r        consent.AnswerRequest
				code     string
			}{
				{began.ID, "q2", consent.AnswerRequest{Answer: "allow"}, problem.CodeQuestionOver},
				{began.ID, q.ID, consent.AnswerRequest{Answer: "perhaps"}, problem.CodeBadRequest},
				{began.ID, q.ID, consent.AnswerRequest{Answer: "allow", Scope: "ever"}, problem.CodeBadRequest},
				{began.ID, q.ID, consent.AnswerRequest{Answer: "allow", Unattended: true}, problem.CodeBadRequest},
				{"019b0000-0000-7000-8000-000000000000", q.ID, consent.AnswerRequest{Answer: "allow"}, problem.CodeNotFound},
			} {
				if _, err := d.c.Answer(t.Context(), bad.task, bad.id, bad.r); codeOf(err) != bad.code {
					t.Errorf("%+v: %v", bad, err)
				}
			}
			d.say(began.ID, q.ID, x.r)
			state := task.StateDone
			if x.exit > 0 {
				state = task.StateFailed
			}
			got := wait(began.ID, state)
			if *got.ExitCode != x.exit {
				t.Errorf("%+v: exit %d", x.r, *got.ExitCode)
			}
			k := strings.Join(d.kinds(d.c, began.ID), " ")
			if want := "step:run question: state:waiting step:accept decision:" + x.r.Answer + " state:running step:run state:"; !strings.Contains(k, want) {
				t.Errorf("timeline %s", k)
			}
			if _, err := d.c.Answer(t.Context(), began.ID, q.ID, x.r); codeOf(err) != problem.CodeQuestionOver {
				t.Errorf("answered twice: %v", err)
			}
			by := map[bool]string{false: "person", true: "default"}[x.r.Unattended]
			found := slices.ContainsFunc(d.audit(d.c), func(r audit.Record) bool {
				return r.Event == audit.EventDecision && r.Task == began.ID && r.Question == q.ID && r.Answer == x.r.Answer && r.By == by && r.Topic == "delete"
			})
			if !found {
				t.Error("the decision is not in the audit log")
			}
			if rules, err := d.c.Rules(t.Context()); err != nil || len(rules) != 0 {
				t.Errorf("rules after the end of the task: %+v %v", rules, err)
			}
		})
	}
}

// Who said yes beforehand is not asked, and it is recorded.
func TestQuestionAcceptedBeforehand(t *testing.T) {
	d := newDeleter(t)
	wait := d.listen(d.c)
	began := d.delete(d.pictures("a.png"), 50, true)
	if got := wait(began.ID, task.StateDone); *got.ExitCode != 0 {
		t.Errorf("%+v", got)
	}
	if k := strings.Join(d.kinds(d.c, began.ID), " "); !strings.Contains(k, "decision:allow") || strings.Contains(k, "waiting") {
		t.Errorf("timeline %s", k)
	}
	for _, r := range d.audit(d.c) {
		if r.Event == audit.EventDecision && r.By != "beforehand" {
			t.Errorf("nobody was asked, and the audit log says %+v", r)
		}
	}
}

// A yes beforehand is to what the command does here: what leaves this computer is asked
// about all the same.
func TestBeforehandIsNotTheNetwork(t *testing.T) {
	c := newWorld(t).open()
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI, Accept: true})
	done := make(chan vmhost.Decision, 1)
	go func() {
		d, err := l.Gate().AskNetwork(l.Context(), vmhost.Question{ID: "x", Kind: vmhost.AskNetwork, Items: []string{"evil.example"},
			Text: vmhost.Text{Code: "network-connect", Params: map[string]any{"host": "evil.example", "port": 443, "pattern": "evil.example"}}})
		if err != nil {
			t.Error(err)
		}
		done <- d
	}()
	d := &deleter{world: &world{t: t}, c: c}
	q := d.question(l.ID())
	d.say(l.ID(), q.ID, consent.AnswerRequest{Answer: "deny"})
	if got := <-done; got.Answer != "deny" || got.By != "person" {
		t.Errorf("%+v", got)
	}
	if rules := c.rules.All(); len(rules) != 0 {
		t.Errorf("%+v", rules)
	}
}

// A yes to one command covers that one, unless more was said, and no more than was
// offered.
func TestYesIsForOnce(t *testing.T) {
	c := newWorld(t).open()
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
	d := &deleter{world: &world{t: t}, c: c}
	ask := func(command string, answer consent.AnswerRequest) vmhost.Decision {
		t.Helper()
		done := make(chan vmhost.Decision, 1)
		go func() {
			got, err := l.Gate().AskAgent(l.Context(), vmhost.Question{ID: command, Kind: vmhost.AskCommand, Items: []string{}, Text: vmhost.Text{
				Code: "agent-command", Params: map[string]any{"tool": "bash", "command": command, "effects": []string{"unknown"}}}})
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		q := d.question(l.ID())
		if !slices.Equal(q.Scopes, []string{"once", "task"}) {
			t.Errorf("offered %v", q.Scopes)
		}
		if _, err := c.Answer(t.Context(), l.ID(), q.ID, consent.AnswerRequest{Answer: "allow", Scope: "always"}); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("more than was offered: %v", err)
		}
		d.say(l.ID(), q.ID, answer)
		return <-done
	}
	if got := ask("python3 count.py", consent.AnswerRequest{Answer: "allow"}); got.Answer != "allow" || got.Scope != "once" {
		t.Errorf("%+v", got)
	}
	if got := ask("python3 -c 'import shutil'", consent.AnswerRequest{Answer: "deny"}); got.Answer != "deny" || got.Scope != "once" {
		t.Errorf("%+v", got)
	}
	if got := ask("python3 again.py", consent.AnswerRequest{Answer: "allow", Scope: "task"}); got.Answer != "allow" || got.Scope != "task" {
		t.Errorf("%+v", got)
	}
}

// Who refuses everything else is not asked again: what waits is refused, and what
// comes. Nor is a person asked for ever by a task that was told no so often.
func TestRefusesTheRest(t *testing.T) {
	for name, told := range map[string]struct {
		r           consent.AnswerRequest
		asks, waits int // before everything is refused, and how many of them wait at a time
	}{
		"said so":          {consent.AnswerRequest{Answer: "deny", Rest: true}, 3, 3},
		"told no so often": {consent.AnswerRequest{Answer: "deny"}, consent.MaxDenied, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.open()
			l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
			heard := make(chan vmhost.Decision, told.waits)
			ask := func() {
				d, err := l.Gate().AskAgent(l.Context(), vmhost.Question{ID: "x", Kind: vmhost.AskCommand, Items: []string{},
					Text: vmhost.Text{Code: "agent-confirm", Params: map[string]any{"title": "Sure?"}}})
				if err != nil {
					t.Error(err)
				}
				heard <- d
			}
			for range told.asks / told.waits {
				var open []vmhost.Question
				for range told.waits {
					go ask()
				}
				for len(open) < told.waits {
					open, _ = c.Questions(t.Context(), l.ID())
				}
				if _, err := c.Answer(t.Context(), l.ID(), open[0].ID, consent.AnswerRequest{Answer: "allow", Rest: true}); codeOf(err) != problem.CodeBadRequest {
					t.Errorf("everything was allowed: %v", err)
				}
				if _, err := c.Answer(t.Context(), l.ID(), open[0].ID, told.r); err != nil {
					t.Fatal(err)
				}
				for range told.waits {
					if d := <-heard; d.Answer != "deny" || d.By != "person" {
						t.Errorf("%+v", d)
					}
				}
			}
			for range 3 {
				go ask()
				for waits := true; waits; {
					select {
					case d := <-heard:
						if waits = false; d.Answer != "deny" || d.By != "rule" {
							t.Errorf("%+v", d)
						}
					case <-time.After(time.Millisecond):
						if open, _ := c.Questions(t.Context(), l.ID()); len(open) > 0 {
							t.Fatalf("it asks again: %+v", open)
						}
					}
				}
			}
			l.Settle()
			k := strings.Join(w.kinds(c, l.ID()), " ")
			if strings.Count(k, "question:") != told.asks || strings.Count(k, "notice:questions-refused") != 1 {
				t.Errorf("timeline %s", k)
			}
		})
	}
}

// While a person thinks the machine stands still; it goes on with the answer, and
// with the end of the task.
func TestMachineStandsStill(t *testing.T) {
	d := newDeleter(t)
	d.c.Patience = time.Millisecond
	wait := d.listen(d.c)
	began := d.delete(d.pictures("a.png"), 50, false)
	<-d.paused
	d.say(began.ID, d.question(began.ID).ID, consent.AnswerRequest{Answer: "allow"})
	wait(began.ID, task.StateDone)

	began = d.delete(d.pictures("a.png"), 50, false)
	<-d.paused
	if _, err := d.c.CancelTask(t.Context(), began.ID); err != nil {
		t.Error(err)
	}
	wait(began.ID, task.StateCancelled)
	if list, err := d.c.Questions(t.Context(), ""); len(list) != 0 || err != nil {
		t.Errorf("%+v %v", list, err)
	}
	if want := []string{"pause", "resume", "pause", "resume"}; !slices.Equal(d.steps, want) {
		t.Errorf("%q", d.steps)
	}
}

// What was decided for longer is not asked again, is listed, survives the program,
// and can be taken back, for tasks that run too.
func TestRules(t *testing.T) {
	d := newDeleter(t)
	wait := d.listen(d.c)
	dir, other := d.pictures("a.png"), d.pictures("a.png")
	began := d.delete(dir, 50, false)
	d.say(began.ID, d.question(began.ID).ID, consent.AnswerRequest{Answer: "allow", Scope: "folder"})
	wait(began.ID, task.StateDone)
	rules, err := d.c.Rules(t.Context())
	if err != nil || len(rules) != 1 || rules[0].Folder != began.Folders[0].Path || rules[0].Topic != "delete" || rules[0].Answer != "allow" {
		t.Fatalf("%+v %v", rules, err)
	}
	kept, err := approval.OpenRules(filepath.Join(d.c.o.ConfigDir, consent.RulesName), time.Now, nil)
	if err != nil || !reflect.DeepEqual(kept.All(), rules) {
		t.Errorf("on the disk: %+v %v", kept.All(), err)
	}

	began = d.delete(dir, 50, false) // by the rule
	wait(began.ID, task.StateDone)
	var byRule int
	for _, r := range d.audit(d.c) {
		if r.Task == began.ID && r.By == "rule" {
			byRule++
		}
	}
	if k := strings.Join(d.kinds(d.c, began.ID), " "); byRule != 1 || !strings.Contains(k, "decision:allow") || strings.Contains(k, "question") {
		t.Errorf("%d records, timeline %s", byRule, k)
	}

	began = d.delete(other, 50, false) // another folder
	q := d.question(began.ID)
	d.say(began.ID, q.ID, consent.AnswerRequest{Answer: "deny", Scope: "always"})
	wait(began.ID, task.StateFailed)

	if err := d.c.RemoveRule(t.Context(), "nothing"); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	rules, _ = d.c.Rules(t.Context())
	for _, r := range rules {
		if err := d.c.RemoveRule(t.Context(), r.ID); err != nil {
			t.Error(err)
		}
	}
	began = d.delete(dir, 50, false)
	d.question(began.ID) // asked again
	if _, err := d.c.CancelTask(t.Context(), began.ID); err != nil {
		t.Error(err)
	}
	if n := len(slices.DeleteFunc(d.audit(d.c), func(r audit.Record) bool { return r.Answer != "revoked" })); n != 2 {
		t.Errorf("%d revocations in the audit log", n)
	}
}

// A plan grants what it says.
func TestGrants(t *testing.T) {
	folders := []task.Folder{{ID: "f1", Name: "A"}, {ID: "f2", Name: "A b"}}
	in := func(paths ...string) (out []chore.Input) {
		for _, p := range paths {
			out = append(out, chore.Input{Path: p})
		}
		return out
	}
	for _, x := range []struct {
		op   chore.Operation
		want []guard.Grant
	}{
		{chore.Operation{In: in("/folders/A/1.jpg"), Out: "/folders/A/all.pdf", Effect: chore.EffectCreate},
			[]guard.Grant{{Folder: "f1", Path: "all.pdf", Effect: guard.Create}}},
		{chore.Operation{In: in("/folders/A b/x/t.csv"), Out: "/folders/A b/x/t.csv", Effect: chore.EffectChange},
			[]guard.Grant{{Folder: "f2", Path: "x/t.csv", Effect: guard.Create}, {Folder: "f2", Path: "x/t.csv", Effect: guard.Change}}},
		{chore.Operation{In: in("/folders/A/1.jpg"), Out: "/folders/A/2024/1.jpg", Effect: chore.EffectMove},
			[]guard.Grant{{Folder: "f1", Path: "1.jpg", To: "2024/1.jpg", Effect: guard.Move}}},
		{chore.Operation{In: in("/folders/A/1.jpg"), Out: "/folders/A b/1.jpg", Effect: chore.EffectMove},
			[]guard.Grant{{Folder: "f1", Path: "1.jpg", Effect: guard.Delete}, {Folder: "f2", Path: "1.jpg", Effect: guard.Create}}},
		{chore.Operation{In: in("/folders/A/1.jpg", "/folders/A/2.jpg"), Effect: chore.EffectDelete},
			[]guard.Grant{{Folder: "f1", Path: "1.jpg", Effect: guard.Delete}, {Folder: "f1", Path: "2.jpg", Effect: guard.Delete}}},
		{chore.Operation{In: in("/folders/A/../B/1.jpg", "/folders/A", "/etc/passwd", "/work/x"), Effect: chore.EffectDelete}, nil},
		{chore.Operation{Out: "/work/out/x.pdf", Effect: chore.EffectCreate}, nil},
	} {
		got := consent.Grants(chore.Plan{Operations: []chore.Operation{x.op}}, folders)
		if !slices.Equal(got, x.want) {
			t.Errorf("%+v: %+v", x.op, got)
		}
	}
}

// When undo has no room left a person decides: about once, about the task, and by
// a rule; without room the change is refused.
func TestUndoSpace(t *testing.T) {
	for _, x := range []struct {
		name  string
		r     consent.AnswerRequest
		asked int
		rooms []int64 // of three times that more is needed
	}{
		{"once", consent.AnswerRequest{Answer: "allow", Scope: "once"}, 3, []int64{64_000_000, 1 << 40, 64_000_000}},
		{"in this task", consent.AnswerRequest{Answer: "allow", Scope: "task"}, 1, []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
		{"no", consent.AnswerRequest{Answer: "deny"}, 1, []int64{0, 0, 0}},
		{"never", consent.AnswerRequest{Answer: "deny", Scope: "always"}, 1, []int64{0, 0, 0}},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			c := w.open()
			if k, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 5, SpaceMB: 64}); err != nil || k.Settings != (history.UndoSettings{Days: 5, SpaceMB: 64, WriteMB: history.DefaultWriteMB}) {
				t.Fatalf("%+v %v", k, err)
			}
			if k, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 6}); err != nil || k.Settings != (history.UndoSettings{Days: 6, SpaceMB: 64, WriteMB: history.DefaultWriteMB}) {
				t.Errorf("%+v %v", k, err)
			}
			if _, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 6, SpaceMB: 1}); codeOf(err) != problem.CodeBadRequest {
				t.Error(err)
			}
			rooms := make(chan history.Room, 1)
			c.s.journal = func(dir string, folders []task.Folder, room history.Room) (history.Journal, error) {
				if room.More != nil {
					rooms <- room
				}
				return openSnapshots(dir, folders, room)
			}
			var got []int64
			c.s.machine = func(s vm.Config) (vmhost.Runtime, error) {
				rt, err := w.machine(s)
				if err != nil {
					return nil, err
				}
				w.all()[len(w.all())-1].Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
					room := <-rooms
					if room.Bytes != 64_000_000 {
						t.Errorf("%d bytes", room.Bytes)
					}
					for _, need := range []int64{1, 1 << 40, 5} {
						more, err := room.More(ctx, need, room.Bytes)
						if (err == nil) != (more > 0) || err != nil && !errors.Is(err, journal.ErrFull) {
							t.Errorf("%d %v", more, err)
						}
						got = append(got, more)
					}
					return wire.ExecResult{}, nil
				}
				return rt, nil
			}
			d := &deleter{world: w, c: c}
			wait := w.listen(c)
			began := d.delete(w.pictures("a.png"), 1, false)
			for n := range x.asked {
				q := d.question(began.ID)
				if q.Kind != vmhost.AskUndoSpace || !strings.HasPrefix(q.ID, fmt.Sprintf("q%d-", n+1)) || q.Text.Params["bytes"] != int64(64_000_000) {
					t.Errorf("%+v", q)
				}
				if _, err := c.Answer(t.Context(), began.ID, q.ID, consent.AnswerRequest{Answer: "allow", Scope: "folder"}); codeOf(err) != problem.CodeBadRequest {
					t.Errorf("a rule about no folder: %v", err)
				}
				d.say(began.ID, q.ID, x.r)
			}
			wait(began.ID, task.StateDone)
			if !slices.Equal(got, x.rooms) {
				t.Errorf("%d", got)
			}
			if rules, err := c.Rules(t.Context()); err != nil || (len(rules) == 1) != (x.r.Scope == "always") {
				t.Errorf("%+v %v", rules, err)
			}
		})
	}
}
