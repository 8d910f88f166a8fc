package command

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"piwork/app/problem"
)

func TestExitCode(t *testing.T) {
	for cause, want := range map[string]int{"missing": ExitUsage, "not-a-folder": ExitUsage, "home": ExitDenied, "network": ExitDenied} {
		for _, code := range []string{problem.CodeFolderRefused, problem.CodeMoveRefused} {
			p := problem.New(code)
			p.Cause = cause
			if got := ExitCode(*p); got != want {
				t.Errorf("%s %s: %d, want %d", code, cause, got, want)
			}
		}
	}
}

// What cobra says of flags is said in words, as cobra says it now.
func TestInWords(t *testing.T) {
	for want, tt := range map[string]struct {
		given  []string
		groups func(*cobra.Command)
	}{
		"--one needs --two":                     {[]string{"--one"}, func(c *cobra.Command) { c.MarkFlagsRequiredTogether("one", "two") }},
		"--two needs --one":                     {[]string{"--two"}, func(c *cobra.Command) { c.MarkFlagsRequiredTogether("one", "two") }},
		"--one and --two exclude one another":   {[]string{"--one", "--two"}, func(c *cobra.Command) { c.MarkFlagsMutuallyExclusive("one", "two") }},
		"One of these is missing: --one, --two": {nil, func(c *cobra.Command) { c.MarkFlagsOneRequired("one", "two") }},
		"required flag(s) \"one\" not set":      {nil, func(c *cobra.Command) { _ = c.MarkFlagRequired("one") }},
	} {
		c := &cobra.Command{RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
		c.Flags().Bool("one", false, "")
		c.Flags().Bool("two", false, "")
		tt.groups(c)
		c.SetArgs(append([]string{}, tt.given...))
		if err := c.Execute(); err == nil {
			t.Errorf("%s: no error", want)
		} else if got := inWords(err); got.Error() != want || !isUsage(got) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if err := inWords(errors.New("other")); err.Error() != "other" {
		t.Error(err)
	}
}
