package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"

	"piwork/app/cli/wording"
)

func askCommand(e *env) *cobra.Command {
	var folders, pictures, presets []string
	var network, model, thinking, budget string
	var room flags.Machine
	cmd := &cobra.Command{
		Use:   `ask "TEXT" [--folder PATH[:ro|:rw|:review]]...`,
		Short: "Ask for something in your own words",
		Long: "An AI does it in a fresh workroom that sees only the folders given. Its changes wait\n" +
			"for your yes (:review), unless you choose otherwise: :rw lets it change the folder\n" +
			"at once, :ro only look. What you choose holds for this folder from then on. It asks\n" +
			"before it deletes or changes files of yours, and before it goes to the internet. With\n" +
			"--network off the workroom has none; pages can still be read for it from outside,\n" +
			"each with your yes. Keys stay outside of the workroom; see `piwork key`. With - the\n" +
			"text is the standard input.",
		Example: "  piwork ask \"Summarise my notes\" --folder ~/Notes\n" +
			"  piwork ask \"Put the invoices into folders by year\" --folder ~/Invoices:review",
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "a folder to share; repeat for more")
	f.StringArrayVar(&pictures, "picture", nil, "a picture to send along; repeat for more")
	f.StringVar(&network, "network", "", "off, restricted (asks for each host; the default) or on (anything but private addresses)")
	f.StringArrayVar(&presets, "allow-preset", nil, "a group of hosts that it may reach without asking (list them: piwork network presets); again for more than one")
	f.StringVar(&model, "model", "", "`PROVIDER/MODEL` to use (list them: piwork key models)")
	f.StringVar(&thinking, "thinking", "", "how long it thinks: off, minimal, low, medium or high")
	f.StringVar(&budget, "budget", "", "spending limit in US dollars, such as 0.50")
	room.Add(cmd)
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		chosen, err := flags.ParseFolders(folders)
		if err != nil {
			return err
		}
		req := tasks.StartRequest{
			Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: args[0], Model: model, Thinking: thinking}, Folders: chosen, Network: task.Network(network),
			Accept: e.Yes, MachineChoice: tasks.MachineChoice{Accel: e.accel}, Presets: presets,
		}
		if args[0] == "-" {
			text, err := e.stdin()
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
		return e.with(ctx, func(ctx context.Context, s *session) error {
			if err := unlocked(ctx, s); err != nil {
				return err
			}
			if req.Network == task.NetworkOff {
				if err := stillReachable(ctx, s); err != nil {
					return err
				}
			}
			return startTask(ctx, s, req)
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
			wording.Texts().Rule(&r)
			names = append(names, r.Name)
		}
	}
	if len(names) > 0 {
		s.Hint("Without a network it can still read pages that you allowed for every task: %s.\nSee `piwork network show`.", strings.Join(names, ", "))
	}
	return nil
}

// sayCommand gives a task another message.
func sayCommand(e *env) *cobra.Command {
	var later bool
	var pictures []string
	cmd := onTask(e, `say ID "TEXT"`, "Send a message to an AI task; one that is over continues", cobra.ExactArgs(2),
		func(ctx context.Context, s *session, t task.Task, rest []string) (err error) {
			r := tasks.SayRequest{Text: rest[0], How: "steer"}
			if later {
				r.How = "followUp"
			}
			if r.Images, err = flags.ReadPictures(pictures); err != nil {
				return err
			}
			if !t.State.Final() { // who started it watches it
				t, err := s.Say(ctx, t.ID, r)
				return s.Reply(t, err, func() { s.Print("It was told.") })
			}
			f := &follower{session: s, accepted: true, since: time.Now(), req: tasks.StartRequest{Kind: t.Kind, Accept: s.Yes}}
			return f.follow(ctx, func() (task.Task, error) { return s.Say(ctx, t.ID, r) })
		})
	cmd.Flags().BoolVar(&later, "later", false, "deliver it when the AI has finished its current work")
	cmd.Flags().StringArrayVar(&pictures, "picture", nil, "a picture to send along; repeat for more")
	return cmd
}

// unsayCommand takes back what a task was told and has not heard.
func unsayCommand(e *env) *cobra.Command {
	var all bool
	cmd := onTask(e, "unsay ID", "Remove the last queued message of an AI task", cobra.ExactArgs(1),
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
					s.Print("undone      %s", terminal.PrintableText(p.Text))
				}
				if len(waits) == 0 {
					s.Print("No message waits to be heard.")
				}
			})
		})
	cmd.Flags().BoolVar(&all, "all", false, "all queued messages")
	return cmd
}

// said shows a message of the agent.
func (f *follower) said(d task.MessageData) {
	if f.JSON || d.Role != "assistant" || strings.TrimSpace(d.Text) == "" {
		return
	}
	f.bar.Stop()
	if f.IsTerminal(f.Stdout) {
		f.Print("The AI:\n%s\n", wording.Quoted(d.Text))
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
		f.bar.Step(wording.Texts().Tooling(d))
		if !f.IsTerminal(f.Stderr) || f.Verbose {
			f.Hint("%s", wording.Texts().Tooling(d))
		}
	case d.State == "failed" && f.Verbose:
		f.Hint("%s", wording.Texts().Tooling(d))
	}
}

// noticed shows what matters of the agent's own state.
func (f *follower) noticed(d task.NoticeData) {
	if f.summary != nil && summaryCodes[d.Code] {
		*f.summary = d
		return
	}
	if f.JSON || wording.QuietNotices[d.Code] {
		return
	}
	f.bar.Step(wording.Texts().Notice(d))
	if !f.IsTerminal(f.Stderr) {
		f.Hint("%s", wording.Texts().Notice(d))
	}
}

// spent says what a task used of models.
func (f *follower) spent(t task.Task) {
	if f.JSON || t.AI == nil || t.AI.Usage.Requests == 0 {
		return
	}
	f.Hint("%s", wording.UsageWords(t.AI.Usage))
	if t.State.Final() {
		f.Hint("Say more: piwork task say %s \"TEXT\"", words.ShortID(t.ID))
	}
}
