package flags

import (
	"errors"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
)

// mostArguments is more than any command takes that takes so many and no more.
const mostArguments = 4

// isUsage reports whether an error says by itself what is wrong: not the number of arguments.
func isUsage(err error) bool {
	var said *UsageError
	return errors.As(err, &said)
}

// PlainArguments has all commands say what is missing on a command line, or what is one
// too many, and how it is written, in place of how many arguments a program accepts.
// One that has commands of its own takes what it does not know for one of those.
func PlainArguments(c *cobra.Command) {
	if check := c.Args; check != nil && !c.HasSubCommands() {
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil || isUsage(err) {
				return err
			}
			least, most := -1, -1
			for n := range mostArguments + 1 {
				if err := check(cmd, make([]string, n)); err == nil || isUsage(err) {
					if least < 0 {
						least = n
					}
					most = n
				}
			}
			switch {
			case least < 0: // it is not about their number
				return err
			case len(args) < least:
				return Usage("missing", "usage", InWords(cmd.UseLine(), terminal.Texts()))
			case len(args) > most && most < mostArguments:
				return Usage("too-much", "arg", args[most], "usage", InWords(cmd.UseLine(), terminal.Texts()))
			}
			return err
		}
	}
	for _, sub := range c.Commands() {
		PlainArguments(sub)
	}
}
