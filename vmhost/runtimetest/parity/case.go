package parity

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"piwork/vmhost/wire"
)

//go:embed corpus
var corpus embed.FS

// Case is one script, or one tool call, of the corpus.
type Case struct {
	Name     string
	Subject  string // the archive that it is in, e.g. "shell"
	Ordinary bool   // an ordinary run plays it

	Script string // for /bin/sh; of a tool call, it makes the inputs
	Then   string // a script after a tool call, whose output is compared
	Exec   wire.ExecParams
	// Tool is a tool call. Its paths are relative to the directory of the case; $DIR in
	// its parameters is that directory.
	Tool *wire.ToolParams
	// Random says that the files it makes differ each time on purpose: only their names count.
	Random bool
}

// Cases returns the corpus.
func Cases() ([]Case, error) {
	names, err := corpus.ReadDir("corpus")
	if err != nil {
		return nil, err
	}
	var all []Case
	seen := map[string]bool{}
	for _, e := range names {
		subject, isArchive := strings.CutSuffix(e.Name(), ".txtar")
		if !isArchive {
			continue
		}
		b, err := corpus.ReadFile(path.Join("corpus", e.Name()))
		if err != nil {
			return nil, err
		}
		cases, err := parse(subject, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for _, c := range cases {
			if seen[c.Name] {
				return nil, fmt.Errorf("%s: two cases are called %q", e.Name(), c.Name)
			}
			seen[c.Name] = true
		}
		all = append(all, cases...)
	}
	return all, nil
}

// parse reads the cases of one archive.
func parse(subject string, b []byte) ([]Case, error) {
	var all []Case
	functions := ""
	for _, f := range txtar.Parse(b).Files {
		if f.Name == "functions" {
			functions = string(f.Data)
			continue
		}
		c := Case{Name: f.Name, Subject: subject, Exec: wire.ExecParams{Env: map[string]string{"TZ": "UTC"}}}
		rest := string(f.Data)
		for strings.HasPrefix(rest, "#:") {
			line, after, _ := strings.Cut(rest, "\n")
			rest = after
			word, value, _ := strings.Cut(strings.TrimSpace(line[len("#:"):]), " ")
			if err := c.set(word, strings.TrimSpace(value)); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", c.Name, line, err)
			}
		}
		c.Script, c.Then, _ = strings.Cut(strings.TrimRight(rest, "\n")+"\n", "#: then\n")
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if strings.TrimSpace(c.Script) != "" {
			c.Script = functions + c.Script
		}
		all = append(all, c)
	}
	return all, nil
}

// set takes one of the lines over that say how a case runs.
func (c *Case) set(word, value string) error {
	if c.Tool == nil && slices.Contains([]string{"in", "out", "params"}, word) {
		return fmt.Errorf("%q comes before the tool", word)
	}
	switch word {
	case "ordinary":
		c.Ordinary = true
	case "random":
		c.Random = true
	case "cwd":
		c.Exec.Cwd = value
	case "argv":
		return decode(value, &c.Exec.Argv)
	case "env":
		return decode(value, &c.Exec.Env)
	case "limits":
		return decode(value, &c.Exec.Limits)
	case "stdin":
		text, err := strconv.Unquote(value)
		c.Exec.Stdin = []byte(text)
		return err
	case "tool":
		c.Tool = &wire.ToolParams{Op: value}
	case "in":
		return decode(value, &c.Tool.In)
	case "out":
		c.Tool.Out = value
	case "params":
		return decode(value, &c.Tool.Params)
	default:
		return fmt.Errorf("%q is no word of a case", word)
	}
	return nil
}

func decode(value string, into any) error {
	d := json.NewDecoder(strings.NewReader(value))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// check refuses what would be played otherwise than it reads.
func (c *Case) check() error {
	script := strings.TrimSpace(c.Script)
	switch {
	case strings.Contains(c.Script, "\n#:"):
		return fmt.Errorf("a line with #: is in the script")
	case c.Tool == nil && c.Then != "":
		return fmt.Errorf("then belongs to a tool call")
	case c.Tool == nil && (script == "") == (len(c.Exec.Argv) == 0):
		return fmt.Errorf("it needs a script or an argv")
	case c.Tool != nil && len(c.Exec.Argv) != 0:
		return fmt.Errorf("a tool call has no argv")
	}
	return nil
}
