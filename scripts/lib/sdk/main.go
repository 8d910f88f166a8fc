// Command sdk makes the parts of the SDKs that follow from the table of operations (app/api):
// a function for each operation, and the types of what goes in and out, in Python, TypeScript
// and Swift; and for the window, which is written in that too, what is its alone. How they get to the controller is written by hand beside them (app/sdk).
//
//	go run ./scripts/lib/sdk      from the top of the repository
package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api"
)

func main() {
	var errs []error
	for name, text := range generate() {
		errs = append(errs, os.WriteFile(name, []byte(text), 0o644)) //nolint:gosec // it is source
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate makes the files by their paths from the top of the repository.
func generate() map[string]string {
	doc := api.New(api.Options{}).OpenAPI()
	ops := operations(doc, func(c api.Caller) bool { return c == api.ByAnyone })
	types := schemas(doc, ops)
	windows := operations(doc, func(c api.Caller) bool { return c != api.ByAnyone })
	in := func(name string) string { return filepath.Join("app", "sdk", filepath.FromSlash(name)) }
	return map[string]string{
		in("python/piwork/_types.py"):                                   pythonTypes(types),
		in("python/piwork/_operations.py"):                              pythonOperations(ops, false),
		in("python/piwork/_coroutines.py"):                              pythonOperations(ops, true),
		in("typescript/src/types.gen.ts"):                               typescriptTypes(types),
		in("typescript/src/operations.gen.ts"):                          typescriptOperations(ops),
		in("swift/Sources/Piwork/Types.gen.swift"):                      swiftTypes(doc.Info.Version, types, schemas(doc, bodies(ops)), swiftTagged(ops)),
		in("swift/Sources/Piwork/Operations.gen.swift"):                 swiftOperations(ops),
		filepath.Join("frontend", "src", "lib", "api", "window.gen.ts"): typescriptWindow(windows, beyond(schemas(doc, windows), types), types),
	}
}

// bodies are operations with nothing but what is sent.
func bodies(ops []operation) []operation {
	out := slices.Clone(ops)
	for i := range out {
		out[i].schema, out[i].query = nil, nil
	}
	return out
}

// beyond are those of all that are not among known.
func beyond(all, known []schema) []schema {
	return slices.DeleteFunc(all, func(s schema) bool {
		return slices.ContainsFunc(known, func(k schema) bool { return k.name == s.name })
	})
}

// operation is what a program can ask for: everything but what is a window's (which the window
// alone has), the operations on files (which have one function for all), and what needs a WebSocket.
type operation struct {
	id, method, path, summary string

	inPath []string // parameters
	query  []parameter
	body   string // its schema; "" is none
	must   bool   // it has to be there
	answer kind
	schema *huma.Schema // of an answer of JSON
	pages  bool         // it is a list that comes in pages

	endless bool // it is a stream that goes on until an event says that it is over
}

type parameter struct {
	name   string
	schema *huma.Schema
	must   bool
}

// kind is what an answer is.
type kind int

const (
	nothing kind = iota
	isJSON
	isBytes
	isStream
)

func operations(doc *huma.OpenAPI, by func(api.Caller) bool) (out []operation) {
	whole := map[string]api.Operation{}
	for _, o := range api.Operations() {
		whole[o.ID] = o
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		p := doc.Paths[path]
		for _, o := range []*huma.Operation{p.Get, p.Post, p.Put, p.Patch, p.Delete} {
			if o == nil {
				continue
			}
			known, is := whole[o.OperationID]
			if !is || !by(known.Caller) || o.Responses["101"] != nil {
				continue
			}
			one := of(o)
			one.pages = known.Pages
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	return out
}

func of(o *huma.Operation) operation {
	out := operation{id: o.OperationID, method: o.Method, path: o.Path, summary: o.Summary}
	if codes, _ := o.Extensions["x-problems"].([]string); len(codes) > 0 {
		out.summary = strings.TrimSuffix(out.summary, ".") + ". Problems of its own: " + strings.Join(codes, ", ")
	}
	for _, p := range o.Parameters {
		switch p.In {
		case "path":
			out.inPath = append(out.inPath, p.Name)
		case "query":
			out.query = append(out.query, parameter{p.Name, p.Schema, p.Required})
		}
	}
	if o.RequestBody != nil {
		out.body, out.must = named(o.RequestBody.Content["application/json"].Schema), o.RequestBody.Required
	}
	for status, r := range o.Responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		for media, content := range r.Content {
			switch media {
			case "application/json":
				out.answer, out.schema = isJSON, content.Schema
			case "text/event-stream":
				out.answer, out.schema = isStream, content.Schema
				out.endless = out.id != "streamEvents"
			default:
				out.answer = isBytes
			}
		}
	}
	return out
}

// all is the name of what gives each entry of a list.
func (o operation) all() string {
	for _, verb := range []string{"list", "get"} {
		if what, is := strings.CutPrefix(o.id, verb); is {
			return "all" + what
		}
	}
	return "all" + o.id
}

// named is the name of a schema that is referred to.
func named(s *huma.Schema) string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// schema is a type by its name.
type schema struct {
	name string
	*huma.Schema
}

// schemas are those that operations need, and those that these need.
func schemas(doc *huma.OpenAPI, ops []operation) (out []schema) {
	all, needed := doc.Components.Schemas.Map(), map[string]bool{}
	var need func(s *huma.Schema)
	need = func(s *huma.Schema) {
		if s == nil {
			return
		}
		if s.Ref != "" && !needed[named(s)] {
			needed[named(s)] = true
			need(all[named(s)])
		}
		values, _ := s.AdditionalProperties.(*huma.Schema)
		for _, below := range slices.Concat([]*huma.Schema{s.Items, values}, s.OneOf, s.AnyOf, slices.Collect(maps.Values(s.Properties))) {
			need(below)
		}
	}
	for _, o := range ops {
		need(o.schema)
		if o.body != "" {
			need(&huma.Schema{Ref: o.body})
		}
		for _, q := range o.query {
			need(q.schema)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		out = append(out, schema{name, all[name]})
	}
	return out
}

// members are the properties of an object, sorted.
func (s schema) members() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// snake is a name as Python has them.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// language says how a type is written.
type language struct {
	text, number, integer, truth, any string
	formats                           map[string]string // of text, by format and encoding; text where there is none
	list                              func(string) string
	dict                              func(string) string
	literal                           func([]string) string
	union                             func([]string) string
	name                              func(string) string
}

// of writes a schema.
func (l language) of(s *huma.Schema) string {
	switch {
	case s == nil:
		return l.any
	case s.Ref != "":
		return l.name(named(s))
	case len(s.OneOf) > 0:
		return l.union(l.all(s.OneOf))
	case len(s.AnyOf) > 0:
		return l.union(l.all(s.AnyOf))
	case len(s.Enum) > 0 && s.Type == huma.TypeString:
		out := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			out[i] = fmt.Sprintf("%q", v)
		}
		return l.literal(out)
	}
	switch s.Type {
	case huma.TypeString:
		return cmp.Or(l.formats[s.Format+s.ContentEncoding], l.text)
	case huma.TypeInteger:
		return l.integer
	case huma.TypeNumber:
		return l.number
	case huma.TypeBoolean:
		return l.truth
	case huma.TypeArray:
		return l.list(l.of(s.Items))
	case huma.TypeObject:
		if values, is := s.AdditionalProperties.(*huma.Schema); is {
			return l.dict(l.of(values))
		}
		return l.dict(l.any)
	}
	return l.any
}

func (l language) all(of []*huma.Schema) []string {
	out := make([]string, len(of))
	for i, s := range of {
		out[i] = l.of(s)
	}
	return out
}

const madeBy = "Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit."
