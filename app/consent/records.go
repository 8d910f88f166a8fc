package consent

import (
	"piwork/app/approval"
	"piwork/vmhost"
)

// AnswerRequest is an answer to a question.
type AnswerRequest struct {
	Answer string `json:"answer" enum:"allow,deny"`
	// Scope says for how long: "once", "task", "folder" or "always". A yes reaches as far
	// as the question offers, and by default no further than once; a no to changes of
	// files is about the task by default, any other about this once.
	Scope string `json:"scope,omitempty" enum:"once,task,folder,always"`
	// Seen is how many of its items were shown: one that grew meanwhile is decided
	// as far as that. 0 is all of them.
	Seen int `json:"seen,omitempty" minimum:"0"`
	// Rest refuses everything else, too, that the task asks while it runs: only with
	// "deny".
	Rest bool `json:"rest,omitempty"`
	// Unattended says that nobody is there to be asked: only "deny".
	Unattended bool `json:"unattended,omitempty"`
	// Choice is the number of the choice that is taken, from 0, of a question that
	// has some; Text what is written, of one that asks for a text. Their scope is
	// "once".
	Choice *int   `json:"choice,omitempty" minimum:"0"`
	Text   string `json:"text,omitempty" maxLength:"65536"`
	// May is as in approval.Answer.
	May func(vmhost.Question) error `json:"-"`
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

// NetworkRules is what tasks may reach.
type NetworkRules struct {
	Rules   []approval.Rule `json:"rules"` // their topic is "network/" and a name, or "network/preset/" and a preset
	Presets []NetworkPreset `json:"presets"`
}

// NetworkPreset is a group of names that are allowed together.
type NetworkPreset struct {
	Code    string   `json:"code"`
	Hosts   []string `json:"hosts"`
	Default bool     `json:"default"` // allowed unless it was denied
	On      bool     `json:"on"`      // allowed everywhere
	Title   string   `json:"title,omitempty" words:"shown"`
}

// NetworkRuleRequest allows or denies a name.
type NetworkRuleRequest struct {
	Host   string `json:"host,omitempty" maxLength:"253"` // a name, *.name or an address
	Preset string `json:"preset,omitempty" maxLength:"64"`
	Answer string `json:"answer" enum:"allow,deny"`
	Task   string `json:"task,omitempty" maxLength:"64"` // only while it runs; "" is everywhere
}
