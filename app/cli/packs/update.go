package packs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/config"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/words"
)

const (
	pauseWithin = 20 * time.Second // a download gets to stop
	settle      = 2 * time.Second  // a phase that may be passing is taken for the end
)

type updateFlags struct {
	check, pause bool
	version      string
	addOns       []string
	channel      channelFlags
}

func packUpdateCommand(e *command.Env) *cobra.Command {
	var u updateFlags
	cmd := &cobra.Command{
		Use:  "update",
		Args: cobra.NoArgs,
		RunE: command.Do(func(ctx context.Context, _ []string) error { return packUpdate(ctx, e, u) }),
	}
	f := cmd.Flags()
	f.BoolVar(&u.check, "check", false, "")
	f.BoolVar(&u.pause, "pause", false, "")
	f.StringVar(&u.version, "to", "", "")
	f.StringArrayVar(&u.addOns, "addon", nil, "")
	u.channel.address(cmd, "channel-url")
	_ = cmd.RegisterFlagCompletionFunc("addon", e.Complete(completion.AddOns(completion.NotThereYet), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func packUpdate(ctx context.Context, e *command.Env, u updateFlags) error {
	switch {
	case u.check && u.pause:
		return flags.Usage("exclude", "one", "--check", "other", "--pause")
	case (u.check || u.pause) && (u.version != "" || len(u.addOns) > 0):
		return flags.Usage("check-and-get")
	}
	changes, err := u.channel.changes()
	if err != nil {
		return err
	}
	return e.WithAccel(ctx, func(ctx context.Context, s *command.Session) error {
		if err := config.Choose(ctx, s, changes); err != nil {
			return err
		}
		switch {
		case u.check:
			return updateCheck(ctx, s)
		case u.pause:
			state, err := s.PauseUpdate(ctx)
			if err != nil {
				return err
			}
			e.Show(state, func() { printUpdate(e, state) })
			return nil
		}
		return followUpdate(ctx, s, "", func(ctx context.Context) (updater.State, error) {
			return s.StartUpdate(ctx, updater.Request{AddOns: u.addOns, Version: u.version})
		})
	})
}

// updateCheck looks at the channel and says what is there.
func updateCheck(ctx context.Context, s *command.Session) error {
	bar := s.StartProgress(wording.Name("update-phase", updater.PhaseChecking))
	state, err := s.CheckUpdate(ctx)
	bar.Stop()
	if err != nil {
		return err
	}
	p := updateProblem(state)
	s.Show(state, func() {
		if p == nil {
			printUpdate(s.Env, state)
		}
	})
	if p == nil {
		return nil
	}
	if s.JSON { // it is in the document
		return &command.Ended{Code: command.ExitCode(*p)}
	}
	return p
}

// printUpdate says how the runtime stands against its channel.
func printUpdate(e *command.Env, s updater.State) {
	what := whatWords(e, s)
	switch s.Phase {
	case updater.PhaseAvailable:
		e.PrintText("update-there", "version", s.Version, "what", what, "current", s.Current)
		if s.Total > 0 {
			e.Print("  %s%s", terminal.Text("to-download", "bytes", s.Total), reused(s))
		}
		if s.Notes != "" {
			e.Print("%s", terminal.Indented(terminal.PrintableLines(s.Notes)))
		}
	case updater.PhaseUpToDate:
		e.PrintText("update-newest", "version", s.Current, "what", what)
	case updater.PhasePaused:
		e.PrintText("update-paused", "version", s.Version, "done", s.Done, "total", s.Total)
	case updater.PhaseDownloading:
		e.PrintText("update-loads", "version", s.Version, "done", s.Done, "total", s.Total)
	default:
		e.Print("%s.", wording.Name("update-phase", s.Phase))
	}
}

// whatWords names what an update is about.
func whatWords(e *command.Env, s updater.State) string {
	if s.What == "" || s.What == "runtime" {
		return terminal.Text("the-runtime")
	}
	return terminal.Text("the-addon", "name", s.What)
}

func reused(s updater.State) string {
	if s.Reused == 0 {
		return ""
	}
	return ", " + terminal.Text("cached", "bytes", s.Reused)
}

// updateProblem is what stands against an update, nil when nothing does.
func updateProblem(s updater.State) *problem.Problem {
	if s.Problem != nil {
		return s.Problem
	}
	switch s.Phase {
	case updater.PhaseOff:
		return problem.New(problem.CodeUpdateOff)
	case updater.PhaseOffline:
		return problem.New(problem.CodeUpdateOffline)
	case updater.PhaseFailed:
		return problem.New(problem.CodeUnknown)
	}
	return nil
}

// atWork reports that something is being done about an update right now.
func atWork(s updater.State) bool {
	switch s.Phase {
	case updater.PhaseChecking, updater.PhaseDownloading, updater.PhaseInstalling, updater.PhaseTrying:
		return true
	}
	return false
}

// goesOn reports whether something is still being done about an update.
func goesOn(s updater.State) bool {
	return atWork(s) || s.Phase == updater.PhaseAvailable && s.Problem == nil // about to be downloaded
}

// mayPass reports a phase that may be followed by another one soon. Examples: an update
// pauses for another change and continues; an automatic update leaves its first boot for
// later. Behind an update that was already running, every end may be of that one.
func mayPass(s updater.State, worked, behind bool) bool {
	if behind && !goesOn(s) {
		return true
	}
	switch s.Phase {
	case updater.PhasePaused, updater.PhaseIdle:
		return s.Problem == nil
	case updater.PhaseAvailable:
		return s.Problem == nil && worked
	}
	return false
}

// followUpdate starts something that goes on by itself and shows it to its end.
// addOn is what it is for, "" for the runtime.
func followUpdate(ctx context.Context, s *command.Session, addOn string, start func(context.Context) (updater.State, error)) error {
	before, err := s.Update(ctx)
	if err != nil {
		return err
	}
	// The subscription stands before the update does, so that nothing is missed.
	events, cancel := s.Subscribe(task.EventFilter{After: task.OnlyNew, Kinds: []task.EventKind{task.EventPack, task.EventUpdate}})
	defer cancel()
	bar := s.StartProgress(wording.Name("update-phase", updater.PhaseChecking))
	defer bar.Stop()
	state, err := start(ctx)
	if err != nil {
		return err
	}
	if !goesOn(state) {
		updateLine(s.Env, state)
	}
	worked := false // past the question whether there is anything
	again := false  // events of before may come again
	for {
		var settled <-chan time.Time
		switch {
		case mayPass(state, worked, atWork(before)):
			settled = time.After(settle)
		case goesOn(state):
			worked = worked || atWork(state) && state.Phase != updater.PhaseChecking
		default:
			bar.Stop()
			return updateEnd(s.Env, before, state, addOn)
		}
		updateProgress(s.Env, bar, state)
		select {
		case <-ctx.Done():
			bar.Stop()
			return stopUpdate(ctx, s)
		case <-settled:
			now, err := s.Update(ctx)
			if err != nil {
				return err
			}
			if now.Phase == state.Phase {
				bar.Stop()
				return updateEnd(s.Env, before, now, addOn)
			}
			state = now
		case ev, open := <-events:
			switch now, ok := ev.Data.(updater.State); {
			case !open:
				return &client.UnreachableError{Err: errors.New("its stream of events ended")}
			case ev.Kind == task.EventReset, ok && again:
				again = true
				if state, err = s.Update(ctx); err != nil {
					return err
				}
				if ok {
					updateLine(s.Env, state)
				}
			case ok && ev.Kind == task.EventUpdate:
				state = now
				if s.JSON {
					s.JSONLine(ev)
				}
			}
		}
	}
}

// updateLine writes a state as an event, for states that came without one.
func updateLine(e *command.Env, s updater.State) {
	if e.JSON {
		e.JSONLine(task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Kind: task.EventUpdate, Data: s})
	}
}

func updateProgress(e *command.Env, bar *terminal.Progress, s updater.State) {
	text := wording.Name("update-phase", s.Phase)
	if s.Version != "" && s.Phase == updater.PhaseDownloading {
		text += " " + words.Printable(s.Version)
	}
	if s.Total > 0 && s.Phase != updater.PhaseTrying && s.Phase != updater.PhaseChecking {
		bar.Fetched(text, s.Done, s.Total, s.Rate, s.ETA)
		return
	}
	bar.Step(text)
}

// stopUpdate pauses what this command started.
func stopUpdate(ctx context.Context, s *command.Session) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), pauseWithin)
	defer stop()
	state, err := s.PauseUpdate(end)
	if err != nil {
		return err
	}
	updateLine(s.Env, state)
	if !s.JSON {
		said := "stopped"
		if state.Phase == updater.PhasePaused {
			said = "update-stopped"
		}
		fmt.Fprintln(s.Stderr, terminal.Text(said))
	}
	return &command.Ended{Code: command.ExitCancelled}
}

// updateEnd says how it ended.
func updateEnd(e *command.Env, before, s updater.State, addOn string) error {
	if p := updateProblem(s); p != nil {
		return p
	}
	code := 0
	switch s.Phase {
	case updater.PhasePaused:
		code = command.ExitCancelled
	case updater.PhaseAvailable: // what was asked for is not done
		code = command.ExitFailed
	}
	switch {
	case e.JSON:
	case code != 0:
		printUpdate(e, s)
	case addOn != "": // the state is about the runtime again
		e.PrintText("addon-installed", "name", addOn)
	case s.Current != before.Current:
		e.PrintText("update-done", "version", s.Current)
		if s.Total > 0 {
			e.Print("  %s%s", terminal.Text("downloaded", "bytes", s.Total), reused(s))
		}
	default:
		printUpdate(e, s)
	}
	if code != 0 {
		return &command.Ended{Code: code}
	}
	return nil
}
