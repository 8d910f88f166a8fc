package models

import (
	"time"

	"piwork/app/problem"
)

// Catalogue is what can do an AI task.
type Catalogue struct {
	Default string  `json:"default"` // "<provider>/<model>"; "" where there is none
	Chosen  bool    `json:"chosen"`  // by the person
	List    []Model `json:"list"`
}

// Model is one model. What it can do is absent where it is not known, which is not
// the same as false.
type Model struct {
	ID       string `json:"id"` // "<provider>/<model>"
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Context  int64  `json:"context,omitempty"` // tokens
	Images   *bool  `json:"images,omitempty"`  // it can look at pictures
	Thinks   *bool  `json:"thinks,omitempty"`  // how long it thinks can be chosen
	// What a million tokens cost, in millionths of a US dollar; absent when unknown.
	InputPrice  int64 `json:"inputPrice,omitempty"`
	OutputPrice int64 `json:"outputPrice,omitempty"`
	Local       bool  `json:"local,omitempty"` // it runs on this computer

	Own  bool      `json:"own,omitempty"`  // of a service of the person's own: they can say what it can do
	Said *Override `json:"said,omitempty"` // what they said
}

// Override is what a person said of what a model can do; what is absent was not said.
type Override struct {
	Images  *bool `json:"images,omitempty"`                                  // it can look at pictures
	Thinks  *bool `json:"thinks,omitempty"`                                  // how long it thinks can be chosen
	Context int64 `json:"context,omitempty" minimum:"0" maximum:"100000000"` // tokens
}

// OverrideRequest says of a model what it can do.
type OverrideRequest struct {
	Model string `json:"model" minLength:"1" maxLength:"256"` // "<provider>/<model>"
	Override
}

// ChoiceRequest chooses a model.
type ChoiceRequest struct {
	Model string `json:"model" maxLength:"256"`
}

// Chosen is what a person chose, whether there is a key for it now or not.
type Chosen struct {
	Model string `json:"model"` // "<provider>/<model>"; "" has it chosen
	Store string `json:"store" enum:"keychain,file"`
}

// KeyInfo is a provider of models, as far as it may be shown.
type KeyInfo struct {
	Provider string    `json:"provider"`
	Name     string    `json:"name"`
	Has      bool      `json:"has"`
	Kind     string    `json:"kind,omitempty"`     // "key", "login" or "none" (it needs none)
	Place    string    `json:"place,omitempty"`    // "keychain", "file" or "environment"
	Ending   string    `json:"ending,omitempty"`   // of the key: its last four characters
	BaseURL  string    `json:"baseUrl,omitempty"`  // where it is, when a person said so
	Protocol string    `json:"protocol,omitempty"` // "anthropic", "openai", "google" or "pi-messages"
	Local    bool      `json:"local,omitempty"`    // found on this computer
	Expires  time.Time `json:"expires,omitzero"`   // of a login
	CanLogin bool      `json:"canLogin,omitempty"` // one can sign in to it, in place of a key
	NoKey    bool      `json:"noKey,omitempty"`    // it takes no key: one has to sign in
}

// KeyRequest is a key to keep.
type KeyRequest struct {
	Key      string `json:"key,omitempty" maxLength:"16384"` // empty for a provider that needs none
	BaseURL  string `json:"baseUrl,omitempty" maxLength:"2048"`
	Protocol string `json:"protocol,omitempty" enum:"anthropic,openai,google"`
	Name     string `json:"name,omitempty" maxLength:"100"`
}

// KeyTest is what a provider answered.
type KeyTest struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"` // code, where not
	Said   string `json:"said,omitempty" doc:"the reason, in the language asked for"`
	Detail string `json:"detail,omitempty"` // evidence
	Models int    `json:"models,omitempty"` // that it offers
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
