package flags

import (
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

// kindName is a kind of place; remote and kubernetes can name one of theirs.
var kindName = lazyregexp.New(`^(vm|sandbox|container|host|(remote|kubernetes)(:[a-z0-9][a-z0-9-]{0,30})?)$`)

// requirable are all words of --requires, as an error lists them.
func requirable() []string {
	kinds := []string{vmhost.KindVM, vmhost.KindSandbox, vmhost.KindContainer, vmhost.KindHost, vmhost.KindRemote + "[:NAME]", vmhost.KindKubernetes + "[:NAME]"}
	return slices.Concat(kinds, Names(isolations), Names(abilities))
}

// Requires adds the flag that says what a place has to be. Without it nothing is required.
func Requires(cmd *cobra.Command, to **vmhost.Requirement) {
	cmd.Flags().Var(&requirement{to: to}, "requires", "")
}

// requirement is its value: words that are parted by commas. All of them have to hold, also
// those of the flag given before; of kinds, one.
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
	for _, word := range strings.Split(s, ",") {
		switch {
		case slices.Contains(isolations, vmhost.Isolation(word)):
			if i := vmhost.Isolation(word); out.AtLeast == "" || out.AtLeast.Weaker(i) {
				out.AtLeast = i
			}
		case slices.Contains(abilities, vmhost.Ability(word)):
			out.Can = append(out.Can, vmhost.Ability(word))
		case kindName().MatchString(word):
			out.Kinds = append(out.Kinds, word)
		default:
			return Usage("one-of", "flag", "--requires", "value", word, "choices", requirable())
		}
	}
	*r.to, r.said = &out, s
	return nil
}
