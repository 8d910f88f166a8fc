package app

import (
	"context"
	"piwork/app/consent"
	"piwork/app/models"
)

// ConsentService is about what a person allows beforehand: logins, the place of
// keys, groups of hosts, and searching the web in the place of tasks.
type ConsentService interface {
	// BeginLogin begins to sign in to a provider. The person opens the address; then
	// the login is done by itself, or with the code that the page shows. One that was
	// begun for the same provider ends.
	BeginLogin(ctx context.Context, provider string, r models.LoginRequest) (models.Login, error)
	// LoginState says how a login stands. It is forgotten a while after its end.
	LoginState(ctx context.Context, id string) (models.LoginState, error)
	// FinishLogin gives it the code. A code that is not of this login leaves it open.
	FinishLogin(ctx context.Context, id string, c models.LoginCode) (models.LoginState, error)
	// CancelLogin ends one.
	CancelLogin(ctx context.Context, id string) error

	// KeyStore says where keys are kept.
	KeyStore(ctx context.Context) (models.KeyStore, error)
	// SetKeyStore chooses it, and moves the keys there. A file is made with the
	// passphrase, or opened with it.
	SetKeyStore(ctx context.Context, c models.KeyStoreChoice) (models.KeyStore, error)
	// UnlockKeys opens the file until the program ends.
	UnlockKeys(ctx context.Context, p models.Passphrase) (models.KeyStore, error)
	// ChangePassphrase encrypts the file with another one.
	ChangePassphrase(ctx context.Context, p models.PassphraseChange) (models.KeyStore, error)

	// NetworkPresets lists the groups of hosts, and which are allowed everywhere.
	NetworkPresets(ctx context.Context) ([]consent.NetworkPreset, error)
	// SetNetworkPreset allows one everywhere, or does not any more.
	SetNetworkPreset(ctx context.Context, code string, c consent.PresetChoice) (consent.NetworkPreset, error)

	// consent.WebSearch says what searches the web in the place of tasks.
	WebSearch(ctx context.Context) (consent.WebSearch, error)
	// SetWebSearch chooses it.
	SetWebSearch(ctx context.Context, s consent.WebSearch) (consent.WebSearch, error)
}
