package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/cli"
	"piwork/app/words"
)

// Every command has a page in every language, with its usage and its flags.
func TestPages(t *testing.T) {
	for _, lang := range words.Languages {
		all := pages(lang)
		for name, page := range all {
			if !slices.Contains(strings.Split(string(page), "\n"), ".SH "+headings[lang][1]) {
				t.Errorf("%s: %s has no %s", lang, name, headings[lang][1])
			}
		}
		var each func(c *cobra.Command)
		each = func(c *cobra.Command) {
			text := strings.NewReplacer(`\-`, "-", `\&`, "", `\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "").Replace(string(all[pageName(c)]))
			if !strings.Contains(text, "piwork") || !strings.Contains(text, c.UseLine()) {
				t.Errorf("%s: the page of %s:\n%s", lang, c.CommandPath(), text)
			}
			c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
				value, _ := pflag.UnquoteUsage(f)
				written := strings.TrimSpace("--" + f.Name + " " + value)
				if value != "" && f.NoOptDefVal != "" {
					written = "--" + f.Name + "[=" + value + "]"
				}
				if !f.Hidden && !strings.Contains(text, written) {
					t.Errorf("%s: no --%s %s in the page of %s:\n%s", lang, f.Name, value, c.CommandPath(), text)
				}
			})
			for _, sub := range c.Commands() {
				if !sub.Hidden {
					each(sub)
				} else if all[pageName(sub)] != nil {
					t.Errorf("%s: %s is hidden and has a page", lang, sub.CommandPath())
				}
			}
		}
		each(cli.Commands(words.For(lang)))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for _, lang := range words.Languages {
		if err := write(lang, dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"man1/piwork.1", "man1/piwork-task-list.1", "de/man1/piwork-config-edit.1"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}
