package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// promise is one of P1 to P9 of the design, and the tests that hold it.
type promise struct {
	id, says string
	held     []holder
}

// holder is a test that holds a promise.
type holder struct {
	tier  string
	where string // package, or script in the tier e2e
	test  string // function, "" in the tier e2e
	shows string
}

// checkPromises fails when a test is not where the table says it is.
func checkPromises(root string, table []promise) error {
	var errs []error
	for _, p := range table {
		for _, h := range p.held {
			if err := h.check(root); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.id, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (h holder) check(root string) error {
	if h.test == "" { // a script
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(h.where)))
		return err
	}
	tier, err := tierOf(root, h.where, h.test)
	switch {
	case err != nil:
		return err
	case tier == "":
		return fmt.Errorf("%s has no %s", h.where, h.test)
	case tier != h.tier:
		return fmt.Errorf("%s.%s is in the tier %s, the table says %s", h.where, h.test, tier, h.tier)
	}
	return nil
}

// printPromises prints the table.
func printPromises(w io.Writer, table []promise) error {
	for _, p := range table {
		if _, err := fmt.Fprintf(w, "%s  %s\n", p.id, p.says); err != nil {
			return err
		}
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, h := range p.held {
			name := h.where
			if h.test != "" {
				name += "." + h.test
			}
			if _, err := fmt.Fprintf(t, "    %s\t%s\t%s\n", h.tier, name, h.shows); err != nil {
				return err
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
