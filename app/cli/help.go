package cli

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/words"
)

// frame is what cobra's template of usage says in English, by the id of its text.
var frame = [][2]string{
	{"Usage:", "help-usage"}, {"Aliases:", "help-aliases"}, {"Examples:", "help-examples"}, {"Available Commands:", "help-commands"},
	{"Additional Commands:", "help-more-commands"}, {"Global Flags:", "help-global-flags"}, {"\nFlags:", "help-flags"},
	{"Additional help topics:", "help-topics"}, {`Use "{{.CommandPath}} [command] --help" for more information about a command.`, "help-more"}, {"[command]", "help-command"},
}

// inWords gives a program's commands and flags their texts, in the language of the
// terminal: help.PATH.short, .long and .example, and help.PATH.flag.NAME or, for a flag that
// several have, help.flag.NAME. A command's annotations are parameters of its texts.
func inWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	usage := root.UsageTemplate()
	for _, f := range frame {
		text := terminal.Text(f[1], "command", "{{.CommandPath}}")
		if strings.HasPrefix(f[0], "\n") {
			text = "\n" + text
		}
		usage = strings.ReplaceAll(usage, f[0], text)
	}
	flagsInWords()
	root.SetUsageTemplate(strings.ReplaceAll(usage, ".FlagUsages", ".FlagUsages | flagsInWords"))
	root.SetFlagErrorFunc(flagError)
	describe(root, terminal.Texts(), "help.")
}

// Commands are the program's, with their texts in a language, for who describes them.
func Commands(texts *words.Catalogue) *cobra.Command {
	root := newRoot(newEnv(Options{}))
	describe(root, texts, "help.")
	return root
}

// flagsInWords is for a list of flags, in which pflag says "default".
var flagsInWords = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("flagsInWords", func(s string) string {
		return strings.ReplaceAll(s, " (default ", " ("+terminal.Text("help-default")+" ")
	})
})

// belowLong is the annotation that follows the long text of a command.
const belowLong = "below"

func describe(c *cobra.Command, texts *words.Catalogue, id string) {
	params := map[string]any{}
	for name, value := range c.Annotations {
		params[name] = value
	}
	say := func(ids ...string) string { return texts.First(params, ids...) }
	c.Short, c.Long = say(id+"short"), strings.TrimRight(say(id+"long")+"\n"+c.Annotations[belowLong], "\n")
	if example := say(id + "example"); example != "" {
		c.Example = terminal.Indented(example)
	}
	if c.Args != nil && c.HasSubCommands() {
		c.Args = noSuchCommand
	}
	c.DisableFlagsInUseLine = true
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = say(id+"flag."+f.Name, "help.flag."+f.Name) })
	for _, sub := range c.Commands() {
		describe(sub, texts, id+sub.Name()+".")
	}
}

// noSuchCommand refuses an argument where a command was to be named.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2 // letters
	return flags.Usage("unknown-command", "name", args[0], "of", c.CommandPath(), "similar", c.SuggestionsFor(args[0]))
}

// flagError says in words what pflag says in English.
func flagError(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return flags.Usage("unknown-flag", "flag", "-"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return flags.Usage("unknown-flag", "flag", "--"+unknown.GetSpecifiedName())
	case errors.As(err, &empty):
		return flags.Usage("flag-value", "flag", "--"+empty.GetFlag().Name)
	case errors.As(err, &wrong):
		return flags.Usage("flag-wrong", "flag", "--"+wrong.GetFlag().Name, "value", wrong.GetValue())
	case errors.As(err, &syntax):
		return flags.Usage("flag-syntax", "flag", syntax.GetSpecifiedFlag())
	}
	return fmt.Errorf("read the flags: %w", err)
}
