package cli

import (
	"context"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
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
	cmd.Flags().StringArrayVar(&c.urls, name, nil, "")
}

func packChannelCommand(e *env) *cobra.Command {
	var c channelFlags
	cmd := &cobra.Command{
		Use:     "channel",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return c.valid() },
		RunE: e.Connected(func(ctx context.Context, s *session, _ []string) error {
			state, err := c.change(ctx, s)
			return s.Reply(state, err, func() { printChannel(e, state) })
		}),
	}
	c.address(cmd, "url")
	f := cmd.Flags()
	f.StringVar(&c.auto, "auto", "", "")
	f.StringVar(&c.proxy, "proxy", "", "")
	f.StringVar(&c.ca, "ca-file", "", "")
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
		return flags.Usage("one-of", "flag", "--auto", "value", c.auto, "choices", []string{"on", "off"})
	}
	if c.proxy != "" {
		if u, err := url.Parse(c.proxy); err != nil || u.Host == "" {
			return flags.Usage("proxy")
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
		return flags.Usage("channel-address", "value", s)
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
