package chore

// Info is what a person needs to choose and start a chore. Words for codes
// live in the catalogues of the window and the command line.
type Info struct {
	Name    string      `json:"name"` // e.g. "pictures-to-pdf"
	Params  []ParamInfo `json:"params"`
	Effects []Effect    `json:"effects"` // the strongest it may have
	Needs   []string    `json:"needs"`   // add-ons of the pack
}

// ParamInfo describes one parameter; every one has a good default.
type ParamInfo struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // "string", "bool", "int", "choice"
	Default any      `json:"default"`
	Choices []string `json:"choices,omitempty"`
}
