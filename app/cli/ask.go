package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
)

func askCommand(e *env) *cobra.Command {
	var folders, pictures, presets []string
	var network, model, agent, thinking, budget string
	var room flags.Machine
	var background detach
	cmd := &cobra.Command{Use: `ask "TEXT" [--folder PATH[:ro|:rw|:review]]...`, Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringArrayVar(&pictures, "picture", nil, "")
	flags.OneWord(f, &network, "network", flags.Networks...)
	f.StringArrayVar(&presets, "allow-preset", nil, "")
	f.StringVar(&model, "model", "", "")
	f.StringVar(&agent, "agent", "", "")
	flags.OneWord(f, &thinking, "thinking", flags.Efforts...)
	f.StringVar(&budget, "budget", "", "")
	room.Add(cmd)
	room.AddCache(cmd)
	room.AddServices(cmd)
	background.add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		chosen, err := e.Paths(ctx).Folders(folders)
		if err != nil {
			return err
		}
		req := tasks.StartRequest{
			Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: args[0], Model: model, Program: agent, Thinking: thinking}, Folders: chosen, Network: task.Network(network),
			Accept: e.Yes, MachineChoice: tasks.MachineChoice{Accel: e.Accel}, PolicyRequest: task.PolicyRequest{Presets: presets},
		}
		if args[0] == "-" {
			text, err := flags.ReadStdin(ctx, e.Stdin)
			if err != nil {
				return err
			}
			req.Prompt = string(text)
		}
		if req.Budget, err = flags.ParseBudget(budget); err != nil {
			return err
		}
		if req.Images, err = flags.ReadPictures(pictures); err != nil {
			return err
		}
		if err := room.Fill(&req); err != nil {
			return err
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			if err := s.Unlock(ctx); err != nil {
				return err
			}
			if req.Network == task.NetworkOff {
				if err := stillReachable(ctx, s); err != nil {
					return err
				}
			}
			return background.startTask(ctx, s, req)
		})
	})
	return cmd
}

// stillReachable warns that a task without a network can read pages that were allowed for
// every task.
func stillReachable(ctx context.Context, s *session) error {
	n, err := s.NetworkRules(ctx)
	if err != nil || s.JSON {
		return err
	}
	var names []string
	for _, r := range n.Rules {
		if r.Answer == vmhost.AnswerAllow && r.Task == "" {
			terminal.Texts().Rule(&r)
			names = append(names, r.Name)
		}
	}
	if len(names) > 0 {
		s.HintText("still-reachable", "names", names)
	}
	return nil
}

// sayCommand gives a task another message.
func sayCommand(e *env) *cobra.Command {
	var later bool
	var background detach
	var pictures []string
	cmd := command.OnTask(e, `say ID "TEXT"`, cobra.ExactArgs(2),
		func(ctx context.Context, s *session, t task.Task, rest []string) (err error) {
			if t.Kind != task.KindAI {
				return flags.Usage("no-ai-task", "id", words.ShortID(t.ID))
			}
			r := tasks.SayRequest{Text: rest[0], How: "steer", Detached: background.on}
			if later {
				r.How = "followUp"
			}
			if r.Images, err = flags.ReadPictures(pictures); err != nil {
				return err
			}
			if !t.State.Final() { // who started it watches it
				t, err := s.Say(ctx, t.ID, r)
				return s.Reply(t, err, func() { s.PrintText("sent") })
			}
			if background.on {
				t, err := s.Say(ctx, t.ID, r)
				return background.started(s, t, err)
			}
			f := &follower{session: s, accepted: true, onlyNew: true, req: tasks.StartRequest{Kind: t.Kind, Accept: s.Yes}}
			return f.follow(ctx, t, func() (task.Task, error) { return s.Say(ctx, t.ID, r) })
		})
	cmd.Flags().BoolVar(&later, "later", false, "")
	background.add(cmd)
	cmd.Flags().StringArrayVar(&pictures, "picture", nil, "")
	return cmd
}

// unsayCommand takes back what a task was told and has not heard.
func unsayCommand(e *env) *cobra.Command {
	var all bool
	cmd := command.OnTask(e, "unsay ID", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, t task.Task, _ []string) (err error) {
			var waits []task.Pending
			if t.AI != nil {
				waits = slices.DeleteFunc(slices.Clone(t.AI.Pending), func(p task.Pending) bool { return p.How == "prompt" })
			}
			slices.Reverse(waits) // the last is the likeliest to wait still
			if !all && len(waits) > 1 {
				waits = waits[:1]
			}
			for _, p := range waits {
				if t, err = s.TakeBack(ctx, t.ID, p.ID); err != nil {
					return err
				}
			}
			return s.Reply(t, nil, func() {
				for _, p := range waits {
					s.Print("%-10s  %s", terminal.Text("unsaid"), terminal.PrintableText(p.Text))
				}
				if len(waits) == 0 {
					s.PrintText("no-messages")
				}
			})
		})
	cmd.Flags().BoolVar(&all, "all", false, "")
	return cmd
}

// said shows a message of the agent.
func (f *follower) said(d task.MessageData) {
	if f.JSON || d.Role != "assistant" || strings.TrimSpace(d.Text) == "" {
		return
	}
	f.bar.Stop()
	if f.IsTerminal(f.Stdout) {
		f.Print("%s\n%s\n", terminal.Text("ai-says"), wording.Quoted(d.Text))
	} else {
		f.Print("%s\n", terminal.PrintableText(d.Text))
	}
	f.bar = f.StartProgress(wording.Name("step", "run"))
}

// did shows what the agent does.
func (f *follower) did(d task.ToolData) {
	if f.JSON {
		return
	}
	switch {
	case d.State == "started":
		f.bar.Step(terminal.Texts().Tooling(d))
		if !f.IsTerminal(f.Stderr) || f.Verbose {
			f.Hint("%s", terminal.Texts().Tooling(d))
		}
	case d.State == "failed" && f.Verbose:
		f.Hint("%s", terminal.Texts().Tooling(d))
	}
}

// quietNotices are of no interest to who looks on.
var quietNotices = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true}

// noticed shows what matters of the agent's own state.
func (f *follower) noticed(d task.NoticeData) {
	if f.summary != nil && summaryCodes[d.Code] {
		*f.summary = d
		return
	}
	if f.JSON || quietNotices[d.Code] {
		return
	}
	f.bar.Step(terminal.Texts().Notice(d))
	if !f.IsTerminal(f.Stderr) {
		f.Hint("%s", terminal.Texts().Notice(d))
	}
}

// spent says what a task used of models.
func (f *follower) spent(t task.Task) {
	if f.JSON || t.AI == nil || t.AI.Usage.Requests == 0 {
		return
	}
	f.Hint("%s", wording.UsageWords(t.AI.Usage))
	if t.State.Final() {
		f.HintText("say-more", "id", words.ShortID(t.ID))
	}
}
