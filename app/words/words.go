// Package words holds every sentence that the controller and the command line
// say to a person: one catalogue a language, in files (en/*.toml, de/*.toml).
// Records keep codes and parameters; whoever shows them renders them here:
// app/api at its edge by Accept-Language, app/cli by the language of the terminal.
//
// A text is a template of text/template over the parameters of what it is about.
// They are strings, cleaned and bounded (see clean); one that is missing is "":
//
//	[problem.disk-full]
//	title  = 'The disk is full'
//	detail = '{{if .needBytes}}{{bytes .needBytes}} are needed. {{end}}Free up space.'
//	[problem.disk-full.host-disk-full]      # for this cause, in place of the code's title
//	title  = 'There is no disk space left for the workroom'
//
// What the controller's records mean stands in problems, questions, tasks, setup, chores,
// tools and computer, those of fixes in setup; policy says written rules, door what editors
// that drive piwork show, config what the settings are; cli is what the command line itself
// says, help what its commands and flags are. Tests compare each with the codes, calls and commands that there are.
//
// A text with plural forms is a table (one, other); the parameter count chooses.
// The functions that a text may use stand in funcs.go.
//
// Plurals, numbers and the choice of a language come from golang.org/x/text. Its
// own catalogues were tried for the texts: they are code, and their parameters
// have positions instead of names. nicksnyder/go-i18n was tried: with functions it
// parses a text anew each time it is said, and a text that is missing in one
// language silently comes in another, which here is a failing test.
package words

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/BurntSushi/toml"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed en/*.toml de/*.toml
var files embed.FS

// Languages are those that there are words in; the first is for everybody else.
var Languages = []string{"en", "de"}

// Catalogue is the words of one language. It is safe for concurrent use.
type Catalogue struct {
	Language string
	tag      language.Tag
	numbers  *message.Printer
	files    func() map[string][]*file // by the table in which ids begin
	paths    bool                      // see WithPaths
}

// file is one file of a catalogue, parsed when a text of its tables is first asked for: a
// run of the command line says few of all there are.
type file struct {
	name  string
	texts func() (map[string]text, error)
}

// text has a form for each plural form; most have Other alone.
type text map[plural.Form]*form

// form is a template, parsed when it is first said.
type form struct {
	id, source string
	once       sync.Once
	parsed     *template.Template
	err        error // tests parse every text
}

func (f *form) template(c *Catalogue) (*template.Template, error) {
	f.once.Do(func() {
		f.parsed, f.err = template.New(f.id).Option("missingkey=zero").Funcs(c.funcs()).Parse(f.source)
	})
	return f.parsed, f.err
}

// say executes the form; "" is one that can't be, which tests find.
func (f *form) say(c *Catalogue, p params) string {
	var b strings.Builder
	t, err := f.template(c)
	if err != nil || t.Execute(&b, p) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

var forms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// catalogues are made when they are first asked for.
var catalogues = func() map[string]func() *Catalogue {
	out := map[string]func() *Catalogue{}
	for _, lang := range Languages {
		out[lang] = sync.OnceValue(func() *Catalogue { return open(lang) })
	}
	return out
}()

// open makes the catalogue of a language. Its files are found when a text is first asked for:
// many answers say none.
func open(lang string) *Catalogue {
	tag := language.Make(lang)
	return &Catalogue{Language: lang, tag: tag, numbers: message.NewPrinter(tag), files: sync.OnceValue(func() map[string][]*file {
		found, err := filesOf(lang)
		if err != nil {
			panic(err) //nolint:forbidigo // the files are part of the program; a test reads all of them
		}
		return found
	})}
}

// filesOf finds the files of a language by the tables that they have.
func filesOf(lang string) (map[string][]*file, error) {
	found := map[string][]*file{}
	names, err := files.ReadDir(lang)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		data, err := files.ReadFile(path.Join(lang, n.Name()))
		if err != nil {
			return nil, err
		}
		source := string(data)
		f := &file{n.Name(), sync.OnceValues(func() (map[string]text, error) { return textsOf(source) })}
		for line := range strings.Lines(source) {
			end := strings.IndexAny(line, ".]")
			if end < 0 || line[0] != '[' {
				continue
			}
			if table := line[1:end]; !slices.Contains(found[table], f) {
				found[table] = append(found[table], f)
			}
		}
	}
	return found, nil
}

// textsOf parses a file.
func textsOf(source string) (map[string]text, error) {
	var tree map[string]any
	if err := toml.Unmarshal([]byte(source), &tree); err != nil {
		return nil, err
	}
	texts := map[string]text{}
	return texts, add(texts, "", tree)
}

// add adds the texts of a table; prefix ends in a dot, or is "".
func add(texts map[string]text, prefix string, table map[string]any) error {
	for key, value := range table {
		id, kind := prefix+key, plural.Other
		switch value := value.(type) {
		case map[string]any:
			if err := add(texts, id+".", value); err != nil {
				return err
			}
		case string:
			if f, ok := forms[key]; ok && prefix != "" {
				id, kind = strings.TrimSuffix(prefix, "."), f
			}
			if texts[id] == nil {
				texts[id] = text{}
			}
			if texts[id][kind] != nil {
				return fmt.Errorf("%s is there twice", id)
			}
			texts[id][kind] = &form{id: id, source: value}
		default:
			return fmt.Errorf("%s is %T, no text", id, value)
		}
	}
	return nil
}

// find returns a text, nil where there is none of this id.
func (c *Catalogue) find(id string) text {
	table, _, _ := strings.Cut(id, ".")
	for _, f := range c.files()[table] {
		texts, err := f.texts()
		if err != nil {
			panic(fmt.Errorf("%s/%s: %w", c.Language, f.name, err)) //nolint:forbidigo // as above
		}
		if t := texts[id]; t != nil {
			return t
		}
	}
	return nil
}

// Text says a text with parameters; "" where there is none of this id.
func (c *Catalogue) Text(id string, params map[string]any) string {
	return c.text(id, c.clean(params))
}

// First says the first of several texts that there is.
func (c *Catalogue) First(params map[string]any, ids ...string) string {
	return c.first(c.clean(params), ids...)
}

// Has reports whether there is a text.
func (c *Catalogue) Has(id string) bool { return c.find(id) != nil }

func (c *Catalogue) first(p params, ids ...string) string {
	for _, id := range ids {
		if c.Has(id) {
			return c.text(id, p)
		}
	}
	return ""
}

func (c *Catalogue) text(id string, p params) string {
	t := c.find(id)
	if t == nil {
		return ""
	}
	f, ok := t[c.form(p["count"])]
	if !ok {
		f = t[plural.Other]
	}
	return f.say(c, p)
}

// WithPaths returns the same words, in which files are named by their paths and not
// by their last parts alone: for a command line.
func (c *Catalogue) WithPaths() *Catalogue {
	with := *c
	with.paths = true
	return &with
}
