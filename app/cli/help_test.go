package cli

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/words"
)

// maxHelpLine is how wide a line of help is, in characters.
const maxHelpLine = 92

// A command that is called has no texts made of all the others.
func TestTextsAreSaidWhenRead(t *testing.T) {
	for args, read := range map[string]bool{"version": false, "__completeNoDesc task l": false, "__complete task l": true, "task --help": true, "task": true} {
		e := newEnv(Options{Stdout: io.Discard, Stderr: io.Discard})
		root := newRoot(e)
		root.SetArgs(strings.Fields(args))
		if _, err := root.ExecuteC(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if c, _, err := root.Find([]string{"task"}); err != nil {
			t.Error(err)
		} else if said := c.Short != ""; said != read {
			t.Errorf("%s: texts are said: %v", args, said)
		}
	}
}

// Every command and every flag has its texts in every language, and there is no text of
// a command or a flag that is not there.
func TestHelp(t *testing.T) {
	for _, lang := range words.Languages {
		texts, used := words.For(lang), map[string]bool{}
		root := Commands(texts)
		var check func(c *cobra.Command, id string)
		check = func(c *cobra.Command, id string) {
			used[id+"short"], used[id+"long"], used[id+"example"] = true, c.Long != "", c.HasExample()
			if c.Short == "" || strings.HasSuffix(c.Short, ".") {
				t.Errorf("%s: %s: %q", lang, c.CommandPath(), c.Short)
			}
			for line := range strings.Lines(c.Long + "\n" + c.Example) {
				if n := utf8.RuneCountInString(line); n > maxHelpLine {
					t.Errorf("%s: %s has a line of %d characters: %s", lang, c.CommandPath(), n, line)
				}
			}
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
					t.Errorf("%s: %s --%s: %q", lang, c.CommandPath(), f.Name, f.Usage)
				}
				if own := id + "flag." + f.Name; texts.Has(own) {
					used[own] = true
				} else {
					used["help.flag."+f.Name] = true
				}
				if name, _ := pflag.UnquoteUsage(f); name == "string" || name == "strings" || name == "int" {
					t.Errorf("%s: the value of %s --%s has no name", lang, c.CommandPath(), f.Name)
				}
			})
			for _, sub := range c.Commands() {
				check(sub, id+sub.Name()+".")
			}
		}
		check(root, "help.")
		var tree map[string]any
		if _, err := toml.DecodeFile("../words/"+lang+"/help.toml", &tree); err != nil {
			t.Fatal(err)
		}
		for _, id := range leaves("", tree) {
			if !used[id] {
				t.Errorf("%s: nothing has the help %s", lang, id)
			}
		}
	}
}

func leaves(prefix string, table map[string]any) (out []string) {
	for key, value := range table {
		if sub, ok := value.(map[string]any); ok {
			out = append(out, leaves(prefix+key+".", sub)...)
		} else {
			out = append(out, prefix+key)
		}
	}
	return out
}

// What stands for a value has one name in a language: in the line that says how a command is
// written, in the texts about it and in those of its flags.
func TestPlaceholdersAreInTheLanguage(t *testing.T) {
	variable := "keine Variablen außer den angegebenen und PATH" // of the environment
	for _, lang := range words.Languages {
		texts, translated := words.For(lang), 0
		var check func(*cobra.Command)
		check = func(c *cobra.Command) {
			said := []string{c.UseLine(), c.Long, c.Example}
			c.LocalFlags().VisitAll(func(f *pflag.Flag) { said = append(said, f.Usage) })
			for _, text := range said {
				for _, word := range regexp.MustCompile(`\b[A-ZÄÖÜ]{2,}\b`).FindAllString(text, -1) {
					if here := texts.Text("argument."+word, nil); texts.Has("argument."+word) && here != word && text != variable {
						t.Errorf("%s: %s: %s is %s: %s", lang, c.CommandPath(), word, here, text)
					}
				}
			}
			if strings.Contains(c.UseLine(), "DATEI") {
				translated++
			}
			for _, sub := range c.Commands() {
				check(sub)
			}
		}
		check(Commands(texts))
		if (translated > 0) != (lang == "de") {
			t.Errorf("%s: %d commands are written with DATEI", lang, translated)
		}
	}
}
