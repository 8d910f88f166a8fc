package cli

import (
	"context"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/runtimepack/updater"
	"piwork/app/words"
)

// channelFlags change the choices about updates. Only those that were given
// change anything.
type channelFlags struct {
	urls      []string
	proxy, ca string
	auto      string
	flags     *cobra.Command
	urlFlag   string
}

// address adds the flag for the channel's address alone.
func (c *channelFlags) address(cmd *cobra.Command, name string) {
	c.flags, c.urlFlag = cmd, name
	cmd.Flags().StringArrayVar(&c.urls, name, nil, "address of the channel from now on, then its mirrors; \"\" is the built-in one")
}

func packChannelCommand(e *env) *cobra.Command {
	var c channelFlags
	cmd := &cobra.Command{
		Use:   "channel",
		Short: "Show or change the update settings",
		Long: "Without a flag, shows the choices. What comes from a channel is signed: another\n" +
			"address, a proxy or an authority cannot make piwork install something else.",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return c.valid() },
		RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
			state, err := c.change(ctx, s)
			return s.Reply(state, err, func() { printChannel(e, state) })
		}),
	}
	c.address(cmd, "url")
	f := cmd.Flags()
	f.StringVar(&c.auto, "auto", "", "on or off: look at the start and daily, and get what is new")
	f.StringVar(&c.proxy, "proxy", "", "address of a proxy; \"\" is the system's")
	f.StringVar(&c.ca, "ca-file", "", "file with further certificate authorities; \"\" is none")
	_ = cmd.RegisterFlagCompletionFunc("auto", cobra.FixedCompletions([]cobra.Completion{"on", "off"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (c *channelFlags) given(name string) bool { return c.flags.Flags().Changed(name) }

// valid refuses what makes no sense, before anything is asked for.
func (c *channelFlags) valid() error {
	for i, u := range c.urls {
		if u == "" && len(c.urls) == 1 {
			c.urls = nil
			break
		}
		if err := webAddress(u); err != nil {
			return err
		}
		c.urls[i] = u
	}
	if c.given("auto") && c.auto != "on" && c.auto != "off" {
		return flags.Usage("--auto is on or off, not %q", c.auto)
	}
	if c.proxy != "" {
		if u, err := url.Parse(c.proxy); err != nil || u.Host == "" {
			return flags.Usage("--proxy is an address such as http://proxy.example:3128")
		}
	}
	if c.ca != "" {
		file, err := flags.FilePath(c.ca)
		if err != nil {
			return err
		}
		c.ca = file
	}
	return nil
}

func webAddress(s string) error {
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return flags.Usage("%q is no address such as https://updates.example/piwork", s)
	}
	return nil
}

// change changes what was given.
func (c *channelFlags) change(ctx context.Context, s *session) (updater.State, error) {
	state, err := s.Update(ctx)
	if err != nil {
		return state, err
	}
	now, changed := state.Settings, false
	for name, set := range map[string]func(){ // one that the command does not have was not given
		c.urlFlag: func() { now.URLs = c.urls },
		"auto":    func() { now.Auto = c.auto == "on" },
		"proxy":   func() { now.Proxy = c.proxy },
		"ca-file": func() { now.CAFile = c.ca },
	} {
		if c.given(name) {
			set()
			changed = true
		}
	}
	if !changed {
		return state, nil
	}
	return s.SetUpdates(ctx, now)
}

// printChannel shows the choices, without the password of a proxy.
func printChannel(e *env, s updater.State) {
	if s.Phase == updater.PhaseOff {
		e.Print("This piwork follows no update channel.")
	}
	look := "by hand only: piwork pack update"
	if s.Settings.Auto {
		look = "by itself, at the start and daily"
	}
	e.Print("Updates: %s", look)
	switch {
	case len(s.Settings.URLs) > 0:
		for _, u := range s.Settings.URLs {
			e.Print("  from %s", redacted(u))
		}
	case s.Channel != "":
		e.Print("  from the channel %s, built in", words.Printable(s.Channel))
	}
	if s.Settings.Proxy != "" {
		e.Print("  through %s", redacted(s.Settings.Proxy))
	}
	if s.Settings.CAFile != "" {
		e.Print("  with the authorities in %s", words.Printable(s.Settings.CAFile))
	}
	if !s.Checked.IsZero() {
		e.Print("  looked at %s", s.Checked.Local().Format(time.DateTime))
	}
}

func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return words.Printable(address)
	}
	return words.Printable(u.Redacted())
}
