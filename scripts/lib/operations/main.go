// Command operations makes what follows from the table of operations (app/api): the Go
// client's methods, those of the fake for tests, and a list of the operations. What is
// written by hand in app/client or app/api/apitest is left out.
//
//	go run ./scripts/lib/operations      from the top of the repository
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"piwork/app/api"
	"piwork/app/api/paging"
)

const generatedBy = "// Code generated from the table of operations (go generate ./app/api). DO NOT EDIT.\n\n"

func main() {
	files, err := generate(".")
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(name, text, 0o644)) //nolint:gosec // it is source
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate makes the files by their paths. top is the top of the repository.
func generate(top string) (map[string][]byte, error) {
	client, fake := &source{name: "client"}, &source{name: "apitest"}
	errs := []error{client.skip(top, "app/client", "Client"), fake.skip(top, "app/api/apitest", "")}
	list := "# Operations\n\nMade from the table of operations by `go generate ./app/api`; schemas are in openapi.yaml.\n" +
		"With a token: what a program needs that has one (package access): nothing more, see (its own tasks; read for all), act (tasks, or ai or tools for what it started), again (the same, with what it may start), or a scope (tasks and decide: for its own tasks; tools; manage: with any folder, and settings), and person, which no token is. Problems are those of its own; the document says which each may answer with.\n"
	for _, o := range api.Operations() {
		if heading := "\n## " + o.Tag + "\n\n"; !strings.Contains(list, heading) {
			list += heading + "| Operation | Request | Who may ask | With a token | | Problems |\n|---|---|---|---|---|---|\n"
		}
		list += fmt.Sprintf("| `%s` | `%s` | %s | %s | %s | %s |\n", o.ID, o.Route, o.Caller, o.Need, strings.ReplaceAll(strings.TrimSpace(o.Summary+". "+o.Description), "?.", "?"), strings.Join(o.Problems, ", "))
		if client.needs(o) {
			errs = append(errs, client.method(o))
		}
		if fake.needs(o) {
			errs = append(errs, fake.answer(o))
		}
	}
	files := map[string][]byte{filepath.Join(top, "app/api/OPERATIONS.md"): []byte(list)}
	var err error
	for file, s := range map[string]*source{"app/client/operations.gen.go": client, "app/api/apitest/operations.gen.go": fake} {
		files[filepath.Join(top, file)], err = s.file()
		errs = append(errs, err)
	}
	return files, errors.Join(errs...)
}

// source is a file of Go that is made.
type source struct {
	name    string
	there   []string // methods
	imports map[string]bool
	text    bytes.Buffer
}

// needs reports whether a method is to be made, which is there from then on.
func (s *source) needs(o api.Operation) bool {
	if o.Method == "" || slices.Contains(s.there, o.Method) {
		return false
	}
	s.there = append(s.there, o.Method)
	return true
}

func (s *source) use(path string) {
	if s.imports == nil {
		s.imports = map[string]bool{}
	}
	s.imports[path] = true
}

// typ is how a type is written. One of an internal package is known by its alias in the
// package above.
func (s *source) typ(t reflect.Type) string {
	switch {
	case t.PkgPath() != "":
		path, _, _ := strings.Cut(t.PkgPath(), "/internal/")
		s.use(path)
		return path[strings.LastIndexByte(path, '/')+1:] + "." + t.Name()
	case t.Kind() == reflect.Slice:
		return "[]" + s.typ(t.Elem())
	case t.Kind() == reflect.Pointer:
		return "*" + s.typ(t.Elem())
	}
	return t.String()
}

// results are those of a method, in its declaration.
func (s *source) results(t reflect.Type) (first, all string) {
	s.use("context")
	var list []string
	for r := range t.Outs() {
		list = append(list, s.typ(r))
	}
	if all = strings.Join(list, ", "); len(list) > 1 {
		all = "(" + all + ")"
	}
	return list[0], all
}

// method makes one of the client, whose parameters are those of the request in their order.
func (s *source) method(o api.Operation) error {
	params, path, query, body := "ctx context.Context", "", "nil", "nil"
	fields := requestFields(o.Input, o.Type)
	if o.Type.NumIn() != len(fields)+2 {
		return fmt.Errorf("%s: the client needs a method by hand: %s is not called with the fields of %s", o.ID, o.Method, o.Input)
	}
	for i, f := range fields {
		name := "r"
		switch {
		case f.Anonymous:
			query = queries(f.Type)
		case f.Tag.Get("path") != "":
			name = f.Tag.Get("path")
			path += ", " + name
		case f.Tag.Get("query") != "":
			name = f.Tag.Get("query")
			query = fmt.Sprintf("query(%q, %s)", name, name)
		default:
			body = name
		}
		params += ", " + name + " " + s.typ(o.Type.In(i+2))
	}
	first, all := s.results(o.Type)
	fmt.Fprintf(&s.text, "// %s is %s: %s\nfunc (c *Client) %s(%s) %s {\n", o.Method, o.ID, o.Summary, o.Method, params, all)
	switch {
	case o.Type.NumOut() == 1:
		fmt.Fprintf(&s.text, "return c.done(ctx, %q, %s%s)\n}\n\n", o.Route, query, path)
	case o.Pages:
		each := strings.TrimPrefix(first, "[]")
		fmt.Fprintf(&s.text, "return whole(pages[%s](ctx, c, %q, %s%s))\n}\n\n", each, o.Route, query, path)
		s.use("iter")
		fmt.Fprintf(&s.text, "// All%s is %s, page by page.\nfunc (c *Client) All%s(%s) iter.Seq2[%s, error] {\nreturn pages[%s](ctx, c, %q, %s%s)\n}\n\n", o.Method, o.ID, o.Method, params, each, each, o.Route, query, path)
	default:
		fmt.Fprintf(&s.text, "return call[%s](ctx, c, %q, %s, %s%s)\n}\n\n", first, o.Route, query, body, path)
	}
	return nil
}

// requestFields are what a request consists of. What the method takes as a whole, such as a
// struct of queries, is one of them.
func requestFields(t, method reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	if t == reflect.TypeFor[paging.Request]() {
		return nil // a client follows the pages
	}
	for f := range t.Fields() {
		if f.Anonymous && !slices.Contains(slices.Collect(method.Ins()), f.Type) {
			out = append(out, requestFields(f.Type, method)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// queries is the query that a struct r says.
func queries(t reflect.Type) string {
	var pairs []string
	for f := range t.Fields() {
		if f.Type == reflect.TypeFor[paging.Request]() {
			continue
		}
		pairs = append(pairs, fmt.Sprintf("%q, r.%s", f.Tag.Get("query"), f.Name))
	}
	return "query(" + strings.Join(pairs, ", ") + ")"
}

// answer makes a method of the fake.
func (s *source) answer(o api.Operation) error {
	if n := o.Type.NumOut(); n > 2 || o.Type.Out(n-1) != reflect.TypeFor[error]() {
		return fmt.Errorf("%s: the fake needs %s by hand", o.ID, o.Method)
	}
	params, names := "_ context.Context", fmt.Sprintf("%q", o.Method)
	for i := 2; i < o.Type.NumIn(); i++ {
		params += fmt.Sprintf(", a%d %s", i-1, s.typ(o.Type.In(i)))
		names += fmt.Sprintf(", a%d", i-1)
	}
	first, all := s.results(o.Type)
	fmt.Fprintf(&s.text, "// %s is of the service.\nfunc (f *Fake) %s(%s) %s {\n", o.Method, o.Method, params, all)
	switch {
	case o.Type.NumOut() == 1:
		fmt.Fprintf(&s.text, "return f.asked(%s)\n}\n\n", names)
	case strings.Contains(o.Route, " /v1/tasks/{id}"):
		fmt.Fprintf(&s.text, "return about[%s](f.runs, %s)\n}\n\n", first, names)
	default:
		fmt.Fprintf(&s.text, "return answered[%s](f.core, %s)\n}\n\n", first, names)
	}
	return nil
}

// file is the whole text.
func (s *source) file() ([]byte, error) {
	var whole bytes.Buffer
	fmt.Fprintf(&whole, "%spackage %s\n\nimport (\n", generatedBy, s.name)
	for _, path := range slices.Sorted(maps.Keys(s.imports)) {
		fmt.Fprintf(&whole, "%q\n", path)
	}
	fmt.Fprintf(&whole, ")\n\n%s", s.text.Bytes())
	return format.Source(whole.Bytes())
}

// skip leaves out the methods of a type (of every type: "") that are written by hand.
func (s *source) skip(top, dir, name string) error {
	files, err := filepath.Glob(filepath.Join(top, dir, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".gen.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is || fn.Recv == nil {
				continue
			}
			typ := fn.Recv.List[0].Type
			if p, is := typ.(*ast.StarExpr); is {
				typ = p.X
			}
			if id, is := typ.(*ast.Ident); is && (name == "" || id.Name == name) {
				s.there = append(s.there, fn.Name.Name)
			}
		}
	}
	return nil
}
