package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/approval"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	policycli "piwork/app/cli/policy"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/policy"
	"piwork/app/problem"
)

func rulesCommand(e *env) *cobra.Command {
	return command.Group("rules",
		e.Command("list", cobra.NoArgs, rulesList),
		e.Command("expire ID TIME|never", cobra.ExactArgs(2), ruleExpire),
		ruleNarrow(e),
		e.EachCommand("remove ID...", ruleRemove),
	)
}

// ruleNarrow has a decision hold for less.
func ruleNarrow(e *env) *cobra.Command {
	var to consent.RuleScope
	cmd := e.Command("narrow ID", cobra.ExactArgs(1), func(ctx context.Context, s *session, args []string) error {
		rule, err := oneRule(ctx, s, args[0])
		if err != nil {
			return err
		}
		less := to
		if less.Folder != "" {
			if less.Folder, err = s.Paths(ctx).Abs(less.Folder); err != nil {
				return problem.From(err)
			}
		}
		if less.Task != "" {
			if less.Task, err = command.FindTask(ctx, s, less.Task); err != nil {
				return err
			}
		}
		rule, err = s.NarrowRule(ctx, rule.ID, less)
		return s.Reply(rule, err, func() { s.PrintText("rule-saved", "rule", ruleWords(rule)+ruleUntil(rule)) })
	})
	cmd.Flags().StringVar(&to.Task, "task", "", "")
	cmd.Flags().StringVar(&to.Folder, "folder", "", "")
	cmd.Flags().StringVar(&to.Host, "host", "", "")
	cmd.MarkFlagsOneRequired("task", "folder", "host")
	cmd.MarkFlagsMutuallyExclusive("task", "folder", "host")
	return cmd
}

// grant is what rules list has: a decision, or an exception of a written rule.
type grant struct {
	*approval.Rule
	*policy.RuleException
}

// MarshalJSON writes the one that it is.
func (g grant) MarshalJSON() ([]byte, error) {
	var one any = g.RuleException
	if g.Rule != nil {
		one = g.Rule
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the text of a rule is read by people
	err := enc.Encode(one)
	return b.Bytes(), err
}

func rulesList(ctx context.Context, s *session, _ []string) error {
	list, err := s.Rules(ctx)
	if err != nil {
		return err
	}
	exceptions, err := s.Exceptions(ctx) // which are grants, too
	all := []grant{}
	for i := range list {
		all = append(all, grant{Rule: &list[i]})
	}
	for i := range exceptions {
		all = append(all, grant{RuleException: &exceptions[i]})
	}
	return s.Reply(all, err, func() {
		if len(all) == 0 {
			s.PrintText("no-rules")
		}
		for _, r := range list {
			s.Print("%s  %s%s", r.ID, ruleWords(r), ruleUntil(r))
		}
		for _, x := range exceptions {
			s.Print("%s", policycli.ExceptionLine(x))
		}
	})
}

// ruleUntil is which program decided, and when a decision ends, for the end of its line.
func ruleUntil(r approval.Rule) string {
	out := ""
	if r.Client != "" {
		out = " " + terminal.Text("rule-by", "client", r.Client)
	}
	if r.Expires != nil {
		out += " " + terminal.Text("rule-until", "time", r.Expires.Local().Format(time.DateTime))
	}
	return out
}

// ruleExpire says when a decision ends: at a time, or after so long.
func ruleExpire(ctx context.Context, s *session, args []string) error {
	rule, err := oneRule(ctx, s, args[0])
	if err != nil {
		return err
	}
	var end consent.RuleEnd
	if args[1] != "never" {
		now := time.Now()
		at, err := flags.ParseTime("TIME", args[1], now)
		if err != nil {
			return err
		}
		if age, aerr := flags.ParseAge("TIME", args[1]); aerr == nil {
			at = now.Add(age)
		}
		end.Expires = &at
	}
	rule, err = s.SetRuleEnd(ctx, rule.ID, end)
	return s.Reply(rule, err, func() { s.PrintText("rule-saved", "rule", ruleWords(rule)+ruleUntil(rule)) })
}

func ruleRemove(ctx context.Context, s *session, given string) error {
	if decided, err := rulesLike(ctx, s, given); err == nil && len(decided) == 0 {
		if all, err := policycli.ExceptionsLike(ctx, s, given); err != nil || len(all) == 1 {
			if err != nil {
				return err
			}
			return policycli.RemoveException(ctx, s, all[0])
		}
	}
	rule, err := oneRule(ctx, s, given)
	if err != nil {
		return err
	}
	return s.Reply(rule, s.RemoveRule(ctx, rule.ID), func() { s.PrintText("rule-removed", "rule", ruleWords(rule)) })
}

// oneRule finds a decision by the beginning of its id.
func oneRule(ctx context.Context, s *session, given string) (approval.Rule, error) {
	if given == "" {
		return approval.Rule{}, flags.Usage("which-rule")
	}
	found, err := rulesLike(ctx, s, given)
	if err != nil {
		return approval.Rule{}, err
	}
	if len(found) == 0 {
		return approval.Rule{}, flags.Usage("no-rule", "id", given)
	}
	if len(found) > 1 {
		return approval.Rule{}, flags.Usage("several-rules", "id", given, "count", len(found))
	}
	return found[0], nil
}

// rulesLike are the decisions whose ids begin so.
func rulesLike(ctx context.Context, s *session, given string) (found []approval.Rule, err error) {
	list, err := s.Rules(ctx)
	for _, r := range list {
		if strings.HasPrefix(r.ID, strings.ToLower(given)) {
			found = append(found, r)
		}
	}
	return found, err
}

// ruleWords says what was decided for longer than once.
func ruleWords(r approval.Rule) string {
	terminal.Texts().Rule(&r)
	return r.Said
}
