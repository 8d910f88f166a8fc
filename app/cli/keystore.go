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
		Use:   "store [keychain|file]",
		Short: "Show or choose where keys are stored",
		Long: "Keys are in the keychain of this computer unless you choose the file: encrypted\n" +
			"with a passphrase, for computers without a keychain. The passphrase is asked for,\n" +
			"or read from the standard input, once after each start of piwork. Without it nobody\n" +
			"can read the keys.",
		Args: cobra.MaximumNArgs(1), ValidArgs: []string{models.StoreKeychain, models.StoreFile},
		RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
			k, err := s.KeyStore(ctx)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				r := models.KeyStoreChoice{Store: args[0]}
				switch {
				case args[0] != models.StoreFile && args[0] != models.StoreKeychain:
					return flags.Usage("keys are kept in the keychain or in a file, not %q", args[0])
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
	return &cobra.Command{
		Use: "unlock", Short: "Unlock the key file until piwork ends", Args: cobra.NoArgs,
		RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
			pass, err := e.Secret(ctx, "Passphrase of your keys: ")
			if err != nil {
				return err
			}
			k, err := s.UnlockKeys(ctx, models.Passphrase{Passphrase: pass})
			return e.Reply(k, err, func() { e.Print("%s", wording.StoreLine(k)) })
		}),
	}
}

func passphraseCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "passphrase", Short: "Change the passphrase of the key file", Args: cobra.NoArgs,
		Long: "Asks for the passphrase that holds now and for the new one, or reads them from the\n" +
			"standard input, a line each.",
		RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
			before, err := e.Secret(ctx, "Passphrase of your keys: ")
			if err != nil {
				return err
			}
			after, err := newPassphrase(ctx, e)
			if err != nil {
				return err
			}
			k, err := s.ChangePassphrase(ctx, models.PassphraseChange{Passphrase: before, New: after})
			return e.Reply(k, err, func() { e.Print("The passphrase was changed.") })
		}),
	}
}

// newPassphrase asks for one, twice where a person types it.
func newPassphrase(ctx context.Context, e *env) (string, error) {
	pass, err := e.Secret(ctx, "New passphrase, 8 characters or more: ")
	if err == nil && pass == "" {
		err = flags.Usage("no passphrase was given, and nothing was changed; type it, or pipe it into the command")
	}
	if err != nil || !e.IsTerminal(e.Stdin) {
		return pass, err
	}
	again, err := e.Secret(ctx, "Once more: ")
	if err == nil && again != pass {
		err = flags.Usage("these are two different passphrases; nothing was changed")
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
	pass, err := s.Secret(ctx, "Passphrase of your keys: ")
	if err != nil {
		return err
	}
	if pass == "" {
		return flags.Usage("no passphrase was given")
	}
	_, err = s.UnlockKeys(ctx, models.Passphrase{Passphrase: pass})
	return err
}
