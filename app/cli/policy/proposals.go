package policy

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/consent"
	"piwork/app/policy"
	"piwork/app/words"
)

// proposals has the commands on what AIs were refused.
func proposals(e *command.Env) *cobra.Command {
	var holds string
	accept := e.EachCommand("accept ID...", func(ctx context.Context, s *command.Session, given string) error {
		p, err := one(ctx, s, given)
		if err != nil {
			return err
		}
		a := consent.Acceptance{Holds: p.Careful}
		if holds != "" {
			chosen, err := flags.OneOf("--for", []string{holds}, policy.Holds())
			if err != nil {
				return err
			}
			a.Holds = chosen[0]
		}
		now, err := s.AcceptProposal(ctx, p.ID, a)
		return s.Reply(now, err, func() {
			s.PrintText("proposal-accepted", "rule", said(p), "holds", wording.Name("holds", a.Holds))
		})
	})
	accept.Flags().StringVar(&holds, "for", "", "")
	_ = accept.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(flags.Names(policy.Holds()), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return command.Group("proposals",
		e.Command("list", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
			list, err := s.Proposals(ctx)
			return s.Reply(list, err, func() {
				if len(list) == 0 {
					s.PrintText("proposals-none")
				}
				for _, p := range list {
					s.Print("%s  %s", p.ID, said(p))
					s.PrintText("proposal-of", "task", words.ShortID(p.Task), "rule", p.Rule)
					for line := range strings.Lines(p.Cedar) {
						s.Print("    %s", words.Printable(strings.TrimRight(line, "\r\n")))
					}
				}
			})
		}),
		accept,
		e.EachCommand("drop ID...", func(ctx context.Context, s *command.Session, given string) error {
			p, err := one(ctx, s, given)
			if err != nil {
				return err
			}
			return s.Reply(p, s.DropProposal(ctx, p.ID), func() { s.PrintText("proposal-dropped", "rule", said(p)) })
		}),
	)
}

// said is a proposal in words.
func said(p policy.Proposal) string {
	words.PolicyProposal(terminal.Texts(), &p)
	return p.Said
}

// one finds a proposal by the beginning of its id.
func one(ctx context.Context, s *command.Session, given string) (policy.Proposal, error) {
	list, err := s.Proposals(ctx)
	if err != nil {
		return policy.Proposal{}, err
	}
	var found []policy.Proposal
	for _, p := range list {
		if given != "" && strings.HasPrefix(p.ID, strings.ToLower(given)) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return policy.Proposal{}, flags.Usage("no-proposal", "id", given)
	}
	return policy.Proposal{}, flags.Usage("several-proposals", "id", given)
}
