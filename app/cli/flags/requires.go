package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/pack/lazyregexp"
	"piwork/vmhost"
)

// Words of --requires beside the names of kinds.
var (
	isolations = []vmhost.Isolation{vmhost.IsolationHardware, vmhost.IsolationEmulated, vmhost.IsolationNamespace, vmhost.IsolationNone}
	abilities  = []vmhost.Ability{vmhost.AbilityTools, vmhost.AbilityReadOnly, vmhost.AbilityLimits, vmhost.AbilityOffline, vmhost.AbilityAllowlist}
)

// kindName is a kind of place, or one of several of a kind.
var kindName = lazyregexp.New(`^[a-z][a-z0-9-]{0,30}(:[a-z0-9][a-z0-9-]{0,30})?$`)

// Requires adds the flag that says what a place has to be. Without it nothing is required.
func Requires(cmd *cobra.Command, to **vmhost.Requirement) {
	cmd.Flags().Var(&requirement{to: to}, "requires", "")
}

// requirement is its value: words that are parted by commas.
type requirement struct {
	to   **vmhost.Requirement
	said string
}

func (r *requirement) String() string { return r.said }

// Type implements [pflag.Value], as does Set.
func (r *requirement) Type() string { return "string" }

func (r *requirement) Set(s string) error {
	var out vmhost.Requirement
	for _, word := range strings.Split(s, ",") {
		switch {
		case slices.Contains(isolations, vmhost.Isolation(word)):
			out.AtLeast = vmhost.Isolation(word)
		case slices.Contains(abilities, vmhost.Ability(word)):
			out.Can = append(out.Can, vmhost.Ability(word))
		case kindName().MatchString(word):
			out.Kinds = append(out.Kinds, word)
		default:
			return errors.New("it is none of the words")
		}
	}
	*r.to, r.said = &out, s
	return nil
}
