package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"piwork/app/capacity"
	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/interact"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/app/words"
	"piwork/vmhost"
)

// follower watches one task from its start to its end.
type follower struct {
	*session
	req      tasks.StartRequest
	id       string
	was      task.Task // before this; only the id of a new one
	events   <-chan task.Event
	late     []task.Event // came while a person was asked, and are to be shown
	onlyNew  bool         // what happened before this is of an earlier round
	bar      *terminal.Progress
	planned  bool              // there is a plan, and it was shown
	accepted bool              // the plan, by this or from elsewhere
	joined   *interact.Session // with its program; nil when it is only watched
	guest    bool              // somebody else started it: it does not end with this
	sending  bool              // programs go to another computer
	queued   bool              // it was said that it waits for room
	skipped  map[string]bool   // what the plan said already
	asked    map[string]bool   // questions, by id
	refused  []vmhost.Question // because nobody was there to be asked
	summary  *task.NoticeData  // what came of having messages summarised; nil when that was not asked for
}

// startTask starts a task, shows what happens, and says how it ended.
func startTask(ctx context.Context, s *session, req tasks.StartRequest) error {
	f := &follower{session: s, req: req, accepted: req.Accept}
	return f.followNew(ctx, func(id string) (task.Task, error) {
		req.ID = id
		return s.StartTask(ctx, req)
	})
}

// followNew begins a task that is to have an id, and watches it.
func (f *follower) followNew(ctx context.Context, begin func(id string) (task.Task, error)) error {
	id, err := task.NewID()
	if err != nil {
		return err
	}
	return f.follow(ctx, task.Task{ID: id}, func() (task.Task, error) { return begin(id) })
}

// follow begins a task, or has it go on, and watches it. One that the person stops waiting for is
// cancelled, also where it was not heard to begin: it begins all the same, and on another computer
// it does not end with this process.
func (f *follower) follow(ctx context.Context, was task.Task, begin func() (task.Task, error)) error {
	if ctx.Err() != nil {
		return &command.Ended{Code: ExitCancelled}
	}
	f.id, f.was = was.ID, was
	// The subscription stands before the task does, so that nothing is missed.
	filter := task.EventFilter{Task: f.id, Wait: true}
	if f.onlyNew {
		filter.After = task.OnlyNew
	}
	var cancel func()
	f.events, cancel = f.Subscribe(filter)
	defer cancel()
	f.bar = f.StartProgress(terminal.Text("progress-ready"))
	defer func() { f.bar.Stop() }()
	defer func() { f.joined.Leave() }()
	denied, err := f.watch(ctx, begin)
	if _, said := errors.AsType[*command.Ended](err); err != nil && ctx.Err() != nil && !said {
		return f.cancelled(ctx)
	}
	if err != nil {
		return err
	}
	f.bar.Stop()
	done, err := f.Task(ctx, f.id)
	if err != nil {
		return err
	}
	if denied {
		return f.denied(done)
	}
	return f.ended(ctx, done)
}

// watch begins the task and shows what happens until it is over, or ctx. It reports whether the
// person denied its plan.
func (f *follower) watch(ctx context.Context, begin func() (task.Task, error)) (denied bool, err error) {
	guest := f.guest
	f.guest = guest || f.was.State != "" && !f.was.State.Final() // until it goes on by this, too
	t, err := begin()
	if err != nil {
		return false, err
	}
	f.guest, f.req.Kind = guest, cmp.Or(f.req.Kind, t.Kind)
	if err := f.joins(ctx, t); err != nil {
		return false, err
	}
	for over := f.guest && t.State.Final(); !over; {
		if len(f.late) > 0 {
			ev := f.late[0]
			f.late = f.late[1:]
			if over, err = f.happened(ctx, ev); errors.Is(err, errDenied) {
				denied = true
			} else if err != nil {
				return denied, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return denied, ctx.Err()
		case show := <-f.joined.Shows():
			show()
		case err := <-f.joined.Ended():
			if err := f.left(ctx, err); err != nil {
				return denied, err
			}
		case ev, open := <-f.events:
			if !open {
				return denied, &client.UnreachableError{Err: errors.New("its stream of events ended")}
			}
			over, err = f.happened(ctx, ev)
			if errors.Is(err, errDenied) {
				denied = true
			} else if err != nil {
				return denied, err
			}
		}
	}
	return denied, f.left(ctx, f.joined.Rest(ctx))
}

// happened shows one event, and reports whether the task is over.
func (f *follower) happened(ctx context.Context, ev task.Event) (over bool, err error) {
	if ev.Kind == task.EventReset { // what was missed is in the record
		now, err := f.Task(ctx, f.id)
		if err != nil {
			return false, err
		}
		if now.State == task.StateWaiting {
			err = f.missed(ctx)
		}
		f.programBegins(now.State)
		return now.State.Final(), err
	}
	state, err := f.event(ctx, ev)
	if err != nil {
		return false, err
	}
	return f.over(ctx, state)
}

// over reports whether a state that came is the end of the task: after a reset, the end of an
// earlier round comes again.
func (f *follower) over(ctx context.Context, state task.State) (bool, error) {
	if !state.Final() {
		return false, nil
	}
	now, err := f.Task(ctx, f.id)
	return now.State.Final(), err
}

// event shows one event and returns the state that it brought, "" for none.
func (f *follower) event(ctx context.Context, ev task.Event) (task.State, error) {
	if ev.Kind == task.EventOutput && f.joined != nil {
		return "", nil // it comes from the program itself, too: of one that was started detached
	}
	if f.JSON && !f.req.PlanOnly {
		f.JSONLine(ev)
	}
	switch d := ev.Data.(type) {
	case task.StateData:
		f.programBegins(d.State)
		if d.State == task.StateWaiting && f.planned && !f.accepted { // else it waits with a question
			return d.State, f.waiting(ctx)
		}
		return d.State, nil
	case vmhost.Question:
		return "", f.question(ctx, d)
	case vmhost.Decision:
		f.accepted = f.accepted || d.ID == tasks.PlanQuestion && d.Answer == vmhost.AnswerAllow
	case task.StepData:
		f.sending = d.Step == "send"
		f.bar.Step(wording.Name("step", d.Step))
		f.waits(d.Step)
	case task.ProgressData:
		if f.sending {
			f.bar.Counts(wording.Name("step", "send"), d.Done, d.Total, wording.SentWords(d))
			break
		}
		words := wording.WorkWords(d)
		doing := wording.Name("step", "run")
		if f.req.Kind == task.KindChore && !f.planned {
			doing = wording.Name("step", "plan")
		}
		f.bar.Counts(doing, d.Done, d.Total, words)
	case task.OutputData:
		f.output(d)
	case task.MessageData:
		f.said(d)
	case task.ToolData:
		f.did(d)
	case task.NoticeData:
		if f.req.Kind == task.KindAI {
			f.noticed(d)
		}
	case chore.Plan:
		f.showPlan(d)
	}
	return "", nil
}

// waits says once, also where no progress is shown, that there is no room for the
// startTask yet.
func (f *follower) waits(step string) {
	if f.queued || !capacity.Verdict(step).Waits() {
		return
	}
	f.queued = true
	if !f.JSON && !f.IsTerminal(f.Stderr) {
		f.HintText("queued", "step", wording.Name("step", step))
	}
}

// output passes on what the person's own program writes, unchanged. The programs of an
// operation print text from its inputs: it is shown only with --verbose, made printable.
func (f *follower) output(d task.OutputData) {
	if f.JSON || f.req.Kind != task.KindExec && !f.Verbose {
		return
	}
	f.bar.Stop()
	if f.req.Kind != task.KindExec {
		_, _ = io.WriteString(f.Stderr, terminal.PrintableText(string(d.Data)))
		return
	}
	if d.Stream == "stderr" {
		_, _ = f.Stderr.Write(d.Data)
		return
	}
	_, _ = f.Stdout.Write(d.Data)
}

// record is the last line of a task's events.
func (f *follower) record(t task.Task) {
	if !f.req.PlanOnly {
		f.JSONLine(task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Task: t.ID, Kind: "record", Data: t})
	}
}

// ended says how a task ended.
func (f *follower) ended(ctx context.Context, t task.Task) error {
	if f.JSON {
		f.record(t)
	}
	if f.summary != nil && f.summary.Code != "" { // the task is as it was
		return f.summarised(t)
	}
	code := ExitDone
	if t.Error != nil {
		code = command.ExitCode(*t.Error)
	} else if t.State != task.StateDone {
		code = ExitFailed
	}
	if len(f.refused) > 0 {
		code = ExitDenied
		defer f.notAllowed()
	}
	if f.req.Kind == task.KindExec {
		code = command.ProgramStatus(t, len(f.refused) > 0)
	}
	if f.JSON {
		if f.req.PlanOnly && t.Error != nil {
			f.Problem(*t.Error)
		}
		return f.code(code)
	}
	for _, p := range t.Problems {
		if !f.skipped[problemKey(p)] {
			what, means := wording.Told(p)
			fmt.Fprintln(f.Stderr, what+". "+means)
		}
	}
	for _, r := range t.Results {
		f.PrintText("result", "path", resultPath(t, r), "bytes", r.Size)
	}
	for _, line := range reported(t) {
		f.Print("%s", line)
	}
	if t.Error != nil {
		f.CardOf(f.Stderr, "", t)
	}
	f.spent(t)
	if !f.req.PlanOnly {
		f.takeBack(ctx)
		f.mayGoOn(t)
	}
	return f.code(code)
}

// reported are the lines for what operations said of each input, with files called
// as on this computer.
func reported(t task.Task) []string {
	view := toolcall.ViewOf(t, false)
	var out []string
	for _, info := range t.Info {
		if line, err := json.Marshal(view.HostValue(info)); err == nil {
			out = append(out, words.Printable(string(line)))
		}
	}
	return out
}

// problemKey tells problems of inputs apart, and of what is in them.
func problemKey(p problem.Problem) string {
	return strings.Join([]string{p.Code, p.Cause, wording.Shown(p.Params["path"]), wording.Shown(p.Params["entry"])}, "\x00")
}

func (f *follower) code(code int) error {
	if code == ExitDone {
		return nil
	}
	return &command.Ended{Code: code}
}

// takeBack says how to undo, where there is something to undo.
func (f *follower) takeBack(ctx context.Context) {
	changes, err := f.Changes(ctx, f.id)
	if err != nil {
		return
	}
	waits := 0
	for _, c := range changes {
		if c.Staged {
			waits++
		}
	}
	if n := len(changes) - waits; n > 0 {
		f.HintText("made-changes", "count", n, "id", words.ShortID(f.id))
	}
	if waits > 0 {
		f.HintText("to-review", "count", waits, "id", words.ShortID(f.id))
	}
}

// resultPath is where a result lies on this computer, as far as it is in a
// folder; the others are fetched by `piwork task results`.
func resultPath(t task.Task, r task.Result) string {
	for _, folder := range t.Folders {
		if folder.ID == r.Folder {
			return filepath.Join(folder.Path, filepath.FromSlash(r.Path))
		}
	}
	return r.Path
}
