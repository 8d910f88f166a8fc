package policy

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
)

var actions = []policy.Action{policy.Read, policy.Write, policy.Delete, policy.Connect, policy.Run, policy.UseKey, policy.StartRuntime}

// runKinds is what a task of a kind runs, where it is not said: an AI runs commands.
var runKinds = map[task.Kind]string{task.KindAI: policy.Command, task.KindChore: string(task.KindChore), task.KindTool: string(task.KindTool)}

// effects are those of commands, as the schema of rules has them.
var effects = []string{"read", "write", "change", "move", "overwrite", "delete", "network", "install", "system", "unknown"}

const maxPort = 65535

func explain(e *command.Env) *cobra.Command {
	var r policy.Request
	var kind, network, isolation, at, candidate string
	var does []string
	cmd := e.Command("explain ACTION WHAT", cobra.ExactArgs(2), func(ctx context.Context, s *command.Session, args []string) error {
		one, err := flags.OneOf("ACTION", args[:1], actions)
		if err != nil {
			return err
		}
		q := consent.ExplainRequest{Request: r}
		q.Action, q.Kind, q.Network, q.Isolation = one[0], task.Kind(kind), task.Network(network), vmhost.Isolation(isolation)
		if q.Effects, err = flags.OneOf("--effects", does, effects); err != nil {
			return err
		}
		switch t, err := flags.ParseTime("--time", at, time.Now()); {
		case err != nil:
			return err
		case at != "":
			t = t.Local() // rules ask for the hour of this computer
			q.Time = &t
		}
		if q.Port < 0 || q.Port > maxPort {
			return flags.Usage("bounds", "flag", "--port", "min", 0, "max", maxPort)
		}
		switch q.Action {
		case policy.Connect:
			q.Host = args[1]
		case policy.Run:
			q.Program, q.RunKind = args[1], cmp.Or(q.RunKind, runKinds[q.Kind])
		case policy.UseKey:
			q.Key = args[1]
		case policy.StartRuntime:
			q.Runtime = args[1]
		default:
			if q.Path, err = s.Paths(ctx).Abs(args[1]); err != nil {
				return problem.From(err)
			}
		}
		if candidate != "" {
			text, err := read(ctx, e, candidate)
			if err != nil {
				return err
			}
			q.Text = &text
		}
		x, err := s.ExplainPolicy(ctx, q)
		return s.Reply(x, err, func() {
			s.Print("%s", cmp.Or(x.Said, words.PolicyDecision(terminal.Texts(), x.Decision)))
			if x.Fault != nil {
				s.Print("%s\n  %s", fault(x.Fault), x.Fault.Message)
			}
			for _, m := range x.Matches {
				s.Print("  %-8s %-6s %s", m.Layer, m.Effect, m.Rule)
			}
		})
	})
	f := cmd.Flags()
	f.StringVar(&r.Client, "client", "", "")
	flags.OneWord(f, &r.Door, "door", task.Doors()...)
	flags.OneWord(f, &kind, "kind", "chore", "ai", "exec", "tool")
	f.StringVar(&r.Agent, "agent", "", "")
	flags.OneWord(f, &r.RunKind, "run-kind", policy.Program, policy.Session, policy.Command, policy.Server, "chore", "tool", "ai")
	f.IntVar(&r.Port, "port", 0, "")
	f.StringVar(&r.Runtime, "in", "", "")
	flags.OneWord(f, &isolation, "isolation", "hardware", "emulated", "namespace", "none")
	flags.OneWord(f, &network, "network", flags.Networks...)
	flags.OneWord(f, &r.Risk, "risk", "none", "low", "high")
	f.StringVar(&r.About, "about", "", "")
	f.StringSliceVar(&does, "effects", nil, "")
	f.Int64Var(&r.Size, "size", 0, "")
	f.Int64Var(&r.Files, "files", 0, "")
	f.StringVar(&at, "time", "", "")
	f.StringVar(&candidate, "file", "", "")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return flags.Names(actions), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}
