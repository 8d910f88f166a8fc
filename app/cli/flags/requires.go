package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"piwork/vmhost"
)

// Requires adds the flag that says what a place has to be. Without it nothing is required.
func Requires(cmd *cobra.Command, to **vmhost.Requirement) {
	cmd.Flags().Var(&requirement{to: to}, "requires", "")
}

// requirement is its value: words that are parted by commas, also those of the flag given
// before.
type requirement struct {
	to   **vmhost.Requirement
	said string
}

func (r *requirement) String() string { return r.said }

// Type implements [pflag.Value], as does Set.
func (r *requirement) Type() string { return "string" }

func (r *requirement) Set(s string) error {
	var out vmhost.Requirement
	if *r.to != nil {
		out = **r.to
	}
	for word := range strings.SplitSeq(s, ",") {
		if !out.Add(strings.TrimSpace(word)) {
			return Usage("one-of", "flag", "--requires", "value", word, "choices", vmhost.RequirementWords())
		}
	}
	*r.to, r.said = &out, s
	return nil
}
