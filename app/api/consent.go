package api

import (
	"context"
	"net/http"
	"piwork/app/consent"
	"piwork/app/models"

	"github.com/danielgtaylor/huma/v2"
)

// LoginRef names a login that was begun.
type LoginRef struct {
	ID string `path:"id" doc:"id of the login" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (a *API) registerConsent() {
	svc := a.opts.Service
	op := func(id, method, path, tag, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{tag}}
	}

	begin := op("beginLogin", http.MethodPost, "/api/keys/{provider}/login", "models", "Begin to sign in to a provider")
	begin.Description = "The person opens the address. What it needs is then done by itself, or by giving it the code that the page shows. Without a body it is the usual way of the provider."
	handle(a, begin, func(ctx context.Context, in *struct {
		ProviderRef
		Body *models.LoginRequest
	}) (*body[models.Login], error) {
		var r models.LoginRequest
		if in.Body != nil {
			r = *in.Body
		}
		return ok(svc.BeginLogin(ctx, in.Provider, r))
	})
	handle(a, op("getLogin", http.MethodGet, "/api/logins/{id}", "models", "How a login stands"),
		func(ctx context.Context, in *LoginRef) (*body[models.LoginState], error) {
			return ok(svc.LoginState(ctx, in.ID))
		})
	finish := op("finishLogin", http.MethodPost, "/api/logins/{id}", "models", "Give a login the code that the page showed")
	finish.Description = "A code that is not of this login is an error, and leaves it open."
	handle(a, finish, func(ctx context.Context, in *struct {
		LoginRef
		Body models.LoginCode
	}) (*body[models.LoginState], error) {
		return ok(svc.FinishLogin(ctx, in.ID, in.Body))
	})
	handle(a, op("cancelLogin", http.MethodDelete, "/api/logins/{id}", "models", "End a login"),
		func(ctx context.Context, in *LoginRef) (*none, error) { return &none{}, svc.CancelLogin(ctx, in.ID) })

	handle(a, op("getKeyStore", http.MethodGet, "/api/settings/keys", "models", "Where keys are kept"),
		func(ctx context.Context, _ *none) (*body[models.KeyStore], error) { return ok(svc.KeyStore(ctx)) })
	setStore := op("setKeyStore", http.MethodPut, "/api/settings/keys", "models", "Choose where keys are kept, and move them there")
	setStore.Description = "The file is made with the passphrase, or opened with it."
	handle(a, setStore, func(ctx context.Context, in *input[models.KeyStoreChoice]) (*body[models.KeyStore], error) {
		return ok(svc.SetKeyStore(ctx, in.Body))
	})
	handle(a, op("unlockKeys", http.MethodPost, "/api/settings/keys/unlock", "models", "Open the file of keys until the program ends"),
		func(ctx context.Context, in *input[models.Passphrase]) (*body[models.KeyStore], error) {
			return ok(svc.UnlockKeys(ctx, in.Body))
		})
	handle(a, op("changePassphrase", http.MethodPost, "/api/settings/keys/passphrase", "models", "Encrypt the file of keys with another passphrase"),
		func(ctx context.Context, in *input[models.PassphraseChange]) (*body[models.KeyStore], error) {
			return ok(svc.ChangePassphrase(ctx, in.Body))
		})

	handle(a, op("listNetworkPresets", http.MethodGet, "/api/network/presets", "network", "Groups of hosts, and which are allowed everywhere"),
		func(ctx context.Context, _ *none) (*body[[]consent.NetworkPreset], error) {
			return ok(svc.NetworkPresets(ctx))
		})
	handle(a, op("setNetworkPreset", http.MethodPut, "/api/network/presets/{name}", "network", "Allow a group of hosts everywhere, or not any more"),
		func(ctx context.Context, in *struct {
			Name string `path:"name" doc:"code of the group" minLength:"1" maxLength:"64" pattern:"^[a-z0-9-]+$"`
			Body consent.PresetChoice
		}) (*body[consent.NetworkPreset], error) {
			return ok(svc.SetNetworkPreset(ctx, in.Name, in.Body))
		})
	handle(a, op("getWebSearch", http.MethodGet, "/api/settings/search", "network", "What searches the web in the place of tasks"),
		func(ctx context.Context, _ *none) (*body[consent.WebSearch], error) { return ok(svc.WebSearch(ctx)) })
	handle(a, op("setWebSearch", http.MethodPut, "/api/settings/search", "network", "Choose what searches the web in the place of tasks"),
		func(ctx context.Context, in *input[consent.WebSearch]) (*body[consent.WebSearch], error) {
			return ok(svc.SetWebSearch(ctx, in.Body))
		})
}
