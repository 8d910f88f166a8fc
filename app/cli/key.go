package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/models"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func keyCommand(e *env) *cobra.Command {
	cmd := group("key", "Manage keys and models of AI services", "")
	var r models.KeyRequest
	set := &cobra.Command{
		Use:   "set PROVIDER",
		Short: "Save a key, typed or read from standard input",
		Long: "Keeps the key of an AI service in the keychain of this computer. With --base-url\n" +
			"any server that speaks the protocol of one can be used, also one on this computer;\n" +
			"a server that needs no key is set with --no-key.",
		Example: "  piwork key set anthropic\n  piwork key set ollama --base-url http://127.0.0.1:11434/v1 --no-key",
		Args:    cobra.ExactArgs(1),
	}
	var noKey bool
	set.Flags().StringVar(&r.BaseURL, "base-url", "", "where the service is, when it is not the usual place")
	set.Flags().StringVar(&r.Protocol, "protocol", "", "what it speaks: openai (the default with --base-url), anthropic or google")
	set.Flags().StringVar(&r.Name, "name", "", "how it is called")
	set.Flags().BoolVar(&noKey, "no-key", false, "it needs no key")
	set.RunE = do(func(ctx context.Context, args []string) error {
		if !noKey {
			typed, err := e.password(ctx, "the key of "+words.Printable(args[0]))
			if err != nil {
				return err
			}
			if r.Key = strings.TrimSpace(typed); r.Key == "" {
				return flags.Usage("no key was given; type it, or pipe it into the command")
			}
		}
		return e.with(ctx, func(ctx context.Context, s *session) error {
			k, err := s.SetKey(ctx, args[0], r)
			return e.Reply(k, err, func() { e.Print("Kept: %s", wording.KeyLine(k)) })
		})
	})
	cmd.AddCommand(set,
		&cobra.Command{Use: "list", Short: "List AI services and their keys", Args: cobra.NoArgs, RunE: e.connected(keyList)},
		&cobra.Command{
			Use: "test PROVIDER", Short: "Check a key with its service", Args: cobra.ExactArgs(1),
			RunE: e.connected(func(ctx context.Context, s *session, args []string) error { return keyTest(ctx, s, args[0]) }),
		},
		&cobra.Command{
			Use: "remove PROVIDER", Short: "Delete a key", Args: cobra.ExactArgs(1),
			RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
				return e.Reply(map[string]string{"removed": args[0]}, s.RemoveKey(ctx, args[0]), func() { e.Print("Forgotten.") })
			}),
		},
		modelsCommand(e), modelSaidCommand(e), loginCommand(e), storeCommand(e), unlockCommand(e), passphraseCommand(e),
	)
	return cmd
}

func keyList(ctx context.Context, s *session, _ []string) error {
	list, err := s.Keys(ctx)
	return s.Reply(list, err, func() {
		for _, k := range list {
			s.Print("%s", wording.KeyLine(k))
		}
	})
}

func keyTest(ctx context.Context, s *session, provider string) error {
	r, err := s.TestKey(ctx, provider)
	if err != nil {
		return err
	}
	s.Show(r, func() {
		if r.OK {
			s.Print("The service takes the key and offers %s.", terminal.Count(r.Models, "model"))
			return
		}
		s.Print("%s", wording.Texts().First(nil, "problem.model-failed."+r.Reason+".title", "cause.model."+r.Reason))
		if s.Verbose {
			s.Hint("%s", words.Printable(r.Detail))
		}
	})
	if !r.OK {
		return &ended{ExitFailed}
	}
	return nil
}

func modelsCommand(e *env) *cobra.Command {
	var choose string
	cmd := &cobra.Command{
		Use:     "models",
		Short:   "List the models you can use, and choose the default",
		Example: "  piwork key models --default anthropic/MODEL",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&choose, "default", "", "PROVIDER/MODEL that is taken when none is named; auto has it chosen")
	cmd.RunE = e.connected(func(ctx context.Context, s *session, _ []string) error {
		var m models.Catalogue
		var err error
		switch choose {
		case "":
			m, err = s.Models(ctx)
		case "auto":
			m, err = s.SetModel(ctx, models.ChoiceRequest{})
		default:
			m, err = s.SetModel(ctx, models.ChoiceRequest{Model: choose})
		}
		return e.Reply(m, err, func() {
			if len(m.List) == 0 {
				e.Print("There is no key of any AI service yet: piwork key set PROVIDER")
			}
			for _, i := range m.List {
				mark := " "
				if i.ID == m.Default {
					mark = "*"
				}
				e.Print("%s %s%s", mark, words.Printable(i.ID), wording.AbleLine(i))
			}
		})
	})
	return cmd
}
