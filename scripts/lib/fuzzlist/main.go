// Command fuzzlist prints every fuzz target of the tree, a line each: the package's
// directory, a space, the name. `go test -fuzz` is content with a name that nothing
// has, so a target that cannot be run here, or has nothing to start from, is an error:
//
//	go run ./scripts/lib/fuzzlist
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	list, err := targets(".")
	for _, t := range list {
		fmt.Fprintln(os.Stdout, t.dir, t.name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzlist:", err)
		os.Exit(1)
	}
}

// target is a function that go test -fuzz can run.
type target struct{ dir, name string }

// targets finds those below root. The error names each that has build constraints which
// an ordinary run on Linux does not fulfil, or no seed.
func targets(root string) (out []target, err error) {
	var wrong []error
	linux := build.Default
	linux.GOOS, linux.GOARCH, linux.CgoEnabled = "linux", "amd64", true
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !isTarget(f) {
				continue
			}
			here := target{dir: "./" + filepath.ToSlash(strings.TrimPrefix(dir, root+string(filepath.Separator))), name: f.Name.Name}
			out = append(out, here)
			runs, err := linux.MatchFile(dir, d.Name())
			if err != nil {
				return err
			}
			if !runs {
				wrong = append(wrong, fmt.Errorf("%s of %s: its build constraints keep it from every run", here.name, path))
			}
			if !seeded(f, dir) {
				wrong = append(wrong, fmt.Errorf("%s of %s: there is nothing to start from, neither f.Add nor testdata/fuzz", here.name, path))
			}
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New("there is no fuzz target")
	}
	return out, errors.Join(append(wrong, err)...)
}

// isTarget reports whether go test takes a function for one.
func isTarget(f *ast.FuncDecl) bool {
	return f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && len(f.Type.Params.List) == 1
}

// seeded reports whether a target has inputs of its own: a call with f, which adds some,
// or a corpus that is checked in.
func seeded(f *ast.FuncDecl, dir string) (ok bool) {
	corpus, err := os.ReadDir(filepath.Join(dir, "testdata", "fuzz", f.Name.Name))
	if err == nil && len(corpus) > 0 {
		return true
	}
	names := f.Type.Params.List[0].Names
	if len(names) != 1 {
		return false
	}
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == names[0].Name
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall {
			return true
		}
		if sel, isSel := call.Fun.(*ast.SelectorExpr); isSel && is(sel.X) && sel.Sel.Name == "Add" {
			ok = true
		}
		for _, arg := range call.Args { // a function that adds them
			ok = ok || is(arg)
		}
		return true
	})
	return ok
}
