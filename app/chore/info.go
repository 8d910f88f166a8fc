package chore

import (
	"maps"

	"piwork/pack/tools"
)

// Info is what a person needs to choose and start a chore. The words are of package
// words, which writes them where a chore is shown.
type Info struct {
	Name    string      `json:"name"` // e.g. "pictures-to-pdf"
	Params  []ParamInfo `json:"params"`
	Effects []Effect    `json:"effects"` // the strongest it may have
	Needs   []string    `json:"needs"`   // add-ons of the pack
	Network bool        `json:"-"`       // it reaches the web: a person is asked about each host
	AI      *AIPart     `json:"ai,omitempty"`

	Title string            `json:"title,omitempty"`
	About string            `json:"about,omitempty"`
	Run   string            `json:"run,omitempty"`  // of the button that carries it out
	Unit  map[string]string `json:"unit,omitempty"` // what it counts, behind "3 of 12", by whether that is "one" or "other"
}

// ParamInfo describes one parameter; every one has a good default, but for a
// password.
type ParamInfo struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // "string", "bool", "int", "choice", "password"
	Default any      `json:"default"`
	Choices []string `json:"choices,omitempty"`
	Min     *int     `json:"min,omitempty"` // of an int
	Max     *int     `json:"max,omitempty"`

	Words tools.ParamWords `json:"words,omitzero"`
}

// TypePassword is the type of a parameter whose value is kept nowhere: not in a
// plan, not in a record, and on no command line.
const TypePassword = "password"

// Recorded are the parameters of a request as they may be written down: without
// its passwords.
func Recorded(info Info, params map[string]any) map[string]any {
	out := maps.Clone(params)
	for _, p := range info.Params {
		if p.Type == TypePassword {
			delete(out, p.Name)
		}
	}
	return out
}

// WithPasswords are recorded parameters with the passwords of given.
func WithPasswords(info Info, recorded, given map[string]any) map[string]any {
	out := maps.Clone(recorded)
	for _, p := range info.Params {
		if p.Type == TypePassword && given[p.Name] != nil {
			out[p.Name] = given[p.Name]
		}
	}
	return out
}
