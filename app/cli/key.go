package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/agent/program"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/models"
	"piwork/app/words"
)

func keyCommand(e *env) *cobra.Command {
	cmd := command.Group("key")
	var r models.KeyRequest
	set := &cobra.Command{Use: "set PROVIDER", Args: cobra.ExactArgs(1)}
	var noKey bool
	set.Flags().StringVar(&r.BaseURL, "base-url", "", "")
	flags.OneWord(set.Flags(), &r.Protocol, "protocol", "anthropic", "openai", "google")
	set.Flags().StringVar(&r.Name, "name", "", "")
	set.Flags().BoolVar(&noKey, "no-key", false, "")
	set.RunE = command.Do(func(ctx context.Context, args []string) error {
		return e.With(ctx, func(ctx context.Context, s *session) error {
			if r.BaseURL == "" { // else it is one of the person's own
				k, err := findProvider(ctx, s, args[0])
				if err == nil && k.NoKey {
					err = flags.Usage("provider-login", "name", args[0])
				}
				if err != nil {
					return err
				}
			}
			if !noKey {
				typed, err := e.Prompt(ctx, "prompt-key", "provider", args[0])
				if err != nil {
					return err
				}
				if r.Key = strings.TrimSpace(typed); r.Key == "" {
					return flags.Usage("no-key")
				}
			}
			k, err := s.SetKey(ctx, args[0], r)
			return e.Reply(k, err, func() { e.PrintText("key-saved", "key", wording.KeyLine(k)) })
		})
	})
	cmd.AddCommand(set,
		e.Command("list", cobra.NoArgs, keyList),
		e.EachCommand("test PROVIDER...", keyTest),
		e.EachCommand("remove PROVIDER...", func(ctx context.Context, s *session, provider string) error {
			return e.Reply(map[string]string{"removed": provider}, s.RemoveKey(ctx, provider), func() { e.PrintText("deleted") })
		}),
		e.Command("agents", cobra.NoArgs, agentList), modelsCommand(e), modelSaidCommand(e), loginCommand(e), storeCommand(e), unlockCommand(e), passphraseCommand(e),
	)
	return cmd
}

// findProvider refuses a provider that there is not, before anybody types its key.
func findProvider(ctx context.Context, s *session, name string) (models.KeyInfo, error) {
	list, err := s.Keys(ctx)
	if err != nil {
		return models.KeyInfo{}, err
	}
	var known []string
	for _, k := range list {
		if k.Provider == name {
			return k, nil
		}
		known = append(known, k.Provider)
	}
	return models.KeyInfo{}, flags.Usage("no-provider", "name", name, "similar", flags.Similar(name, known))
}

func keyList(ctx context.Context, s *session, _ []string) error {
	list, err := s.Keys(ctx)
	return s.Reply(list, err, func() {
		if command.Wide(s, list, "PROVIDER NAME KEY KIND PLACE ENDING ADDRESS", func(k models.KeyInfo) []any {
			return []any{k.Provider, k.Name, k.Has, k.Kind, k.Place, k.Ending, k.BaseURL}
		}) {
			return
		}
		for _, k := range list {
			s.Print("%s", wording.KeyLine(k))
		}
	})
}

func agentList(ctx context.Context, s *session, _ []string) error {
	list, err := s.Programs(ctx)
	return s.Reply(list, err, func() {
		if command.Wide(s, list, "NAME TITLE ADDON INSTALLED SERVICES", func(p program.Info) []any {
			return []any{p.Name, p.Title, p.AddOn, p.Installed, strings.Join(p.Providers, ",")}
		}) {
			return
		}
		for _, p := range list {
			s.PrintText("agent-line", "name", p.Name, "installed", p.Installed, "addOn", p.AddOn, "services", strings.Join(p.Providers, ", "))
		}
	})
}

func keyTest(ctx context.Context, s *session, provider string) error {
	if _, err := findProvider(ctx, s, provider); err != nil {
		return err
	}
	r, err := s.TestKey(ctx, provider)
	if err != nil {
		return err
	}
	s.Show(r, func() {
		if r.OK {
			s.PrintText("key-works", "count", r.Models)
			return
		}
		s.Print("%s", r.Said)
		if next := map[string]string{"no-key": "key set " + provider, "key-refused": "key set " + provider, "login-ended": "key login " + provider, "key-store": "key store"}[r.Reason]; next != "" {
			s.HintText("next-command", "command", "piwork "+next)
		}
		if s.Verbose {
			s.Hint("%s", words.Printable(r.Detail))
		}
	})
	if !r.OK {
		return &command.Ended{Code: ExitFailed}
	}
	return nil
}

func modelsCommand(e *env) *cobra.Command {
	var choose string
	cmd := &cobra.Command{Use: "models", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&choose, "default", "", "")
	cmd.RunE = e.Connected(func(ctx context.Context, s *session, _ []string) error {
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
				e.PrintText("no-keys")
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
