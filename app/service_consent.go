package app

import (
	"context"
	"time"

	"piwork/app/problem"
)

// ConsentService is about what a person allows beforehand: logins, the place of
// keys, groups of hosts, and searching the web in the place of tasks.
type ConsentService interface {
	// BeginLogin begins to sign in to a provider. The person opens the address; then
	// the login is done by itself, or with the code that the page shows. One that was
	// begun for the same provider ends.
	BeginLogin(ctx context.Context, provider string, r LoginRequest) (Login, error)
	// LoginState says how a login stands. It is forgotten a while after its end.
	LoginState(ctx context.Context, id string) (LoginState, error)
	// FinishLogin gives it the code. A code that is not of this login leaves it open.
	FinishLogin(ctx context.Context, id string, c LoginCode) (LoginState, error)
	// CancelLogin ends one.
	CancelLogin(ctx context.Context, id string) error

	// KeyStore says where keys are kept.
	KeyStore(ctx context.Context) (KeyStore, error)
	// SetKeyStore chooses it, and moves the keys there. A file is made with the
	// passphrase, or opened with it.
	SetKeyStore(ctx context.Context, c KeyStoreChoice) (KeyStore, error)
	// UnlockKeys opens the file until the program ends.
	UnlockKeys(ctx context.Context, p Passphrase) (KeyStore, error)
	// ChangePassphrase encrypts the file with another one.
	ChangePassphrase(ctx context.Context, p PassphraseChange) (KeyStore, error)

	// NetworkPresets lists the groups of hosts, and which are allowed everywhere.
	NetworkPresets(ctx context.Context) ([]NetworkPreset, error)
	// SetNetworkPreset allows one everywhere, or does not any more.
	SetNetworkPreset(ctx context.Context, code string, c PresetChoice) (NetworkPreset, error)

	// WebSearch says what searches the web in the place of tasks.
	WebSearch(ctx context.Context) (WebSearch, error)
	// SetWebSearch chooses it.
	SetWebSearch(ctx context.Context, s WebSearch) (WebSearch, error)
}

// LoginRequest says which way a login is made. The zero value is the usual one.
type LoginRequest struct {
	// Device signs in by a code that is typed in a browser on any device, where the
	// usual way is a browser on this computer.
	Device bool `json:"device,omitempty"`
	// Domain is a company's own GitHub, such as "company.ghe.com", with GitHub Copilot.
	Domain string `json:"domain,omitempty" maxLength:"256"`
}

// Login is one that was begun.
type Login struct {
	ID       string    `json:"id"`
	URL      string    `json:"url"`                // to open in a browser
	UserCode string    `json:"userCode,omitempty"` // that the page asks for, or shows
	Needs    string    `json:"needs" enum:"code,nothing"`
	Expires  time.Time `json:"expires"`
	// Terms says that by signing in the account agrees to the terms of the models of
	// the service that piwork can use.
	Terms bool `json:"terms,omitempty"`
}

// LoginState is how a login stands.
type LoginState struct {
	State string `json:"state" enum:"waiting,done,failed"`
	// Step is what a login that waits does after the person signed in: "terms" agrees to
	// the terms of models (see Login), which takes some seconds.
	Step    string           `json:"step,omitempty" enum:"terms"`
	Problem *problem.Problem `json:"problem,omitempty"`
}

// States of a login.
const (
	LoginWaiting = "waiting"
	LoginDone    = "done"
	LoginFailed  = "failed"
)

// StepTerms is a step of a login.
const StepTerms = "terms"

// LoginCode is what the page showed, or the address that the browser ended at.
type LoginCode struct {
	Code string `json:"code" minLength:"1" maxLength:"16384"`
}

// KeyStore is where keys are kept.
type KeyStore struct {
	Store    string `json:"store" enum:"keychain,file"`
	Locked   bool   `json:"locked"`   // of the file: it needs its passphrase
	Keychain bool   `json:"keychain"` // this computer has one that can be used
}

// Places of keys that can be chosen.
const (
	StoreKeychain = "keychain"
	StoreFile     = "file"
)

// KeyStoreChoice chooses a place.
type KeyStoreChoice struct {
	Store      string `json:"store" enum:"keychain,file"`
	Passphrase string `json:"passphrase,omitempty" maxLength:"1024"` // of the file
}

// Passphrase opens the file of keys.
type Passphrase struct {
	Passphrase string `json:"passphrase" maxLength:"1024"`
}

// PassphraseChange replaces the passphrase.
type PassphraseChange struct {
	Passphrase string `json:"passphrase" maxLength:"1024"` // that holds now
	New        string `json:"new" maxLength:"1024"`
}

// PresetChoice allows a group of hosts everywhere, or not.
type PresetChoice struct {
	On bool `json:"on"`
}

// WebSearch is what searches the web in the place of tasks.
type WebSearch struct {
	// Kind is "none", or "searxng": a server that answers as SearXNG does with
	// format=json.
	Kind string `json:"kind" enum:"none,searxng"`
	URL  string `json:"url,omitempty" maxLength:"2048"` // of the server
}

// Kinds of WebSearch.
const (
	SearchNone    = "none"
	SearchSearXNG = "searxng"
)
