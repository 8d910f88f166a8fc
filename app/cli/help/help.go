// Package help gives the commands of the command line their texts, in the language of the
// terminal or another, when somebody is to read one.
package help

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/pack/lazyregexp"
)

// frame is what cobra's template of usage says in English, by the id of its text.
var frame = [][2]string{
	{"Usage:", "help-usage"}, {"Aliases:", "help-aliases"}, {"Examples:", "help-examples"}, {"Available Commands:", "help-commands"},
	{"Additional Commands:", "help-more-commands"}, {"Global Flags:", "help-global-flags"}, {"\nFlags:", "help-flags"},
	{"Additional help topics:", "help-topics"}, {`Use "{{.CommandPath}} [command] --help" for more information about a command.`, "help-more"}, {"[command]", "help-command"},
}

// Add gives a program's commands and flags their texts, in the language of the
// terminal, when somebody is to read one: few calls say any.
func Add(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	root.SetFlagErrorFunc(flagError)
	for _, c := range root.Commands() { // those that cobra made
		switch c.Name() {
		case "help":
			c.Args = knownCommand
		case "completion":
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	root.AddCommand(&cobra.Command{Use: "exit-codes"}) // a topic of help
	arrange(root)
	say := sync.OnceFunc(func() {
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
		Describe(root, terminal.Texts(), "help.")
	})
	help, usage, prepare := root.HelpFunc(), root.UsageFunc(), root.PersistentPreRunE
	root.SetHelpFunc(func(c *cobra.Command, args []string) { say(); help(c, args) })
	root.SetUsageFunc(func(c *cobra.Command) error { say(); return usage(c) })
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if c.CalledAs() == cobra.ShellCompRequestCmd { // with descriptions
			say()
		}
		return prepare(c, args)
	}
}

// optional is how pflag writes a flag whose value can be left out: --cache NAME[="."].
var optional = lazyregexp.New(`(--\S+) (\S+)\[="?[^"\]]*"?\]`)

// flagsInWords is for a list of flags, in which pflag says "default", and the value that a
// flag has without one.
var flagsInWords = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("flagsInWords", func(s string) string {
		s = optional().ReplaceAllStringFunc(s, func(flag string) string {
			m := optional().FindStringSubmatch(flag)
			short := m[1] + "[=" + m[2] + "]"
			return short + strings.Repeat(" ", len(flag)-len(short)) // the columns stay
		})
		return inColumns(strings.ReplaceAll(s, " (default ", " ("+terminal.Text("help-default")+" "))
	})
})

// inColumns begins the texts of a list of flags below each other. pflag counts bytes, so
// the text of --requires WÖRTER began a column too early.
func inColumns(list string) string {
	lines := strings.Split(list, "\n")
	for i, line := range lines {
		begin := len(line) - len(strings.TrimLeft(line, " "))
		name, text, found := strings.Cut(line[begin:], "   ")
		if found {
			lines[i] = line[:begin] + name + strings.Repeat(" ", 3+len(name)-utf8.RuneCountInString(name)) + text
		}
	}
	return strings.Join(lines, "\n")
}

// Settings is the annotation of a command whose long text ends in a list of settings.
const Settings = "settings"

// arrange has every command refuse what it does not have, and say how it is written.
func arrange(c *cobra.Command) {
	if c.Args != nil && c.HasSubCommands() {
		c.Args = noSuchCommand
	}
	c.DisableFlagsInUseLine = true
	for _, sub := range c.Commands() {
		arrange(sub)
	}
}

// Describe says help.PATH.short, .long and .example of a command and those below it, and of
// its flags help.PATH.flag.NAME or, for a flag that several have, help.flag.NAME. A command's
// annotations are parameters of its texts.
func Describe(c *cobra.Command, texts *words.Catalogue, id string) {
	params := map[string]any{}
	for name, value := range c.Annotations {
		params[name] = value
	}
	say := func(ids ...string) string { return texts.First(params, ids...) }
	c.Use, c.Short, c.Long = flags.InWords(c.Use, texts), say(id+"short"), say(id+"long")
	for i, name := range strings.Fields(c.Annotations[Settings]) {
		if i == 0 {
			c.Long += "\n"
		}
		c.Long += fmt.Sprintf("\n  %-13s %s", name, texts.Name("setting", name))
	}
	if example := say(id + "example"); example != "" {
		c.Example = terminal.Indented(example)
	}
	for _, group := range c.Groups() {
		group.Title = texts.Text("cli."+group.ID, nil)
	}
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = say(id+"flag."+f.Name, "help.flag."+f.Name) })
	for _, sub := range c.Commands() {
		Describe(sub, texts, id+sub.Name()+".")
	}
}

// knownCommand refuses to help with a command that there is not.
func knownCommand(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	if err != nil {
		return err
	}
	return noSuchCommand(found, rest)
}

// noSuchCommand refuses an argument where a command was to be named.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return flags.Usage("unknown-command", "name", args[0], "of", c.CommandPath(), "similar", flags.Similar(args[0], names(c)))
}

// names are those of the commands below one, and of topics of help.
func names(c *cobra.Command) (out []string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			out = append(out, sub.Name())
		}
	}
	return out
}

// flagError says in words what pflag says in English.
func flagError(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	var said *flags.UsageError
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return flags.Usage("unknown-flag", "flag", "-"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return flags.Usage("unknown-flag", "flag", "--"+unknown.GetSpecifiedName())
	case errors.As(err, &empty):
		return flags.Usage("flag-value", "flag", "--"+empty.GetFlag().Name)
	case errors.As(err, &wrong):
		name, value := "--"+wrong.GetFlag().Name, wrong.GetValue()
		if w, is := wrong.GetFlag().Value.(*flags.Words); is {
			return flags.Usage("one-of", "flag", name, "value", value, "choices", w.Known)
		}
		switch wrong.GetFlag().Value.Type() {
		case "duration":
			return flags.Usage("flag-time", "flag", name, "value", value)
		case "int", "int64":
			return flags.Usage("flag-number", "flag", name, "value", value)
		}
		return flags.Usage("flag-wrong", "flag", name, "value", value)
	case errors.As(err, &syntax):
		return flags.Usage("flag-syntax", "flag", syntax.GetSpecifiedFlag())
	}
	return fmt.Errorf("read the flags: %w", err)
}
