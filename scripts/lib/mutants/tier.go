package main

import (
	"errors"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
)

// Tiers of tests, as ./scripts/test has them.
const (
	tierUnit = "unit" // Go tests without a build tag
	tierVM   = "vm"   // Go tests with the tag vm, and scripts, which boot a machine
	tierAll  = "all"  // what only ./scripts/test all runs: Go tests with the tag long
)

// tiers are those of Go tests with their build tags, those that run most often first.
var tiers = []struct {
	name string
	tags []string
}{{tierUnit, nil}, {tierUnit, []string{"race"}}, {tierVM, []string{"vm"}}, {tierAll, []string{"long"}}, {tierAll, []string{"vm", "long"}}}

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

// checkTier fails when a test is not in a tier.
func checkTier(root, want, pkg, test string) error {
	tier, err := tierOf(root, pkg, test)
	switch {
	case err != nil:
		return err
	case tier == "":
		return fmt.Errorf("%s has no %s", pkg, test)
	case tier != want:
		return fmt.Errorf("%s.%s is in the tier %s, the table says %s", pkg, test, tier, want)
	}
	return nil
}

// tierOf says in which tier a test is: the first that has its file. It is "" for a test
// that the package does not have on Linux.
func tierOf(root, pkg, test string) (string, error) {
	dir := filepath.Join(root, filepath.FromSlash(pkg))
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return "", err
	}
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(test) + `\(`)
	first := len(tiers)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if !declared.Match(text) {
			continue
		}
		for i, t := range tiers[:first] {
			c := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true, BuildTags: t.tags}
			has, err := c.MatchFile(dir, filepath.Base(file))
			if err != nil {
				return "", err
			}
			if has {
				first = i
				break
			}
		}
	}
	if first == len(tiers) {
		return "", nil
	}
	return tiers[first].name, nil
}
