package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What the house allows.
const (
	maxRoot    = 1500 // lines of package app
	maxPackage = 6000 // lines
)

// house is what was counted.
type house struct {
	goLines, webLines int
	packages          map[string]int // lines of Go by directory
	types             []typeSize
}

type typeSize struct {
	name            string // with its directory
	methods, fields int
}

// look counts the files of the repository in dir.
func look(ctx context.Context, dir string) (*house, error) {
	list := exec.CommandContext(ctx, "git", "-C", dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the repository: %w", err)
	}
	h := &house{packages: map[string]int{}}
	types := map[string]*typeSize{}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		kind := path.Ext(name)
		if test(name) || !slices.Contains([]string{".go", ".ts", ".svelte"}, kind) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // removed, and git does not know yet
		}
		if err != nil {
			return nil, err
		}
		if generated(name, text) {
			continue
		}
		lines := bytes.Count(text, []byte("\n"))
		if kind != ".go" {
			h.webLines += lines
			continue
		}
		h.goLines += lines
		h.packages[path.Dir(name)] += lines
		if err := count(types, name, text); err != nil {
			return nil, err
		}
	}
	for _, t := range types {
		h.types = append(h.types, *t)
	}
	return h, nil
}

// test reports whether a file is a test's.
func test(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".test.ts") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "frontend/e2e/")
}

// generated reports whether a program wrote a file.
func generated(name string, text []byte) bool {
	head := text[:min(len(text), 512)]
	return strings.Contains(name, ".gen.") || bytes.Contains(head, []byte("DO NOT EDIT"))
}

// count adds the methods and fields of a file.
func count(types map[string]*typeSize, name string, text []byte) error {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	at := func(id string) *typeSize {
		key := path.Dir(name) + "." + id
		if types[key] == nil {
			types[key] = &typeSize{name: key}
		}
		return types[key]
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if id := receiver(d); id != "" {
				at(id).methods++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				ts, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if st, ok := ts.Type.(*ast.StructType); ok {
					n := 0
					for _, field := range st.Fields.List {
						n += max(1, len(field.Names))
					}
					at(ts.Name.Name).fields = n
				}
			}
		}
	}
	return nil
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// tooLarge says what is larger than the house allows.
func (h *house) tooLarge() []string {
	var out []string
	if n := h.packages["app"]; n > maxRoot {
		out = append(out, fmt.Sprintf("app: %d lines, more than %d", n, maxRoot))
	}
	for dir, n := range h.packages {
		if n > maxPackage {
			out = append(out, fmt.Sprintf("%s: %d lines, more than %d", dir, n, maxPackage))
		}
	}
	slices.Sort(out)
	return out
}
