// Command manpages writes a manual page for each command of piwork, where packages take
// them from: manpages LANGUAGE DIR makes DIR/man1/piwork-task-list.1 and so on, and for
// languages but English DIR/LANGUAGE/man1.
//
// The texts are those of --help. The pages are made of Markdown by go-md2man, as cobra's
// own generator does it; that one has English headings only, and shows a flag's default in
// the place of its value's name.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/cli"
	"piwork/app/words"
)

func main() {
	if len(os.Args) != 3 || !slices.Contains(words.Languages, os.Args[1]) {
		fmt.Fprintf(os.Stderr, "usage: manpages %s DIR\n", strings.Join(words.Languages, "|"))
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func write(lang, dir string) error {
	if lang != "en" {
		dir = filepath.Join(dir, lang)
	}
	dir = filepath.Join(dir, "man1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, page := range pages(lang) {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), page, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// headings of a page; the first is English, as their order.
var headings = map[string][]string{
	"en": {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "GLOBAL OPTIONS", "EXAMPLES", "SEE ALSO"},
	"de": {"BEZEICHNUNG", "ÜBERSICHT", "BESCHREIBUNG", "BEFEHLE", "OPTIONEN", "ALLGEMEINE OPTIONEN", "BEISPIELE", "SIEHE AUCH"},
}

// pages are the pages of all commands that help shows, by their names.
func pages(lang string) map[string][]byte {
	out := map[string][]byte{}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		out[pageName(c)] = md2man.Render([]byte(markdown(c, headings[lang])))
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(cli.Commands(words.For(lang)))
	return out
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func markdown(c *cobra.Command, heads []string) string {
	var b strings.Builder
	date := ""
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" { // else a build is not like the next
		var seconds int64
		if _, err := fmt.Sscan(epoch, &seconds); err == nil {
			date = time.Unix(seconds, 0).UTC().Format("January 2006")
		}
	}
	fmt.Fprintf(&b, "%% \"%s\" \"1\" \"%s\" \"piwork %s\" \"piwork\"\n", strings.ToUpper(pageName(c)), date, cli.Version())
	section := func(i int, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", heads[i], text)
		}
	}
	section(0, pageName(c)+" - "+escaped(c.Short))
	section(1, "**"+escaped(c.UseLine())+"**")
	section(2, prose(c.Long))
	var subs []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			subs = append(subs, "**"+sub.Name()+"**\n: "+escaped(sub.Short)+"\n")
		}
	}
	section(3, strings.Join(subs, "\n"))
	section(4, options(c.NonInheritedFlags()))
	section(5, options(c.InheritedFlags()))
	if c.HasExample() {
		section(6, "\n```\n"+c.Example+"\n```")
	}
	var also []string
	if c.HasParent() {
		also = append(also, "**"+pageName(c.Parent())+"(1)**")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			also = append(also, "**"+pageName(sub)+"(1)**")
		}
	}
	section(7, strings.Join(also, ", "))
	return b.String()
}

// options lists flags: what each is called, and its value.
func options(flags *pflag.FlagSet) string {
	var out []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "**--" + f.Name + "**"
		if f.Shorthand != "" {
			name = "**-" + f.Shorthand + "**, " + name
		}
		switch {
		case value != "" && f.NoOptDefVal != "": // it can be left out
			name += "\\[=*" + escaped(value) + "*\\]"
		case value != "":
			name += " *" + escaped(value) + "*"
		}
		out = append(out, name+"\n: "+escaped(usage)+"\n")
	})
	return strings.Join(out, "\n")
}

var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`)

// escaped keeps Markdown from reading marks in a text, but for those of code.
func escaped(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = marks.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// prose is a text in which what is indented stays as it is.
func prose(s string) string {
	var out []string
	code := false
	for line := range strings.SplitSeq(s, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != code {
			code = indented
			out = append(out, "") // around a block of code
		}
		if code {
			out = append(out, "  "+line)
		} else {
			out = append(out, escaped(line))
		}
	}
	return strings.Join(out, "\n")
}
