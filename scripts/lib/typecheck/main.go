// Command typecheck checks that every package and test of this module compiles for
// other systems, with its window: typecheck windows darwin
//
// It reads the dependencies' declarations as source, without the bodies of their
// functions, so nothing is compiled: seconds in an empty build cache, where
// `go vet` for the same systems compiles 600 packages first. What vet finds besides
// types is found by `go vet` here and, for the other systems, by ./scripts/test all.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// maxErrors bounds what is printed of one system.
const maxErrors = 40

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: typecheck GOOS…   (in the module's directory)")
		os.Exit(2)
	}
	failed := false
	for _, system := range os.Args[1:] {
		errs, err := check(system)
		if err != nil {
			errs = append(errs, err.Error())
		}
		for _, e := range errs[:min(len(errs), maxErrors)] {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %s\n", system, e)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check type-checks the module in the current directory for a system, tests included.
func check(system string) ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	ours := dir + string(filepath.Separator)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule,
		Env:        append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly"),
		BuildFlags: []string{"-tags=desktop,production"},
		Tests:      true,
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, ours) {
				dropBodies(f)
			}
			return f, err
		},
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	var errs []string
	seen := map[string]bool{} // a package and its test variant have the same errors
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			// Without bodies, imports of a dependency look unused. The main package of a
			// test is written by the go command, and no source of ours.
			own := p.Module != nil && p.Module.Main && !strings.HasSuffix(p.PkgPath, ".test")
			if e.Kind == packages.TypeError && !own {
				continue
			}
			if s := e.Error(); !seen[s] {
				seen[s] = true
				errs = append(errs, s)
			}
		}
	})
	return errs, nil
}

// dropBodies removes the bodies of functions, which say nothing about types.
func dropBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
