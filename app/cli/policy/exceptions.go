package policy

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/policy"
	"piwork/app/words"
)

// exceptions has the commands on what the rules let through since proposals were accepted.
func exceptions(e *command.Env) *cobra.Command {
	return command.Group("exceptions",
		e.Command("list", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
			list, err := s.Exceptions(ctx)
			return s.Reply(list, err, func() {
				if len(list) == 0 {
					s.PrintText("exceptions-none")
				}
				for _, x := range list {
					s.Print("%s", ExceptionLine(x))
				}
			})
		}),
		e.EachCommand("remove ID...", func(ctx context.Context, s *command.Session, given string) error {
			list, err := ExceptionsLike(ctx, s, given)
			switch {
			case err != nil:
				return err
			case len(list) == 0:
				return flags.Usage("no-exception", "id", given)
			case len(list) > 1:
				return flags.Usage("several-exceptions", "id", given)
			}
			return RemoveException(ctx, s, list[0])
		}),
	)
}

// ExceptionsLike are the exceptions whose ids begin so.
func ExceptionsLike(ctx context.Context, s *command.Session, given string) (found []policy.RuleException, err error) {
	list, err := s.Exceptions(ctx)
	for _, x := range list {
		if given != "" && strings.HasPrefix(x.ID, strings.ToLower(given)) {
			found = append(found, x)
		}
	}
	return found, err
}

// RemoveException takes one back.
func RemoveException(ctx context.Context, s *command.Session, x policy.RuleException) error {
	return s.Reply(x, s.RemoveException(ctx, x.ID), func() { s.PrintText("exception-removed", "rule", exceptionSaid(x)) })
}

// ExceptionLine is an exception in one line: what it is, and when it ends.
func ExceptionLine(x policy.RuleException) string {
	out := words.Printable(x.ID + "  " + exceptionSaid(x))
	switch {
	case x.Ended:
		out += " " + terminal.Text("exception-ended")
	case x.Until != nil:
		out += " " + terminal.Text("rule-until", "time", x.Until.Local().Format(time.DateTime))
	case x.Task != "":
		out += " " + terminal.Text("exception-task", "task", words.ShortID(x.Task))
	default:
		out += " " + terminal.Text("exception-open")
	}
	if x.Edited {
		out += " " + terminal.Text("exception-edited")
	}
	return out
}

func exceptionSaid(x policy.RuleException) string {
	words.PolicyException(terminal.Texts(), &x)
	return x.Said
}
