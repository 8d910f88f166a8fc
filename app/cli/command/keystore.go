package command

import (
	"context"

	"piwork/app/cli/flags"
	"piwork/app/models"
)

// NewPassphrase asks for one, twice where a person types it.
func (e *Env) NewPassphrase(ctx context.Context) (string, error) {
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

// StorePassphrase asks for what it takes to move keys: the passphrase of the file that they
// come to, or of the locked one that they are in.
func (s *Session) StorePassphrase(ctx context.Context, now models.KeyStore, to string) (string, error) {
	if to == models.StoreFile && now.Store != models.StoreFile {
		return s.NewPassphrase(ctx)
	}
	return "", s.unlock(ctx, now)
}

// Unlock asks for the passphrase if the key file is locked and a person can answer. Else
// what needs keys says that they are locked.
func (s *Session) Unlock(ctx context.Context) error {
	if !s.CanAsk() {
		return nil
	}
	k, err := s.KeyStore(ctx)
	if err != nil {
		return err
	}
	return s.unlock(ctx, k)
}

func (s *Session) unlock(ctx context.Context, now models.KeyStore) error {
	if !now.Locked || !s.CanAsk() {
		return nil
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
