// Command mutants shows that the default tests hold the promises P1 to P9:
//
//	go run ./scripts/lib/mutants -table            which test holds which promise, in which tier
//	go run ./scripts/lib/mutants -list             the faults, and the tests that must catch them
//	go run ./scripts/lib/mutants [-tier unit] [-run REGEXP]
//
// Without -table and -list it plants one fault at a time, in what is compiled only: as
// a file that takes the place of another (-overlay of go build). A fault is a mistake
// that somebody could make: a check dropped, a comparison inverted. The tests named
// beside it must fail; each of them must have passed before without a fault. The last
// lines say of each fault whether it was caught. The exit status is 1 when one was not.
//
// Faults of the tier vm need a machine: PIWORK_RUNTIME_DIR names an unpacked pack, as
// ./scripts/test sets it. A fault in the guest's agent is caught by tests that lay the
// agent of the source tree over the pack, as those of pack/guest/guestvm do.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	table := flag.Bool("table", false, "print which test holds which promise")
	list := flag.Bool("list", false, "print the faults")
	tier := flag.String("tier", "", "only faults of this tier: unit or vm")
	run := flag.String("run", "", "only faults whose promise and name match this regular expression")
	limit := flag.Duration("limit", 20*time.Minute, "how long one test command may take")
	verbose := flag.Bool("v", false, "print what the tests of a caught fault said")
	flag.Parse()
	if flag.NArg() > 0 || *tier != "" && *tier != tierUnit && *tier != tierVM {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, *table, *list, *tier, *run, runOptions{limit: *limit, verbose: *verbose}); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

func do(ctx context.Context, table, list bool, tier, run string, o runOptions) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	match, err := regexp.Compile(run)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if table {
		if err := checkPromises(root, readPromises()); err != nil {
			return err
		}
		_, err := io.WriteString(os.Stdout, promiseTable)
		return err
	}
	faults, err := readFaults()
	if err != nil {
		return err
	}
	if err := checkFaults(root, faults); err != nil {
		return err
	}
	chosen := choose(faults, tier, match)
	switch {
	case list:
		return printFaults(os.Stdout, chosen)
	case len(chosen) == 0:
		return fmt.Errorf("no fault matches -tier %q -run %q", tier, run)
	}
	return plantAll(ctx, root, chosen, o)
}

// choose returns the faults of a tier ("" for all) whose promise and name match.
func choose(all []fault, tier string, match *regexp.Regexp) []fault {
	var out []fault
	for _, f := range all {
		if (tier == "" || f.Tier == tier) && match.MatchString(f.Promise+" "+f.Name) {
			out = append(out, f)
		}
	}
	return out
}
