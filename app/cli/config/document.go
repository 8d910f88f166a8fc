// Package config shows all settings as one document, and reads it back. The document is a
// view: the settings themselves are the controller's, which has them in config.json and
// checks what is chosen; no second file has them.
//
//	machines:
//	  # Memory of a workroom: a size such as 2G, or auto.
//	  # Default: auto
//	  memory: 2G
//
// A setting that is left out has its default, but for runtimes.rootless, which stays: to lift a
// bound takes a word. One that is not known, is there twice, or has a value that makes no sense is
// an error that names its line.
package config

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
)

// Document writes values as YAML, in which comments say what each is.
func Document(v Values) (string, error) {
	defaults := Defaults()
	root := &yaml.Node{Kind: yaml.MappingNode}
	groups := map[string]*yaml.Node{}
	for _, s := range settings {
		group, name, _ := strings.Cut(s.key, ".")
		if groups[group] == nil {
			groups[group] = &yaml.Node{Kind: yaml.MappingNode}
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: group}, groups[group])
		}
		var value, usual yaml.Node
		if err := errors.Join(value.Encode(s.get(&v)), usual.Encode(s.get(&defaults))); err != nil {
			return "", err
		}
		comment := said(s.key) + "\n" + terminal.Text("config-default", "value", shown(&usual))
		groups[group].Content = append(groups[group].Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name, HeadComment: comment}, &value)
	}
	var b bytes.Buffer
	b.WriteString("# " + strings.ReplaceAll(terminal.Text("config-head"), "\n", "\n# ") + "\n\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(root), enc.Close())
	return b.String(), err
}

// said are the words about a setting.
func said(key string) string { return terminal.Texts().Text("config."+key, nil) }

// shown writes a value in a comment.
func shown(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "[]"
	}
	if n.Value == "" {
		return `""`
	}
	return n.Value
}

// Tree is the values by their groups and names, for programs.
func Tree(v Values) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, s := range settings {
		group, name, _ := strings.Cut(s.key, ".")
		if out[group] == nil {
			out[group] = map[string]any{}
		}
		out[group][name] = s.get(&v)
	}
	return out
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// Parse reads a document that was made of base. Its error names every line that makes no sense.
func Parse(text []byte, base Values) (Values, error) {
	v := Defaults()
	v.Runtimes.Rootless = base.Runtimes.Rootless
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			return v, flags.Usage("config-yaml", "line", m[1], "error", m[2])
		}
		return v, flags.Usage("raw", "error", err)
	}
	if len(doc.Content) == 0 { // nothing but comments
		return v, nil
	}
	p := &parser{values: &v, seen: map[string]bool{}}
	p.group("", doc.Content[0])
	return v, errors.Join(p.errs...)
}

type parser struct {
	values *Values
	seen   map[string]bool
	errs   []error
}

func (p *parser) fail(n *yaml.Node, key string, err error) {
	p.errs = append(p.errs, flags.Usage("config-value", "line", n.Line, "key", key, "error", err))
}

// group reads the settings of a group, "" for all.
func (p *parser) group(group string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" { // all of it is left out
		return
	}
	if n.Kind != yaml.MappingNode {
		id := "config-group"
		if group == "" {
			id = "config-none"
		}
		p.fail(n, group, flags.Usage(id))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := strings.TrimPrefix(group+"."+name.Value, ".")
		if p.seen[key] {
			p.fail(name, key, flags.Usage("config-twice"))
			continue
		}
		p.seen[key] = true
		if s, ok := find(key); ok {
			if err := s.read(p.values, value); err != nil {
				p.fail(value, key, err)
			}
			continue
		}
		if group == "" && isGroup(key) {
			p.group(key, value)
			continue
		}
		p.fail(name, key, flags.Usage("config-unknown", "similar", similar(key)))
	}
}

func isGroup(name string) bool {
	for _, s := range settings {
		if strings.HasPrefix(s.key, name+".") {
			return true
		}
	}
	return false
}

// similar are the settings that a mistyped name may mean. The group can be missing.
func similar(name string) []string {
	name = strings.ReplaceAll(name, "/", ".")
	of := flags.Similar(name, Keys())
	if len(of) > 0 || strings.Contains(name, ".") {
		return of
	}
	for _, key := range Keys() {
		if _, short, _ := strings.Cut(key, "."); len(flags.Similar(name, []string{short})) > 0 {
			of = append(of, key)
		}
	}
	return of
}

// Change is a value that somebody gives a setting.
type Change struct {
	Name  string // of the setting, as the person wrote it
	Key   string
	Value any // a text, or several where the setting is a list
}

// parseChanges reads arguments NAME=VALUE.
func parseChanges(args []string) (out []Change, err error) {
	for _, arg := range args {
		key, value, is := strings.Cut(arg, "=")
		if !is {
			return nil, flags.Usage("setting-form", "value", arg)
		}
		if _, is := find(key); !is {
			return nil, noSetting(key)
		}
		out = append(out, Change{key, key, value})
	}
	return out, nil
}

func noSetting(name string) error {
	return flags.Usage("no-setting", "name", name, "similar", similar(name), "choices", Keys())
}

// Set applies changes. What is wrong with one is said with the name that the person wrote. To a
// kind of place that one names a yes is said anew, unless another one has its bound.
func (v *Values) Set(changes ...Change) error {
	bound := slices.Clone(v.Runtimes.Rootless)
	for _, c := range changes {
		s, _ := find(c.Key)
		var n yaml.Node
		if err := n.Encode(c.Value); err != nil {
			return err
		}
		if err := s.read(v, &n); err != nil {
			return flags.Usage("setting-wrong", "name", c.Name, "error", err)
		}
		bound = slices.DeleteFunc(bound, func(kind string) bool {
			_, weaker := v.Runtimes.Weaker[kind]
			return c.Key == "runtimes.prefer" && slices.Contains(v.Runtimes.Prefer, kind) || c.Key == "runtimes.weaker" && weaker
		})
	}
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Key == "runtimes.rootless" }) {
		v.Runtimes.Rootless = bound
	}
	return nil
}
