package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// fault is a mistake that is planted, and the tests that must catch it.
type fault struct {
	promise  string
	name     string
	breaks   string // what the program does wrong with it
	file     string
	old, new string // old stands in the file exactly once
	guest    bool   // it is in the guest's agent, and its tests take that from the pack: one is built with the fault

	tier string // unit or vm
	pkg  string // package of the tests
	run  string // their names, as -run of go test takes them
}

// checkFaults fails when a fault cannot be planted or its tests are elsewhere.
func checkFaults(root string, table []fault) error {
	var errs []error
	names := map[string]bool{}
	for _, f := range table {
		if names[f.name] {
			errs = append(errs, fmt.Errorf("two faults are called %s", f.name))
		}
		names[f.name] = true
		if err := f.check(root); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", f.promise, f.name, err))
		}
	}
	return errors.Join(errs...)
}

func (f fault) check(root string) error {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.file)))
	if err != nil {
		return err
	}
	if _, err := f.plant(string(data)); err != nil {
		return err
	}
	for _, test := range f.tests() {
		tier, err := tierOf(root, f.pkg, test)
		if err != nil {
			return err
		}
		if tier != f.tier {
			return fmt.Errorf("%s.%s is in the tier %q, the table says %s", f.pkg, test, tier, f.tier)
		}
	}
	return nil
}

// tests are the names of the tests in run, without those of subtests.
func (f fault) tests() []string {
	top, _, _ := strings.Cut(f.run, "/")
	return strings.Split(strings.Trim(top, "^()$"), "|")
}

// plant returns a file with the fault in it.
func (f fault) plant(source string) (string, error) {
	switch n := strings.Count(source, f.old); {
	case n != 1:
		return "", fmt.Errorf("%s has %q %d times, not once: the table of faults has to follow the change", f.file, f.old, n)
	case f.old == f.new:
		return "", fmt.Errorf("%q is replaced by itself", f.old)
	}
	return strings.Replace(source, f.old, f.new, 1), nil
}

// printFaults prints the table of faults.
func printFaults(w io.Writer, table []fault) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, f := range table {
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s %s\t%s\n", f.promise, f.name, f.tier, f.pkg, f.run, f.breaks); err != nil {
			return err
		}
	}
	return t.Flush()
}
