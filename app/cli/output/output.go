// Package output writes the answers of commands for programs: as JSON, as YAML, or as a
// template of the caller's says. It is the one place that knows the formats.
//
// A template is a Go template (text/template) over the JSON form of the answer, and is
// written once for each element of a list:
//
//	piwork task list --format '{{.id}} {{.state}}'
package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"
	"text/template/parse"

	"go.yaml.in/yaml/v3"
)

// Kind is a format by its name.
type Kind string

// Formats; "" is for people, Wide too, with more columns.
const (
	JSON     Kind = "json"
	YAML     Kind = "yaml"
	Wide     Kind = "wide"
	Template Kind = "template"
)

// Kinds are those that are chosen by name.
var Kinds = []string{string(JSON), string(YAML), string(Wide)}

// Format is how answers are written. The zero value is JSON where one has to be written.
type Format struct {
	Kind     Kind
	template *template.Template
}

// OfTemplate is the format that a template has.
func OfTemplate(text string) (Format, error) {
	text = strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(text)
	t, err := template.New("--format").Option("missingkey=zero").Funcs(template.FuncMap{
		"json":  toJSON,
		"join":  func(by string, list []any) string { return joined(list, by) },
		"lower": strings.ToLower, "upper": strings.ToUpper,
	}).Parse(text)
	return Format{Template, t}, err
}

func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func joined(list []any, by string) string {
	var out []string
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, by)
}

// Programs reports whether answers are for programs.
func (f Format) Programs() bool { return f.Kind != "" && f.Kind != Wide }

// Document writes an answer.
func (f Format) Document(w io.Writer, v any) error {
	switch f.Kind {
	case YAML:
		return toYAML(w, v)
	case Template:
		return f.each(w, v)
	}
	return encode(w, v, "  ")
}

// Line writes one of the answers of a stream.
func (f Format) Line(w io.Writer, v any) error {
	switch f.Kind {
	case YAML:
		if _, err := io.WriteString(w, "---\n"); err != nil {
			return err
		}
		return toYAML(w, v)
	case Template:
		return f.each(w, v)
	}
	return encode(w, v, "")
}

func encode(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// toYAML writes the JSON form of a value, whose order it keeps, in the style of YAML.
func toYAML(w io.Writer, v any) error {
	var b bytes.Buffer
	if err := encode(&b, v, ""); err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
		return err
	}
	plain(&doc)
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return err
	}
	return enc.Close()
}

// old are texts that YAML 1.1 took for something else (https://yaml.org/type/bool.html).
var old = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off)$`)

// plain drops the style that JSON has; the encoder quotes what needs it.
func plain(n *yaml.Node) {
	if !old.MatchString(n.Value) {
		n.Style = 0
	}
	for _, c := range n.Content {
		plain(c)
	}
}

// each executes the template for an answer, or for each of a list.
func (f Format) each(w io.Writer, v any) error {
	var b bytes.Buffer
	if err := encode(&b, v, ""); err != nil {
		return err
	}
	dec := json.NewDecoder(&b)
	dec.UseNumber()
	var form any
	if err := dec.Decode(&form); err != nil {
		return err
	}
	if err := f.check(reflect.TypeOf(v)); err != nil {
		return err
	}
	list, ok := numbers(form).([]any)
	if !ok {
		list = []any{numbers(form)}
	}
	for _, one := range list {
		var out strings.Builder
		if err := f.template.Execute(&out, one); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, strings.ReplaceAll(out.String(), "<no value>", "")); err != nil {
			return err
		}
	}
	return nil
}

// numbers gives numbers types with which templates count.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		n, _ := v.Float64()
		return n
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// UnknownError is a member that the answer does not have.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no .%s; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// check finds a name in a template that no answer of a type has: one of its struct, or of
// its list of them.
func (f Format) check(t reflect.Type) error {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	known := members(t)
	for _, name := range names(f.template.Root) {
		if !slices.Contains(known, name) {
			return &UnknownError{name, known}
		}
	}
	return nil
}

// members are the names that a struct has as JSON.
func members(t reflect.Type) (out []string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			e := field.Type
			for e.Kind() == reflect.Pointer {
				e = e.Elem()
			}
			if e.Kind() == reflect.Struct {
				out = append(out, members(e)...)
			}
		case field.IsExported():
			name = cmp.Or(name, field.Name)
			out = append(out, name)
		}
	}
	return out
}

// names are the first names of what a template takes from its answer, outside of range and
// with, where the dot is something else.
func names(n parse.Node) (out []string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, c := range n.Nodes {
			out = append(out, names(c)...)
		}
	case *parse.ActionNode:
		return names(n.Pipe)
	case *parse.IfNode:
		return append(append(names(n.Pipe), names(n.List)...), names(n.ElseList)...)
	case *parse.RangeNode:
		return append(names(n.Pipe), names(n.ElseList)...)
	case *parse.WithNode:
		return append(names(n.Pipe), names(n.ElseList)...)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		for _, c := range n.Cmds {
			for _, arg := range c.Args {
				out = append(out, names(arg)...)
			}
		}
	case *parse.FieldNode:
		return n.Ident[:1]
	}
	return out
}

// Table writes rows under their heads, in columns.
func Table(w io.Writer, heads []string, rows [][]string) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, row := range append([][]string{heads}, rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	_ = tw.Flush()
}
