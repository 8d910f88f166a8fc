package api

import (
	"context"

	"piwork/app/agent/program"
	"piwork/app/models"
	"piwork/app/problem"
)

// modelService has the models of AI tasks, the keys to them, and where keys are kept.
type modelService interface {
	Models(context.Context) (models.Catalogue, error)
	Programs(context.Context) ([]program.Info, error)
	ModelsChosen(context.Context) (models.Chosen, error)
	SetModel(context.Context, models.ChoiceRequest) (models.Catalogue, error)
	OverrideModel(context.Context, models.OverrideRequest) (models.Catalogue, error)
	Keys(context.Context) ([]models.KeyInfo, error)
	SetKey(ctx context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error)
	RemoveKey(ctx context.Context, provider string) error
	TestKey(ctx context.Context, provider string) (models.KeyTest, error)
	BeginLogin(ctx context.Context, provider string, r models.LoginRequest) (models.Login, error)
	LoginState(ctx context.Context, id string) (models.LoginState, error)
	FinishLogin(ctx context.Context, id string, c models.LoginCode) (models.LoginState, error)
	CancelLogin(ctx context.Context, id string) error
	KeyStore(context.Context) (models.KeyStore, error)
	SetKeyStore(context.Context, models.KeyStoreChoice) (models.KeyStore, error)
	UnlockKeys(context.Context, models.Passphrase) (models.KeyStore, error)
	ChangePassphrase(context.Context, models.PassphraseChange) (models.KeyStore, error)
}

// ProviderRef names a provider of models.
type ProviderRef struct {
	Provider string `path:"provider" doc:"short name of the provider" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9._-]*$"`
}

func (r ProviderRef) id() string { return r.Provider }

// LoginRef names a login that was begun.
type LoginRef struct {
	ID string `path:"id" doc:"id of the login" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (r LoginRef) id() string { return r.ID }

// modelOperations are about models and keys. Whose account a prompt goes to is the person's to
// choose, and so are keys, logins and the model.
var modelOperations = []operation{
	{"listModels", "GET /v1/models", "What can do an AI task", "", get(Service.Models).needing(needNothing).failing(problem.CodeKeysLocked, problem.CodeModelFailed)},
	{"listPrograms", "GET /v1/programs", "AI programs that can work on a task, and whose models each can use", "", get(Service.Programs).needing(needNothing).failing(problem.CodeKeysLocked, problem.CodeModelFailed, problem.CodeUpdateSettings)},
	{"getModelsChosen", "GET /v1/settings/models", "What was chosen about models and keys", "It asks neither the keychain nor a provider.", get(Service.ModelsChosen)},
	{"setModel", "PUT /v1/models/default", "Which model is taken when none is named", "What the person asks goes there. A program with a token cannot.", send(Service.SetModel).needing(needPerson).failing(problem.CodeKeysLocked, problem.CodeModelFailed, problem.CodeUnknownModel)},
	{"sayOfModel", "PUT /v1/models/said", "Say what a model of a service of one's own can do", "", send(Service.OverrideModel).failing(problem.CodeKeysLocked, problem.CodeModelFailed, problem.CodeNoModel, problem.CodeUnknownModel)},
	{"listKeys", "GET /v1/keys", "Providers of models, and whether there is a key", "", get(Service.Keys).failing(ofKeys...)},
	{"setKey", "PUT /v1/keys/{provider}", "Keep a key in the keychain of this computer", "It is never shown again. A program with a token cannot.",
		call(Service.SetKey, func(a *API, ctx context.Context, in *struct {
			ProviderRef
			Body models.KeyRequest
		}) (models.KeyInfo, error) {
			return a.service.SetKey(ctx, in.Provider, in.Body)
		}).needing(needPerson).failing(ofKeys...).failing(problem.CodeKeyInvalid)},
	{"removeKey", "DELETE /v1/keys/{provider}", "Forget a key", "", remove[ProviderRef](Service.RemoveKey).failing(ofKeys...).failing(problem.CodeKeyInvalid, problem.CodeNotFound)},
	{"testKey", "POST /v1/keys/{provider}/test", "Ask the provider whether it takes the key", "", of[ProviderRef](Service.TestKey).failing(problem.CodeKeysLocked)},

	{"beginLogin", "POST /v1/keys/{provider}/login", "Begin to sign in to a provider",
		"The person opens the address. What it needs is then done by itself, or by giving it the code that the page shows. Without a body it is the usual way of the provider. A program with a token cannot.",
		call(Service.BeginLogin, func(a *API, ctx context.Context, in *struct {
			ProviderRef
			Body *models.LoginRequest
		}) (models.Login, error) {
			return a.service.BeginLogin(ctx, in.Provider, orZero(in.Body))
		}).needing(needPerson).failing(problem.CodeKeyInvalid, problem.CodeKeysLocked, problem.CodeLoginFailed)},
	{"getLogin", "GET /v1/logins/{id}", "How a login stands", "", of[LoginRef](Service.LoginState).failing(problem.CodeNotFound)},
	{"finishLogin", "POST /v1/logins/{id}", "Give a login the code that the page showed", "A code that is not of this login is an error, and leaves it open. A program with a token cannot.",
		call(Service.FinishLogin, func(a *API, ctx context.Context, in *struct {
			LoginRef
			Body models.LoginCode
		}) (models.LoginState, error) {
			return a.service.FinishLogin(ctx, in.ID, in.Body)
		}).needing(needPerson).failing(problem.CodeLoginFailed, problem.CodeNotFound)},
	{"cancelLogin", "DELETE /v1/logins/{id}", "End a login", "", remove[LoginRef](Service.CancelLogin).failing(problem.CodeNotFound)},

	{"getKeyStore", "GET /v1/settings/keys", "Where keys are kept", "", get(Service.KeyStore)},
	{"setKeyStore", "PUT /v1/settings/keys", "Choose where keys are kept, and move them there", "The file is made with the passphrase, or opened with it. A program with a token cannot.", send(Service.SetKeyStore).needing(needPerson).failing(ofKeys...).failing(problem.CodePassphrase)},
	{"unlockKeys", "POST /v1/settings/keys/unlock", "Open the file of keys until the program ends", "A program with a token cannot.", send(Service.UnlockKeys).needing(needPerson).failing(problem.CodeKeychain, problem.CodePassphrase)},
	{"changePassphrase", "POST /v1/settings/keys/passphrase", "Encrypt the file of keys with another passphrase", "A program with a token cannot.", send(Service.ChangePassphrase).needing(needPerson).failing(ofKeys...).failing(problem.CodePassphrase)},
}
