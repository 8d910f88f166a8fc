package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// elsewhere says where the system and the task's directories are, when they are not at the
// root: then the agent runs beside everything else of the computer, as its person.
type elsewhere struct {
	tree     string   // has the system; "" is the root
	place    string   // has the task's directories, as order.PlaceVariable says
	runnable []string // programs of the computer that may be started all the same
	writable []string // directories in which programs may change files
	searched []string // variables by which programs find what is in the tree
	group    string   // a cgroup that is this agent's to bound programs in; "" without
	most     uint64   // how many processes and threads programs may have at once
}

// parse reads the arguments of "piwork-guest serve".
func (e *elsewhere) parse(args []string) error {
	f := flag.NewFlagSet(partHosted, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&e.tree, "tree", "", "")
	f.StringVar(&e.place, "place", "", "")
	f.StringVar(&e.group, "group", "", "")
	f.Uint64Var(&e.most, "processes", hostedProcesses, "")
	f.Func("run", "", func(program string) error {
		e.runnable = append(e.runnable, program)
		return nil
	})
	err := f.Parse(args)
	e.writable = f.Args()
	if e.tree != "" {
		e.runnable, e.searched = append(e.runnable, e.tree), order.Variables(e.tree)
	}
	return err
}

// at is where something is that is at a path in every other place.
func (e *elsewhere) at(name string) string {
	if e.tree == "" {
		return name
	}
	for _, dir := range []string{wire.WorkDir, wire.FoldersDir, wire.StateDir, "/tmp", "/home"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return e.place + name
		}
	}
	return e.tree + name
}

// words are the variables of programs.
func (h *hosted) words() []string { return merged(h.env.ofTask(), h.variables()) }

// merged are variables; the later ones hold.
func merged(all, later []string) []string {
	names := map[string]bool{}
	for _, v := range later {
		name, _, _ := strings.Cut(v, "=")
		names[name] = true
	}
	kept := slices.DeleteFunc(all, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
	return append(kept, later...)
}

// variables are those that say where things are; none where they are at the root.
func (e *elsewhere) variables() []string {
	if e.tree == "" {
		return nil
	}
	all := []string{
		"PATH=" + searchPath(e.tree, e.at("/home")), "HOME=" + e.at("/home"), "SHELL=" + e.at("/bin/sh"),
		"TMPDIR=" + e.at("/tmp"), wire.FoldersVariable + "=" + e.at(wire.FoldersDir), order.TreeVariable + "=" + e.tree, order.PlaceVariable + "=" + e.place,
	}
	// The system here is of this person, and pip sees only that it could write there.
	return slices.Concat(all, packageWords(e.at("/home")), []string{"PIP_USER=1"}, e.searched)
}

// room is how many processes and threads programs may have where a user's are counted
// together, whatever they belong to: so many more than there are.
func (e *elsewhere) room() uint64 {
	if e.tree == "" {
		return 0
	}
	mine, all := uint64(0), uint64(0)
	statuses, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range statuses {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		uid, threads := "", uint64(0)
		for line := range strings.Lines(string(b)) {
			switch key, value, _ := strings.Cut(line, ":"); key {
			case "Uid":
				uid, _, _ = strings.Cut(strings.TrimSpace(value), "\t")
			case "Threads":
				threads, _ = strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			}
		}
		if all += threads; uid == strconv.Itoa(os.Getuid()) {
			mine += threads
		}
	}
	if all == 0 {
		return 0
	}
	return mine + e.most
}
