package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Tiers of tests, as ./scripts/test has them.
const (
	tierUnit = "unit" // Go tests without a build tag
	tierVM   = "vm"   // Go tests with the tag vm, and scripts, which boot a machine
	tierE2E  = "e2e"  // scripts in frontend/e2e
	tierAll  = "all"  // what only ./scripts/test all runs: Go tests with the tag long
)

// findRoot returns the directory of this module, from any directory in it.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod in this directory or above it")
		}
		dir = up
	}
}

// tierOf says in which tier a test is: the first that has its tags. It is "" for
// a test that the package does not have on Linux.
func tierOf(root, pkg, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", fmt.Errorf("look for %s: %w", name, err)
		}
		if !declares(f, name) {
			continue
		}
		tier, err := tierOfFile(filepath.Base(file), f)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		found[tier] = true
	}
	for _, tier := range []string{tierUnit, tierVM, tierAll} {
		if found[tier] {
			return tier, nil
		}
	}
	return "", nil
}

// declares reports whether a file has a test of that name.
func declares(f *ast.File, name string) bool {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
			return true
		}
	}
	return false
}

// tierOfFile reads the tier from the build tags and from the end of the name,
// which go/build takes for a tag, too.
func tierOfFile(base string, f *ast.File) (string, error) {
	name := strings.TrimSuffix(base, "_test.go")
	for _, other := range []string{"_windows", "_darwin"} {
		if strings.HasSuffix(name, other) {
			return "", nil
		}
	}
	expr, err := buildTags(f)
	if err != nil || expr == nil {
		return tierUnit, err
	}
	for _, t := range []struct {
		tier string
		tags []string
	}{{tierUnit, nil}, {tierUnit, []string{"race"}}, {tierVM, []string{"vm"}}, {tierAll, []string{"long"}}, {tierAll, []string{"vm", "long"}}} {
		set := map[string]bool{"linux": true, "unix": true, "amd64": true}
		for _, tag := range t.tags {
			set[tag] = true
		}
		if expr.Eval(func(tag string) bool { return set[tag] }) {
			return t.tier, nil
		}
	}
	return "", nil
}

// buildTags returns the //go:build line of a file, nil when it has none.
func buildTags(f *ast.File) (constraint.Expr, error) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				return constraint.Parse(c.Text)
			}
		}
	}
	return nil, nil
}
