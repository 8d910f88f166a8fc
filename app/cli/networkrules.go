package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/vmhost"
)

func networkCommand(e *env) *cobra.Command {
	return command.Group("network",
		e.Command("show", cobra.NoArgs, networkShow),
		presetsCommand(e), webSearchCommand(e),
		networkRule(e, "allow", vmhost.AnswerAllow),
		networkRule(e, "deny", vmhost.AnswerDeny),
		e.EachCommand("forget HOST|preset:NAME...", networkForget),
	)
}

// hostOrPreset reads "preset:npm" or a name.
func hostOrPreset(arg string) consent.NetworkRuleRequest {
	if preset, ok := strings.CutPrefix(arg, "preset:"); ok {
		return consent.NetworkRuleRequest{Preset: preset}
	}
	return consent.NetworkRuleRequest{Host: arg}
}

func networkRule(e *env, use, answer string) *cobra.Command {
	var inTask string
	cmd := &cobra.Command{Use: use + " HOST|preset:NAME...", Args: cobra.MinimumNArgs(1)}
	cmd.Flags().StringVar(&inTask, "task", "", "")
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		for _, arg := range args {
			if name, _, _ := strings.Cut(hostOrPreset(arg).Host, ":"); answer == vmhost.AnswerAllow && strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
				return flags.Usage("localhost")
			}
		}
		return e.With(ctx, func(ctx context.Context, s *session) (err error) {
			in := ""
			if inTask != "" {
				if in, err = command.FindTask(ctx, s, inTask); err != nil {
					return err
				}
			}
			return e.Each(args, func(arg string) error {
				r := hostOrPreset(arg)
				if err := knownPreset(ctx, s, r.Preset); err != nil {
					return err
				}
				r.Answer, r.Task = answer, in
				rule, err := s.AddNetworkRule(ctx, r)
				if err = badHost(arg, err); err != nil {
					return err
				}
				return e.Reply(rule, err, func() { e.PrintText("rule-saved", "rule", ruleWords(rule)) })
			})
		})
	})
	return cmd
}

// badHost says what an address looks like, where the controller refused one.
func badHost(arg string, err error) error {
	if p, is := errors.AsType[*problem.Problem](err); is && p.Code == problem.CodeBadRequest && p.Params["field"] == "host" {
		return flags.Usage("host", "value", arg)
	}
	return err
}

func networkShow(ctx context.Context, s *session, _ []string) error {
	n, err := s.NetworkRules(ctx)
	return s.Reply(n, err, func() {
		if len(n.Rules) == 0 {
			s.PrintText("no-network-rules")
		}
		for _, r := range n.Rules {
			s.Print("%s  %s", r.ID, ruleWords(r))
		}
		s.Print("\n%s", terminal.Text("preset-list"))
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
			s.Show(r, func() { s.PrintText("rule-removed", "rule", ruleWords(r)) })
		}
	}
	if !found {
		return flags.Usage("not-decided", "name", arg)
	}
	return nil
}
