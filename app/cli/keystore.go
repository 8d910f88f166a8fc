package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/models"
)

func storeCommand(e *env) *cobra.Command {
	places := []string{models.StoreKeychain, models.StoreFile}
	return &cobra.Command{
		Use:  "store [keychain|file]",
		Args: cobra.MaximumNArgs(1), ValidArgs: places,
		RunE: e.Connected(func(ctx context.Context, s *session, args []string) error {
			if _, err := flags.OneOf("store", args, places); err != nil {
				return err
			}
			k, err := s.KeyStore(ctx)
			if err == nil && len(args) == 1 {
				r := models.KeyStoreChoice{Store: args[0]}
				if r.Passphrase, err = s.StorePassphrase(ctx, k, r.Store); err == nil {
					k, err = s.SetKeyStore(ctx, r)
				}
			}
			return e.Reply(k, err, func() { e.Print("%s", wording.StoreLine(k)) })
		}),
	}
}

func unlockCommand(e *env) *cobra.Command {
	return e.Command("unlock", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		k, err := s.KeyStore(ctx)
		if err == nil && k.Locked {
			var r models.Passphrase
			if r.Passphrase, err = e.Prompt(ctx, "prompt-passphrase"); err == nil {
				k, err = s.UnlockKeys(ctx, r)
			}
		}
		return e.Reply(k, err, func() { e.Print("%s", wording.StoreLine(k)) })
	})
}

func passphraseCommand(e *env) *cobra.Command {
	return e.Command("passphrase", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		now, err := s.ModelsChosen(ctx)
		if err == nil && now.Store != models.StoreFile {
			err = flags.Usage("no-key-file")
		}
		if err != nil {
			return err
		}
		before, err := e.Prompt(ctx, "prompt-passphrase")
		if err != nil {
			return err
		}
		after, err := e.NewPassphrase(ctx)
		if err != nil {
			return err
		}
		k, err := s.ChangePassphrase(ctx, models.PassphraseChange{Passphrase: before, New: after})
		return e.Reply(k, err, func() { e.PrintText("passphrase-changed") })
	})
}
