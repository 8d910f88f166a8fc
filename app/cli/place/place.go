// Package place has the commands about where tasks work.
package place

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
)

// Command shows where tasks can work, and chooses.
func Command(e *command.Env) *cobra.Command {
	return command.Group("runtime",
		e.Command("list", cobra.NoArgs, list),
		e.EachCommand("test KIND...", test),
		e.Command("prefer [KIND]...", cobra.ArbitraryArgs, prefer),
		allow(e),
		explain(e),
	)
}

func list(ctx context.Context, s *command.Session, _ []string) error {
	bar := s.StartProgress(terminal.Text("progress-runtimes"))
	all, err := s.Runtimes(ctx)
	bar.Stop()
	return s.Reply(all, err, func() {
		if command.Wide(s, all, "KIND WORKS ISOLATION NETWORKS FOLDERS ALLOWED PREFERRED PROBLEM", func(k runtimes.Status) []any {
			return []any{k.Kind, k.Works, k.Isolation, joinedWords(k.Networks), k.Folders, k.Allowance, ordinal(k.Preferred), command.InShort(k.Problem)}
		}) {
			return
		}
		for _, k := range all {
			printRuntime(s.Env, k)
		}
	})
}

// printRuntime says what a kind is, whether it works here, and when tasks use it.
func printRuntime(e *command.Env, k runtimes.Status) {
	state := "runtime-works"
	switch {
	case k.Problem != nil:
		state = "runtime-fails"
	case !k.Works:
		state = "runtime-off"
	}
	e.Print("%-10s %s: %s", k.Kind, wording.Name("runtime", k.Kind), terminal.Text(state))
	e.Print("           %s", wording.Name("runtime-about", k.Kind))
	if k.Engine != nil {
		terminal.Texts().Engine(k.Engine)
		e.Print("           %s", k.Engine.Text)
	}
	if k.Isolation == vmhost.IsolationNone {
		e.Print("           %s", terminal.Text("runtime-no-isolation"))
	}
	switch {
	case k.ByName && k.Allowance == runtimes.AllowAsk:
		e.Print("           %s", terminal.Text("runtime-by-name", "kind", k.Kind))
	case k.Isolation.Weaker(vmhost.IsolationHardware):
		e.Print("           %s", said(k.Kind, k.Allowance))
	}
	if k.Problem != nil {
		e.Card(e.Stdout, "           ", *k.Problem)
	}
}

func test(ctx context.Context, s *command.Session, kind string) error {
	bar := s.StartProgress(terminal.Text("progress-runtimes"))
	k, err := s.TestRuntime(ctx, kind)
	bar.Stop()
	if err != nil {
		return err
	}
	s.Show(k, func() { printRuntime(s.Env, k) })
	if k.Problem != nil {
		return &command.Ended{Code: command.ExitCode(*k.Problem)}
	}
	return nil
}

// prefer chooses which kinds are taken first; without a kind, none is.
func prefer(ctx context.Context, s *command.Session, kinds []string) error {
	now, err := s.RuntimeSettings(ctx)
	if err != nil {
		return err
	}
	now.Prefer, now.Rootless = kinds, without(now.Rootless, kinds...)
	now, err = s.SetRuntimes(ctx, now)
	return s.Reply(now, err, func() {
		if len(now.Prefer) == 0 {
			s.PrintText("runtime-none-preferred")
			return
		}
		s.PrintText("runtime-preferred", "kinds", strings.Join(now.Prefer, ", "))
	})
}

// without has what is said to these kinds be said anew.
func without(rootless []string, kinds ...string) []string {
	return slices.DeleteFunc(slices.Clone(rootless), func(kind string) bool { return slices.Contains(kinds, kind) })
}

func allow(e *command.Env) *cobra.Command {
	words := []runtimes.Allowance{runtimes.AllowAsk, runtimes.AllowAlways, runtimes.AllowNever}
	return &cobra.Command{
		Use: "allow KIND ask|always|never", Args: cobra.ExactArgs(2),
		RunE: command.Do(func(ctx context.Context, args []string) error {
			choice, err := flags.OneOf("runtime allow", args[1:], words)
			if err != nil {
				return err
			}
			return e.With(ctx, func(ctx context.Context, s *command.Session) error {
				now, err := s.RuntimeSettings(ctx)
				if err != nil {
					return err
				}
				weaker := map[string]runtimes.Allowance{args[0]: choice[0]}
				for kind, a := range now.Weaker {
					if kind != args[0] {
						weaker[kind] = a
					}
				}
				now.Weaker, now.Rootless = weaker, without(now.Rootless, args[0])
				now, err = s.SetRuntimes(ctx, now)
				return e.Reply(now, err, func() { e.Print("%s", said(args[0], choice[0])) })
			})
		}),
	}
}

func explain(e *command.Env) *cobra.Command {
	var room flags.Machine
	var bounds flags.Bounds
	var work, folders string
	var addOns bool
	cmd := e.Command("explain", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
		r := tasks.StartRequest{MachineChoice: tasks.MachineChoice{Accel: e.Accel}}
		if err := errors.Join(room.Fill(&r), bounds.Fill(&r)); err != nil {
			return err
		}
		t := task.Task{Kind: task.Kind(work), Network: r.Network}
		t.Services = r.Services
		if folders != "" {
			t.Folders = []task.Folder{{Mode: task.Mode(folders)}}
		}
		n := tasks.NeedOf(r, &t)
		n.AddOns = addOns
		return whereAndWhy(ctx, s, n)
	})
	f := cmd.Flags()
	room.Add(cmd)
	room.AddCache(cmd)
	room.AddServices(cmd)
	bounds.Add(cmd)
	work = string(task.KindExec)
	flags.OneWord(f, &work, "for", flags.Names([]task.Kind{task.KindChore, task.KindAI, task.KindExec, task.KindTool})...)
	flags.OneWord(f, &folders, "folders", flags.Names([]task.Mode{task.ModeReadOnly, task.ModeReadWrite, task.ModeReview})...)
	f.Lookup("folders").NoOptDefVal = string(task.ModeReadWrite)
	f.BoolVar(&addOns, "add-ons", false, "")
	return cmd
}

// whereAndWhy says where a task that needs this would work, and why not elsewhere.
func whereAndWhy(ctx context.Context, s *command.Session, n runtimes.Need) error {
	bar := s.StartProgress(terminal.Text("progress-runtimes"))
	c, err := s.ExplainRuntime(ctx, n)
	bar.Stop()
	err = s.Reply(c, err, func() {
		switch {
		case c.Kind == "":
			s.PrintText("runtime-nowhere")
		case c.Ask:
			s.PrintText("runtime-asks", "kind", c.Kind)
		default:
			s.PrintText("runtime-there", "kind", c.Kind)
		}
		for _, v := range c.Verdicts {
			s.Print("  %-10s %s", v.Kind, words.PlaceReason(terminal.Texts(), string(v.Reason), v.Lacks, v.Rule))
			if v.Problem != nil {
				s.Print("             %s", command.InShort(v.Problem))
			}
		}
	})
	if err == nil && c.Kind == "" { // said, and to be seen by a script
		return &command.Ended{Code: command.ExitSetup}
	}
	return err
}

// said is what a person said to a kind that keeps a task less apart.
func said(kind string, a runtimes.Allowance) string {
	return terminal.Text("runtime-allowed", "kind", kind, "said", a)
}

func joinedWords[T ~string](list []T) string { return strings.Join(flags.Names(list), ",") }

// ordinal is a place in an order, "" for none.
func ordinal(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
