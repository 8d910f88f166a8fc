package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/BurntSushi/toml"
)

// fault is a mistake that is planted, and the tests that must catch it; faults.toml
// says what the members are.
type fault struct {
	Promise, Name, Breaks string
	File, Old, New        string
	Tier, Package, Tests  string
}

//go:embed faults.toml
var faultTable string

// readFaults reads the table of faults. A member that is none is an error.
func readFaults() ([]fault, error) {
	var t struct{ Fault []fault }
	meta, err := toml.Decode(faultTable, &t)
	if err == nil && len(meta.Undecoded()) > 0 {
		err = fmt.Errorf("there is no %s", meta.Undecoded()[0])
	}
	if err != nil {
		return nil, fmt.Errorf("faults.toml: %w", err)
	}
	return t.Fault, nil
}

// checkFaults fails when a fault cannot be planted or its tests are elsewhere.
func checkFaults(root string, table []fault) error {
	var errs []error
	names := map[string]bool{}
	for _, f := range table {
		if names[f.Name] {
			errs = append(errs, fmt.Errorf("two faults are called %s", f.Name))
		}
		names[f.Name] = true
		if err := f.check(root); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", f.Promise, f.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (f fault) check(root string) error {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		return err
	}
	if _, err := f.plant(string(data)); err != nil {
		return err
	}
	for _, test := range f.tests() {
		if err := checkTier(root, f.Tier, f.Package, test); err != nil {
			return err
		}
	}
	return nil
}

// tests are the names of the tests that must fail, without those of subtests.
func (f fault) tests() []string {
	top, _, _ := strings.Cut(f.Tests, "/")
	return strings.Split(strings.Trim(top, "^()$"), "|")
}

// plant returns a file with the fault in it.
func (f fault) plant(source string) (string, error) {
	switch n := strings.Count(source, f.Old); {
	case n != 1:
		return "", fmt.Errorf("%s has %q %d times, not once: the table of faults has to follow the change", f.File, f.Old, n)
	case f.Old == f.New:
		return "", fmt.Errorf("%q is replaced by itself", f.Old)
	}
	return strings.Replace(source, f.Old, f.New, 1), nil
}

// printFaults prints the table of faults.
func printFaults(w io.Writer, table []fault) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, f := range table {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s %s\t%s\n", f.Promise, f.Name, f.Tier, f.Package, f.Tests, f.Breaks)
	}
	return t.Flush()
}
