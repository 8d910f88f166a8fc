// Command bench measures piwork beside a comparator in the same run.
// ./scripts/bench prepares what it needs and calls it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime/pprof"
)

// benches are the benches by name, and how often each side is usually measured.
var benches = map[string]struct {
	run  func(*B)
	runs int
}{
	"start": {start, 10}, "memory": {four, 3}, "soak": {soak, 100}, "install": {install, 5}, "rpc": {rpc, 5},
	"share": {shareBench, 3}, "tools": {toolsBench, 3}, "gateway": {gatewayBench, 3}, "api": {apiBench, 5}, "exec": {execBench, 10},
}

// env is what ./scripts/bench prepared, and what the caller chose.
type env struct {
	pack    string         // the pack's file
	dir     string         // scratch on the disk where packs are installed; removed by the script
	cache   string         // what is kept between runs
	version string         // of piwork
	only    *regexp.Regexp // the rows that are wanted; nil is all

	pictures int // of tools: small ones
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) == 4 && os.Args[1] == installOnly {
		return try(func() { installPack(context.Background(), os.Args[2], os.Args[3], developerKeys()) })
	}
	if len(os.Args) < 2 || benches[os.Args[1]].run == nil {
		return fmt.Errorf("usage: bench start|memory|soak|install|rpc|share|tools|gateway|api|exec [--json] [-n RUNS]")
	}
	name := os.Args[1]
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	asJSON := f.Bool("json", false, "one JSON document instead of a table")
	wanted := f.String("rows", "", "only rows whose names match this regular expression")
	profile := f.String("profile", "", "share: write the servers' use of processors to this file (go tool pprof)")
	pictures := f.Int("pictures", 1000, "tools: how many small pictures")
	runs := f.Int("n", benches[name].runs, "runs of each side")
	if err := f.Parse(os.Args[2:]); err != nil {
		return err
	}
	if *runs < 1 || *pictures < 1 || f.NArg() > 0 {
		return fmt.Errorf("usage: bench %s [--json] [-n RUNS], RUNS at least 1", name)
	}
	b := &B{runs: *runs, env: env{
		pack: os.Getenv("PIWORK_BENCH_PACK"), dir: os.Getenv("PIWORK_BENCH_DIR"), cache: os.Getenv("PIWORK_BENCH_CACHE"),
		version: os.Getenv("PIWORK_BENCH_VERSION"), pictures: *pictures,
	}}
	if *wanted != "" {
		var err error
		if b.only, err = regexp.Compile(*wanted); err != nil {
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
	var stop context.CancelFunc
	b.ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return b.report(name, benches[name].run, os.Stdout, *asJSON)
}
