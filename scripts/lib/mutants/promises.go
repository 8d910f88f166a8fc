package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// promiseTable has the promises of the design, in short, with the strongest tests of
// each: the tier, where the test is, what it shows. Other tests hold them, too; those
// here must not go.
//
//go:embed promises.txt
var promiseTable string

// promise is one of P1 to P9 of the design, and the tests that hold it.
type promise struct {
	id   string
	held []holder
}

// holder is a test that holds a promise: package.Function, or a script.
type holder struct{ tier, test string }

// readPromises reads the table of promises: in its first line each, then one line for
// each test.
func readPromises() []promise {
	var out []promise
	for line := range strings.Lines(promiseTable) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case line[0] != ' ':
			out = append(out, promise{id: words[0]})
		default:
			p := &out[len(out)-1]
			p.held = append(p.held, holder{words[0], words[1]})
		}
	}
	return out
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
	if pkg, test, ok := strings.Cut(h.test, ".Test"); ok {
		return checkTier(root, h.tier, pkg, "Test"+test)
	}
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(h.test))) // a script
	return err
}
