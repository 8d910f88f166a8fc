// Package docs makes the reference of the API that people read, of the same OpenAPI document
// that programs read: one page of HTML without scripts, which needs no network.
package docs

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/problem"
	"piwork/app/words"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	styleText string
)

// Problem is a kind of answer that is no success.
type Problem struct {
	Code, Title, Detail string
	Statuses            []int
}

// Reference is what the page shows.
type Reference struct {
	Title, Version, About string
	Groups                []group
	Schemas               []schema
	Problems              []Problem
	Style                 template.CSS
}

type group struct {
	Name       string
	Operations []operation
}

type operation struct {
	ID, Method, Path, Summary, About, Need string

	Params  []field
	Body    []content
	Answers []content

	Problems []string // codes of its own
}

// content is a body, of a request or an answer.
type content struct {
	Status, Media, About string
	Type                 []word
}

type schema struct {
	Name, About string
	Type        []word // of what is no object
	Fields      []field
}

type field struct {
	Name, About, In string
	Needed          bool
	Type            []word
}

// word is a part of the name of a type; one with a link is a schema.
type word struct{ Text, Link string }

// New makes the reference of a document. need says what a program with a token needs for an
// operation, by its id.
func New(doc *huma.OpenAPI, need map[string]string, problems []Problem) Reference {
	r := Reference{Title: doc.Info.Title, Version: doc.Info.Version, About: doc.Info.Description, Problems: problems, Style: template.CSS(styleText)} //nolint:gosec // it is ours
	groups := map[string]*group{}
	var order []string
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, o := range operations(doc.Paths[path]) {
			name := "other"
			if len(o.Tags) > 0 {
				name = o.Tags[0]
			}
			if groups[name] == nil {
				groups[name] = &group{Name: name}
				order = append(order, name)
			}
			groups[name].Operations = append(groups[name].Operations, operationOf(o, need[o.OperationID]))
		}
	}
	slices.Sort(order)
	for _, name := range order {
		r.Groups = append(r.Groups, *groups[name])
	}
	all := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.Schemas = append(r.Schemas, schema{Name: name, About: all[name].Description, Type: typeOf(all[name]), Fields: fields(all[name])})
	}
	return r
}

func operations(p *huma.PathItem) []*huma.Operation {
	return slices.DeleteFunc([]*huma.Operation{p.Get, p.Post, p.Put, p.Patch, p.Delete}, func(o *huma.Operation) bool { return o == nil })
}

func operationOf(o *huma.Operation, need string) operation {
	out := operation{ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary, About: o.Description, Need: need}
	out.Problems, _ = o.Extensions["x-problems"].([]string)
	for _, p := range o.Parameters {
		about := p.Description
		if about == "" && p.Schema != nil {
			about = p.Schema.Description
		}
		out.Params = append(out.Params, field{Name: p.Name, About: about, In: p.In, Needed: p.Required, Type: typeOf(p.Schema)})
	}
	if o.RequestBody != nil {
		out.Body = contents("", o.RequestBody.Description, o.RequestBody.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if r := o.Responses[status]; len(r.Content) > 0 {
			out.Answers = append(out.Answers, contents(status, r.Description, r.Content)...)
		} else {
			out.Answers = append(out.Answers, content{Status: status, About: r.Description})
		}
	}
	return out
}

func contents(status, about string, of map[string]*huma.MediaType) (out []content) {
	for _, media := range slices.Sorted(maps.Keys(of)) {
		out = append(out, content{Status: status, Media: media, About: about, Type: typeOf(of[media].Schema)})
	}
	return out
}

func fields(s *huma.Schema) (out []field) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, field{Name: name, About: s.Properties[name].Description, Needed: slices.Contains(s.Required, name), Type: typeOf(s.Properties[name])})
	}
	return out
}

// typeOf is a schema in words.
func typeOf(s *huma.Schema) []word {
	if s == nil {
		return []word{{Text: "anything"}}
	}
	text := func(format string, args ...any) []word { return []word{{Text: fmt.Sprintf(format, args...)}} }
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		return []word{{Text: name, Link: name}}
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = fmt.Sprint(v)
		}
		return text("%s", strings.Join(values, " | "))
	case len(s.OneOf) > 0:
		return joined(s.OneOf, " or ")
	case len(s.AnyOf) > 0:
		return joined(s.AnyOf, " or ")
	case len(s.AllOf) > 0:
		return joined(s.AllOf, " and ")
	case s.Type == huma.TypeArray:
		return append(text("list of "), typeOf(s.Items)...)
	case s.Type == huma.TypeObject:
		if of, is := s.AdditionalProperties.(*huma.Schema); is {
			return append(text("map to "), typeOf(of)...)
		}
		return text("object")
	case s.Type == "":
		return text("anything")
	case s.Format != "":
		return text("%s, %s", s.Type, s.Format)
	}
	return text("%s", s.Type)
}

func joined(all []*huma.Schema, between string) (out []word) {
	for i, s := range all {
		if i > 0 {
			out = append(out, word{Text: between})
		}
		out = append(out, typeOf(s)...)
	}
	return out
}

var page = template.Must(template.New("page").Parse(pageText))

// HTML is the page.
func (r Reference) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, r)
	return b.Bytes(), err
}

// Problems are all that there are words for, in the words of c.
func Problems(c *words.Catalogue, statuses func(*problem.Problem) []int) (out []Problem) {
	for _, code := range words.ProblemCodes(c) {
		p := problem.New(code)
		of := statuses(p)
		c.Problem(p)
		out = append(out, Problem{Code: code, Statuses: of, Title: p.Title, Detail: p.Detail})
	}
	return out
}

// Handler answers with the page in the words that a request asks for. Each is made once, when
// it is first asked for.
func Handler(of func(*words.Catalogue) Reference, language func(*http.Request) *words.Catalogue) http.HandlerFunc {
	pages := map[string]func() ([]byte, error){}
	for _, lang := range words.Languages {
		pages[lang] = sync.OnceValues(func() ([]byte, error) { return of(words.For(lang)).HTML() })
	}
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := pages[language(r).Language]()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		headers(w.Header())
		_, _ = w.Write(page)
	}
}

// headers lets a browser show the page, and nothing else of it.
func headers(h http.Header) {
	sum := sha256.Sum256([]byte(styleText))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
}
