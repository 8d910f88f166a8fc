package packs

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/cli/command"
	"piwork/app/cli/config"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/runtimepack/updater"
	"piwork/app/words"
)

// channelFlags change the settings about updates. Only those that were given change anything.
type channelFlags struct {
	urls  []string
	given map[string]*pflag.Flag // by the key in piwork config
}

// address adds the flag for the channel's address alone.
func (c *channelFlags) address(cmd *cobra.Command, name string) {
	cmd.Flags().StringArrayVar(&c.urls, name, nil, "")
	c.given = map[string]*pflag.Flag{"updates.urls": cmd.Flags().Lookup(name)}
}

func packChannelCommand(e *command.Env) *cobra.Command {
	var c channelFlags
	cmd := &cobra.Command{
		Use:  "channel",
		Args: cobra.NoArgs,
		RunE: command.Do(func(ctx context.Context, _ []string) error {
			changes, err := c.changes()
			if err != nil {
				return err
			}
			return e.With(ctx, func(ctx context.Context, s *command.Session) error {
				if err := config.Choose(ctx, s, changes); err != nil {
					return err
				}
				state, err := s.Update(ctx)
				return s.Reply(state, err, func() { printChannel(e, state) })
			})
		}),
	}
	c.address(cmd, "url")
	for _, name := range []string{"auto", "proxy", "ca-file"} {
		cmd.Flags().String(name, "", "")
		c.given["updates."+name] = cmd.Flags().Lookup(name)
	}
	_ = cmd.RegisterFlagCompletionFunc("auto", cobra.FixedCompletions([]cobra.Completion{"on", "off"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// changes are what was given.
func (c *channelFlags) changes() (out []config.Change, err error) {
	for _, key := range slices.Sorted(maps.Keys(c.given)) {
		flag := c.given[key]
		if !flag.Changed {
			continue
		}
		change := config.Change{Name: "--" + flag.Name, Key: key, Value: flag.Value.String()}
		switch key {
		case "updates.urls":
			change.Value = c.urls
		case "updates.auto": // as it is said in the help
			if _, err := flags.OneOf(change.Name, []string{flag.Value.String()}, []string{"on", "off"}); err != nil {
				return nil, err
			}
		}
		out = append(out, change)
	}
	return out, config.Check(out)
}

// printChannel shows the choices, without the password of a proxy.
func printChannel(e *command.Env, s updater.State) {
	if s.Phase == updater.PhaseOff {
		e.PrintText("no-channel")
	}
	when := "updates-by-hand"
	if s.Settings.Auto {
		when = "updates-auto"
	}
	e.PrintText("updates", "when", terminal.Text(when))
	switch {
	case len(s.Settings.URLs) > 0:
		for _, u := range s.Settings.URLs {
			e.Print("  %s", terminal.Text("channel-from", "url", redacted(u)))
		}
	case s.Channel != "":
		e.Print("  %s", terminal.Text("channel-built-in", "channel", s.Channel))
	}
	if s.Settings.Proxy != "" {
		e.Print("  %s", terminal.Text("channel-through", "url", redacted(s.Settings.Proxy)))
	}
	if s.Settings.CAFile != "" {
		e.Print("  %s", terminal.Text("channel-trusts", "path", s.Settings.CAFile))
	}
	if !s.Checked.IsZero() {
		e.Print("  %s", terminal.Text("channel-checked", "time", s.Checked.Local().Format(time.DateTime)))
	}
}

func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return words.Printable(address)
	}
	return words.Printable(u.Redacted())
}
