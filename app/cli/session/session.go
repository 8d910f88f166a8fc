// Package session has the commands about sessions: programs that stay in the workroom of a
// task when the command line goes.
package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/attach"
	"piwork/app/capacity"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/interact"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Command makes sessions, lists them, has them do commands, and ends them.
func Command(e *command.Env) *cobra.Command {
	return command.Group("session",
		create(e),
		list(e),
		completed(e, e.Command("show ID", cobra.ExactArgs(1), show)),
		run(e),
		join(e),
		completed(e, e.Command("signal ID SIGNAL", cobra.ExactArgs(2), signal)),
		completed(e, e.EachCommand("close ID...", closeOne)),
	)
}

// completed offers the ids of sessions.
func completed(e *command.Env, c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = e.Complete(command.Asked(func(ctx context.Context, s *command.Session) (out []cobra.Completion) {
		all, _ := s.Sessions(ctx, "")
		for _, one := range all {
			out = append(out, cobra.CompletionWithDesc(one.ID, name(one)))
		}
		return out
	}), cobra.ShellCompDirectiveNoFileComp)
	return c
}

// name is what a session is called in a list.
func name(s sessions.Session) string {
	if s.Shell {
		return "shell"
	}
	return words.Printable(strings.Join(s.Argv, " "))
}

// find is the id that begins with what was given.
func find(ctx context.Context, s *command.Session, given string) (string, error) {
	all, err := s.Sessions(ctx, "")
	if err != nil {
		return "", err
	}
	found := []string{}
	for _, one := range all {
		if one.ID == given {
			return given, nil
		}
		if given != "" && strings.HasPrefix(one.ID, given) {
			found = append(found, one.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", problem.New(problem.CodeNotFound).With("session", given)
	default:
		return "", flags.Usage("several-sessions", "count", len(found), "id", given, "list", found)
	}
}

// request is what the flags of create say.
type request struct {
	task, cwd                string
	folders, env, envSecrets []string
	tty, clean               bool
	idle                     time.Duration
	room                     flags.Machine
	bounds                   flags.Bounds
}

func create(e *command.Env) *cobra.Command {
	var r request
	cmd := &cobra.Command{Use: "create [--task ID | --folder PATH[:ro|:rw|:review]...] [-- CMD ARG...]", Args: cobra.ArbitraryArgs}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&r.task, "task", "", "")
	f.StringArrayVarP(&r.folders, "folder", "f", nil, "")
	f.StringVar(&r.cwd, "cwd", "", "")
	f.BoolVarP(&r.tty, "tty", "t", false, "")
	f.StringArrayVarP(&r.env, "env", "e", nil, "")
	f.StringArrayVar(&r.envSecrets, "env-secret", nil, "")
	f.BoolVar(&r.clean, "clean", false, "")
	f.DurationVar(&r.idle, "idle", 0, "")
	r.room.Add(cmd)
	r.room.AddCache(cmd)
	r.room.AddServices(cmd)
	r.bounds.Add(cmd)
	for _, of := range []string{"folder", "network", "runtime", "memory", "cpus", "cache", "service"} { // the task has its own
		cmd.MarkFlagsMutuallyExclusive("task", of)
	}
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		of, open, err := r.requests(ctx, e, args)
		if err != nil {
			return err
		}
		return e.With(ctx, func(ctx context.Context, s *command.Session) error {
			return r.start(ctx, s, of, open)
		})
	})
	return cmd
}

// requests are that for the session, and that for a task to have it.
func (r request) requests(ctx context.Context, e *command.Env, argv []string) (of sessions.Request, open tasks.StartRequest, err error) {
	if of.Env, err = flags.ParseEnv(r.env); err != nil {
		return of, open, err
	}
	if of.Secrets, err = Secrets(r.envSecrets); err != nil {
		return of, open, err
	}
	if r.idle < 0 || r.idle > 0 && r.idle < time.Millisecond {
		return of, open, flags.Usage("timeout")
	}
	open = tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Title: terminal.Text("session-task"), Accept: e.Yes, Detached: true, MachineChoice: tasks.MachineChoice{Accel: e.Accel}}
	if open.Folders, err = e.Paths(ctx).Folders(r.folders); err != nil {
		return of, open, err
	}
	if err = errors.Join(r.room.Fill(&open), r.bounds.Fill(&open)); err != nil {
		return of, open, err
	}
	if err = flags.Cwd(r.cwd); err != nil {
		return of, open, err
	}
	of.Limits, open.Limits = open.Limits, wire.Limits{}
	of.RequiresRuntime = open.Requires
	of.Argv, of.Cwd, of.Clean, of.IdleMS = argv, r.cwd, r.clean, r.idle.Milliseconds()
	if r.tty {
		of.Terminal = &wire.TerminalSize{Columns: 80, Rows: 24}
		if f, ok := e.Stdout.(*os.File); ok {
			if size, ok := interact.Size(f); ok {
				of.Terminal = &size
			}
		}
		if of.Env == nil {
			of.Env = map[string]string{}
		}
		of.Env["TERM"] = cmp.Or(of.Env["TERM"], os.Getenv("TERM"), "xterm-256color")
	}
	return of, open, nil
}

// beginWithin is how long a task may take to have an id: it waits for no machine.
const beginWithin = 30 * time.Second

// start makes the session, in a task that there is or in a new one.
func (r request) start(ctx context.Context, s *command.Session, of sessions.Request, open tasks.StartRequest) error {
	var id string
	var err error
	if r.task != "" {
		id, err = command.FindTask(ctx, s, r.task)
	} else {
		// Whoever stops waiting just then has it ended, so its id is waited for.
		begin, stop := context.WithTimeout(context.WithoutCancel(ctx), beginWithin)
		var t task.Task
		t, err = s.StartTask(begin, open)
		stop()
		id = t.ID
	}
	if err != nil {
		return err
	}
	stop := waits(ctx, s, id)
	made, err := s.CreateSession(ctx, id, of)
	stop()
	if err != nil {
		if r.task == "" { // nobody has a use for it
			_, _ = s.CancelTask(context.WithoutCancel(ctx), id)
		}
		if ctx.Err() != nil {
			s.HintText("session-not-made")
			return &command.Ended{Code: command.ExitCancelled}
		}
		return err
	}
	s.Show(made, func() {
		s.Print("%s", made.ID)
		s.HintText("session-made", "id", made.ID, "shell", made.Shell && !made.Terminal)
	})
	return nil
}

// waits shows what a task waits for, until stop is called.
func waits(ctx context.Context, s *command.Session, id string) (stop func()) {
	bar := s.StartProgress(terminal.Text("progress-session"))
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		said := false
		_ = s.Events(ctx, client.EventsOptions{EventFilter: task.EventFilter{Task: id, Kinds: []task.EventKind{task.EventStep}}}, func(ev task.Event) error {
			step, _ := ev.Data.(task.StepData)
			name := wording.Name("step", step.Step)
			bar.Step(name)
			if capacity.Verdict(step.Step).Waits() && !said && !s.JSON && !s.IsTerminal(s.Stderr) {
				said = true
				s.HintText("queued", "step", name)
			}
			return nil
		})
	}()
	return func() {
		cancel()
		<-over
		bar.Stop()
	}
}

func list(e *command.Env) *cobra.Command {
	var of string
	cmd := e.Command("list", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
		if of != "" {
			var err error
			if of, err = command.FindTask(ctx, s, of); err != nil {
				return err
			}
		}
		all, err := s.Sessions(ctx, of)
		return s.Reply(all, err, func() {
			if command.Wide(s, all, "ID TASK STATE REASON TERMINAL READERS WRITER OUTPUT COMMAND", func(o sessions.Session) []any {
				return []any{o.ID, words.ShortID(o.Task), o.State, o.Reason, o.Terminal, o.Readers, o.Writer, o.Output, name(o)}
			}) {
				return
			}
			if len(all) == 0 {
				s.PrintText("session-none")
			}
			for _, o := range all {
				s.Print("%-14s %-10s %s", o.ID, wording.Name("session-state", string(o.State)), name(o))
			}
		})
	})
	cmd.Flags().StringVar(&of, "task", "", "")
	return cmd
}

func show(ctx context.Context, s *command.Session, args []string) error {
	id, err := find(ctx, s, args[0])
	if err != nil {
		return err
	}
	one, err := s.Client.Session(ctx, id)
	return s.Reply(one, err, func() { describe(s.Env, one) })
}

// describe says what a session is, and how it ended.
func describe(e *command.Env, o sessions.Session) {
	e.Print("%s  %s  %s", o.ID, wording.Name("session-state", string(o.State)), name(o))
	e.PrintText("session-of", "task", words.ShortID(o.Task), "readers", terminal.Some(o.Readers), "writer", o.Writer)
	if o.Ending != nil {
		e.PrintText("session-ended", "reason", wording.Name("session-reason", string(o.Reason)), "exitCode", o.Ending.ExitCode, "seconds", float64(o.Ending.WallMS)/1000)
		if used := wording.ProgramUsed(o.Ending.CPUMS, o.Ending.PeakKB); used != "" {
			e.Print("  %s", used)
		}
	}
	if o.Problem != nil {
		e.Card(e.Stdout, "  ", *o.Problem)
	}
}

func run(e *command.Env) *cobra.Command {
	var bounds flags.Bounds
	var requires *vmhost.Requirement
	cmd := &cobra.Command{Use: "run ID -- COMMAND...", Args: cobra.MinimumNArgs(2)}
	bounds.AddTimeout(cmd)
	flags.Requires(cmd, &requires)
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		limits, err := bounds.Limits()
		if err != nil {
			return err
		}
		return e.With(ctx, func(ctx context.Context, s *command.Session) error {
			id, err := find(ctx, s, args[0])
			if err != nil {
				return err
			}
			r, err := commanded(ctx, s, id, sessions.RunRequest{Command: strings.Join(args[1:], " "), TimeoutMS: limits.WallMS, RequiresRuntime: requires})
			if err != nil {
				return err
			}
			s.Show(r, func() {
				_, _ = e.Stdout.Write(r.Stdout)
				_, _ = e.Stderr.Write(r.Stderr)
				for _, o := range []struct {
					file string
					size int64
					here int
				}{{r.StdoutFile, r.StdoutSize, len(r.Stdout)}, {r.StderrFile, r.StderrSize, len(r.Stderr)}} {
					switch {
					case o.file != "":
						s.HintText("session-file", "file", o.file, "cut", r.Truncated && o.size > sessions.MaxFile)
					case r.Truncated && o.size > int64(o.here):
						s.HintText("session-no-file", "size", o.size)
					}
				}
				if r.Ended != "" {
					s.HintText("session-cut", "reason", wording.Name("session-reason", string(r.Ended)))
				} else if one, err := s.Client.Session(ctx, id); err == nil && one.Ending != nil {
					s.HintText("session-over-too")
				}
			})
			switch {
			case r.Ended == sessions.ReasonTimeout:
				return &command.Ended{Code: command.ExitTimeUp}
			case r.Ended != "":
				return &command.Ended{Code: cmp.Or(r.ExitCode, command.ExitOwn)}
			case r.ExitCode != 0:
				return &command.Ended{Code: r.ExitCode}
			}
			return nil
		})
	})
	return completed(e, cmd)
}

// interruptWithin is how long a command that a person interrupts is waited for.
const interruptWithin = 3 * time.Second

// commanded has a shell do a command. Ctrl-C is for that; one that goes on all the same is
// left to itself, and that is said.
func commanded(ctx context.Context, s *command.Session, id string, r sessions.RunRequest) (sessions.RunResult, error) {
	waiting, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(interruptWithin, leave)
		_, _ = s.SignalSession(waiting, id, sessions.SignalRequest{Signal: "INT"}) // of one that is over: nothing is to be done
	})()
	got, err := s.RunInSession(waiting, id, r)
	if err != nil && waiting.Err() != nil {
		s.HintText("session-goes-on", "id", id)
		return got, &command.Ended{Code: command.ExitCancelled}
	}
	return got, err
}

func join(e *command.Env) *cobra.Command {
	var r sessions.AttachRequest
	var readOnly bool
	cmd := e.Command("attach ID", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		id, err := find(ctx, s, args[0])
		if err != nil {
			return err
		}
		one, err := s.Client.Session(ctx, id)
		if err != nil {
			return err
		}
		r.Write = !readOnly
		if one.Shell && !one.Terminal { // it takes whole commands alone
			if r.Write && one.Ending == nil {
				s.HintText("session-watch", "id", id)
			}
			r.Write = false
		}
		conn, err := s.AttachSession(ctx, id, r)
		if err != nil {
			return err
		}
		defer conn.Close()
		return passOn(ctx, s, id, conn)
	})
	f := cmd.Flags()
	f.BoolVar(&readOnly, "read-only", false, "")
	f.BoolVar(&r.Take, "take", false, "")
	f.BoolVar(&r.Last, "new", false, "")
	cmd.MarkFlagsMutuallyExclusive("read-only", "take")
	return completed(e, cmd)
}

// passOn joins the terminal here with a session.
func passOn(ctx context.Context, s *command.Session, id string, conn attach.Conn) error {
	said := func(text string) {
		if !s.Quiet {
			_, _ = s.Stderr.Write([]byte("\r\n" + text + "\r\n")) // the terminal may be raw
		}
	}
	l := interact.Local{
		Stdout: func(data []byte) error { _, err := s.Stdout.Write(data); return err },
		Stderr: func(data []byte) error { _, err := s.Stderr.Write(data); return err },
		Note: func(p attach.Piece) {
			if p.Taken {
				said(terminal.Text("session-taken"))
			} else {
				said(terminal.Text("session-skipped", "bytes", p.Skipped))
			}
		},
	}
	if conn.Info().Input {
		l.Stdin = s.Stdin
		if in, ok := s.Stdin.(*os.File); ok && s.IsTerminal(in) {
			l.Terminal = in
		}
		if out, ok := s.Stdout.(*os.File); ok && s.IsTerminal(out) {
			l.Screen = out
		}
	}
	err := interact.Run(ctx, conn, l)
	var lost *attach.LostError
	switch {
	case errors.Is(err, interact.ErrDetached):
		s.HintText("session-left", "id", id)
		return nil
	case err != nil && ctx.Err() != nil:
		s.HintText("session-left", "id", id)
		return &command.Ended{Code: command.ExitCancelled}
	case errors.As(err, &lost):
		return &client.UnreachableError{Err: err}
	case err != nil:
		return err
	}
	one, err := s.Client.Session(ctx, id)
	if err == nil && one.Ending != nil && one.Ending.ExitCode != 0 {
		return &command.Ended{Code: one.Ending.ExitCode}
	}
	return nil // it was closed, and said all
}

func signal(ctx context.Context, s *command.Session, args []string) error {
	id, err := find(ctx, s, args[0])
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(strings.ToUpper(args[1]), "SIG")
	if known := sessions.Signals(); !slices.Contains(known, name) {
		return flags.Usage("one-of", "flag", "SIGNAL", "value", args[1], "choices", known)
	}
	one, err := s.SignalSession(ctx, id, sessions.SignalRequest{Signal: name})
	return s.Reply(one, err, func() {})
}

func closeOne(ctx context.Context, s *command.Session, given string) error {
	id, err := find(ctx, s, given)
	if err != nil {
		return err
	}
	one, err := s.CloseSession(ctx, id)
	return s.Reply(one, err, func() { s.PrintText("session-closed", "id", id) })
}
