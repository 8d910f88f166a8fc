package wording

import (
	"strings"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/words"
)

// PackWords names a pack in one line.
func PackWords(p runtimepack.Info) string {
	if p.OS == "" || p.OS == "any" {
		return strings.TrimSpace(words.Printable(p.Name + " " + p.Version))
	}
	return terminal.Text("pack-for", "pack", p.Name+" "+p.Version, "os", p.OS, "arch", p.Arch)
}

// PackState says what an installed version is here, behind its name.
func PackState(p runtimepack.Info) string {
	state := ""
	for _, s := range []struct {
		is    bool
		words string
	}{
		{p.Current, "current"},
		{p.Previous, "previous"},
		{p.Candidate, "candidate"},
		{p.Failed, "failed"},
		{p.InUse && !p.Current, "busy"},
		{p.Withdrawn, "withdrawn"},
	} {
		if s.is {
			state += ", " + Name("pack-state", s.words)
		}
	}
	return state
}

// AddOnState says how an add-on stands, behind its name.
func AddOnState(a runtimepack.AddOn) string {
	state := ""
	if a.Version != "" {
		state = " " + words.Printable(a.Version)
	}
	switch {
	case a.Installed && a.Usable:
		state += ", " + Name("addon-state", "installed")
	case a.Installed && a.Problem != nil && a.Problem.Code != problem.CodeAddOnMismatch:
		state += ", " + Name("addon-state", "broken") // why is said below it
	case a.Installed:
		state += ", " + Name("addon-state", "mismatch")
	default:
		state += ", " + Name("addon-state", "missing")
	}
	if a.Installed && a.Bytes > 0 {
		state += ", " + terminal.Size(a.Bytes)
	}
	if !a.Installed && a.Download > 0 {
		state += ", " + terminal.Text("to-download", "bytes", a.Download)
	}
	return state
}
