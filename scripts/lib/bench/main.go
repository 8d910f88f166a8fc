// Command bench measures piwork beside a comparator in the same run.
// ./scripts/bench prepares what it needs and calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime/pprof"
)

// bench measures and returns its rows; runs is at least 1.
type bench func(ctx context.Context, e env, runs int) ([]row, error)

var benches = map[string]bench{"start": start, "memory": four, "soak": soak, "install": install, "rpc": rpc, "share": shareBench, "tools": toolsBench, "gateway": gatewayBench}

// env is what ./scripts/bench prepared.
type env struct {
	pack  string         // the pack's file
	dir   string         // scratch on the disk where packs are installed; removed by the script
	cache string         // what is kept between runs
	rows  *regexp.Regexp // of share, tools and gateway: the rows that are wanted; nil is all

	version string // of piwork

	pictures int // of tools: small ones
}

// wants reports whether a row is to be measured.
func (e env) wants(name string) bool { return e.rows == nil || e.rows.MatchString(name) }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) == 4 && os.Args[1] == installOnly {
		return installAlone(context.Background(), os.Args[2], os.Args[3])
	}
	if len(os.Args) < 2 || benches[os.Args[1]] == nil {
		return fmt.Errorf("usage: bench start|memory|soak|install|rpc|share|tools|gateway [--json] [-n RUNS]")
	}
	name := os.Args[1]
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	asJSON := f.Bool("json", false, "one JSON document instead of a table")
	usual := 5
	switch name {
	case "start":
		usual = 10
	case "memory", "share", "tools", "gateway":
		usual = 3
	case "soak":
		usual = 100
	}
	wanted := f.String("rows", "", "share, tools, gateway: only rows whose names match this regular expression")
	profile := f.String("profile", "", "share: write the servers' use of processors to this file (go tool pprof)")
	pictures := f.Int("pictures", 1000, "tools: how many small pictures")
	runs := f.Int("n", usual, "runs of each side")
	if err := f.Parse(os.Args[2:]); err != nil {
		return err
	}
	if *runs < 1 || *pictures < 1 || f.NArg() > 0 {
		return fmt.Errorf("usage: bench %s [--json] [-n RUNS], RUNS at least 1", name)
	}
	e := env{pack: os.Getenv("PIWORK_BENCH_PACK"), dir: os.Getenv("PIWORK_BENCH_DIR"), cache: os.Getenv("PIWORK_BENCH_CACHE"), version: os.Getenv("PIWORK_BENCH_VERSION"), pictures: *pictures}
	if *wanted != "" {
		var err error
		if e.rows, err = regexp.Compile(*wanted); err != nil {
			return err
		}
	}
	if *profile != "" {
		out, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rows, err := benches[name](ctx, e, *runs)
	if err != nil && len(rows) == 0 {
		return err
	}
	// What took an hour is not lost by what failed after it.
	return errors.Join(err, report{Bench: name, Rows: rows}.write(os.Stdout, *asJSON))
}
