package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/models"

	"piwork/app/cli/wording"
)

func storeCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:  "store [keychain|file]",
		Args: cobra.MaximumNArgs(1), ValidArgs: []string{models.StoreKeychain, models.StoreFile},
		RunE: e.Connected(func(ctx context.Context, s *session, args []string) error {
			k, err := s.KeyStore(ctx)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				r := models.KeyStoreChoice{Store: args[0]}
				switch {
				case args[0] != models.StoreFile && args[0] != models.StoreKeychain:
					return flags.Usage("one-of", "flag", "store", "value", args[0], "choices", []string{models.StoreKeychain, models.StoreFile})
				case args[0] == models.StoreFile && k.Store != models.StoreFile:
					if r.Passphrase, err = newPassphrase(ctx, e); err != nil {
						return err
					}
				case k.Locked:
					if err := unlocked(ctx, s); err != nil {
						return err
					}
				}
				if k, err = s.SetKeyStore(ctx, r); err != nil {
					return err
				}
			}
			return e.Reply(k, nil, func() { e.Print("%s", wording.StoreLine(k)) })
		}),
	}
}

func unlockCommand(e *env) *cobra.Command {
	return e.Command("unlock", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		pass, err := e.Prompt(ctx, "prompt-passphrase")
		if err != nil {
			return err
		}
		k, err := s.UnlockKeys(ctx, models.Passphrase{Passphrase: pass})
		return e.Reply(k, err, func() { e.Print("%s", wording.StoreLine(k)) })
	})
}

func passphraseCommand(e *env) *cobra.Command {
	return e.Command("passphrase", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		before, err := e.Prompt(ctx, "prompt-passphrase")
		if err != nil {
			return err
		}
		after, err := newPassphrase(ctx, e)
		if err != nil {
			return err
		}
		k, err := s.ChangePassphrase(ctx, models.PassphraseChange{Passphrase: before, New: after})
		return e.Reply(k, err, func() { e.PrintText("passphrase-changed") })
	})
}

// newPassphrase asks for one, twice where a person types it.
func newPassphrase(ctx context.Context, e *env) (string, error) {
	pass, err := e.Prompt(ctx, "prompt-new")
	if err == nil && pass == "" {
		err = flags.Usage("no-passphrase")
	}
	if err != nil || !e.IsTerminal(e.Stdin) {
		return pass, err
	}
	again, err := e.Prompt(ctx, "prompt-again")
	if err == nil && again != pass {
		err = flags.Usage("passphrases-differ")
	}
	return pass, err
}

// unlocked asks for the passphrase if the key file is locked and a person can answer.
func unlocked(ctx context.Context, s *session) error {
	if !s.CanAsk() {
		return nil // what needs them says that they are locked
	}
	k, err := s.KeyStore(ctx)
	if err != nil || !k.Locked {
		return err
	}
	pass, err := s.Prompt(ctx, "prompt-passphrase")
	if err != nil {
		return err
	}
	if pass == "" {
		return flags.Usage("no-passphrase")
	}
	_, err = s.UnlockKeys(ctx, models.Passphrase{Passphrase: pass})
	return err
}
