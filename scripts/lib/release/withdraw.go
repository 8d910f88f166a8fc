package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

func (t *tool) withdrawCommand() *cobra.Command {
	var reason string
	var undo bool
	c := &cobra.Command{
		Use: "withdraw DIR VERSION", Short: "let nobody install a version any more", Args: cobra.ExactArgs(2),
		Long: `Withdraws a version of the runtime and of its add-ons, on every platform. Nobody
installs it, goes back to it or repairs with it from then on. Where it is in use it
stays in use until there is another one: offer a newer release as well.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return t.editKeyList(args[0], func(l *channel.KeyList) error {
				n := len(l.Withdrawn)
				l.Withdrawn = slices.DeleteFunc(l.Withdrawn, func(w channel.WithdrawnVersion) bool { return w.Version == args[1] })
				if !undo {
					l.Withdrawn = append(l.Withdrawn, channel.WithdrawnVersion{Version: args[1], Reason: reason})
				} else if len(l.Withdrawn) == n {
					return fmt.Errorf("%s is not withdrawn", args[1])
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for people")
	c.Flags().BoolVar(&undo, "undo", false, "let it be installed again")
	return c
}

func (t *tool) minimumCommand() *cobra.Command {
	return &cobra.Command{
		Use: "minimum DIR VERSION", Short: "let nobody install what is older than a version", Args: cobra.ExactArgs(2),
		Long: `Withdraws every version that is older than VERSION ("none" for no minimum), as
withdraw does.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return t.editKeyList(args[0], func(l *channel.KeyList) error {
				if l.Minimum = args[1]; args[1] == "none" {
					l.Minimum = ""
				}
				return nil
			})
		},
	}
}

// editKeyList changes what the keys of targets sign, and says when that leaves
// nothing to install.
func (t *tool) editKeyList(dir string, change func(*channel.KeyList) error) error {
	return t.change(func(_ *cobra.Command, r *repo.Repo, _ []string) error {
		l, err := r.KeyList()
		if err != nil {
			return err
		}
		if err := change(l); err != nil {
			return err
		}
		offered, err := r.Releases(t.channel)
		if err != nil {
			return err
		}
		for host, rel := range offered {
			if _, yes := l.Withdraws(rel.Version); yes {
				t.say("%s still offers %s for %s, which nobody can install from now on: add a newer release", t.channel, rel.Version, host)
			}
		}
		return r.SetKeyList(*l)
	})(nil, []string{dir})
}
