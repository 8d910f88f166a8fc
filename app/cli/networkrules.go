package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/consent"
	"piwork/vmhost"

	"piwork/app/cli/wording"
)

func networkCommand(e *env) *cobra.Command {
	return group("network", "Choose what tasks can reach on the internet",
		"A task whose network is restricted reaches what is allowed here, and asks about\n"+
			"everything else. Private addresses and this computer are never reached unless the\n"+
			"address itself is allowed.",
		&cobra.Command{Use: "show", Short: "Show allowed and denied names", Args: cobra.NoArgs, RunE: e.connected(networkShow)},
		presetsCommand(e), webSearchCommand(e),
		networkRule(e, "allow", vmhost.AnswerAllow, "Allow a name"),
		networkRule(e, "deny", vmhost.AnswerDeny, "Deny a name"),
		&cobra.Command{
			Use: "forget HOST|preset:NAME", Short: "Remove a decision; you are asked again", Args: cobra.ExactArgs(1),
			RunE: e.connected(func(ctx context.Context, s *session, args []string) error { return networkForget(ctx, s, args[0]) }),
		},
	)
}

// hostOrPreset reads "preset:npm" or a name.
func hostOrPreset(arg string) consent.NetworkRuleRequest {
	if preset, ok := strings.CutPrefix(arg, "preset:"); ok {
		return consent.NetworkRuleRequest{Preset: preset}
	}
	return consent.NetworkRuleRequest{Host: arg}
}

func networkRule(e *env, use, answer, short string) *cobra.Command {
	var inTask string
	cmd := &cobra.Command{
		Use: use + " HOST|preset:NAME", Short: short + ", for every task or for one that runs",
		Long: short + ": example.org (the web of it), *.example.org (names below it),\n" +
			"example.org:22 (another port), an address, or a group of names: preset:wikipedia.\n" +
			"It holds at once, also for tasks that run.",
		Example: "  piwork network " + use + " example.org", Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&inTask, "task", "", "only in this task, while it runs")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		r := hostOrPreset(args[0])
		if name, _, _ := strings.Cut(r.Host, ":"); answer == vmhost.AnswerAllow && strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
			return flags.Usage("localhost is this computer, which a name does not open; allow its address: 127.0.0.1")
		}
		r.Answer = answer
		return e.with(ctx, func(ctx context.Context, s *session) error {
			if inTask != "" {
				id, err := findTask(ctx, s, inTask)
				if err != nil {
					return err
				}
				r.Task = id
			}
			rule, err := s.AddNetworkRule(ctx, r)
			return e.Reply(rule, err, func() { e.Print("Noted: %s", ruleWords(rule)) })
		})
	})
	return cmd
}

func networkShow(ctx context.Context, s *session, _ []string) error {
	n, err := s.NetworkRules(ctx)
	return s.Reply(n, err, func() {
		if len(n.Rules) == 0 {
			s.Print("Nothing is allowed or denied. A task whose network is restricted asks.")
		}
		for _, r := range n.Rules {
			s.Print("%s  %s", r.ID, ruleWords(r))
		}
		s.Print("\nGroups of names that can be allowed together:")
		for _, p := range n.Presets {
			s.Print("  %s", wording.PresetLine(p))
		}
	})
}

func networkForget(ctx context.Context, s *session, arg string) error {
	n, err := s.NetworkRules(ctx)
	if err != nil {
		return err
	}
	topic, found := consent.NetworkTopic(hostOrPreset(arg)), false
	for _, r := range n.Rules {
		if r.Topic == topic {
			if err := s.RemoveRule(ctx, r.ID); err != nil {
				return err
			}
			found = true
			s.Show(r, func() { s.Print("Removed: %s", ruleWords(r)) })
		}
	}
	if !found {
		return flags.Usage("nothing was decided about %s; see `piwork network show`", arg)
	}
	return nil
}
