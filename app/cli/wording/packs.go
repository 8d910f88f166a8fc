package wording

import (
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/words"
	"strings"
)

// PackWords names a pack in one line.
func PackWords(p runtimepack.Info) string {
	if p.OS == "" {
		return strings.TrimSpace(words.Printable(p.Name) + " " + words.Printable(p.Version))
	}
	if p.OS == "any" {
		return words.Printable(p.Name) + " " + words.Printable(p.Version)
	}
	return words.Printable(p.Name) + " " + words.Printable(p.Version) + " for " + words.Printable(p.OS) + "/" + words.Printable(p.Arch)
}

// PackState says what an installed version is here, behind its name.
func PackState(p runtimepack.Info) string {
	state := ""
	for _, s := range []struct {
		is    bool
		words string
	}{
		{p.Current, "in use"},
		{p.Previous, "the one before"},
		{p.Candidate, "waits for its first start here"},
		{p.Failed, "did not work here"},
		{p.InUse && !p.Current, "a task still works on it"},
		{p.Withdrawn, "withdrawn by its makers"},
	} {
		if s.is {
			state += ", " + s.words
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
		state += ", installed"
	case a.Installed && a.Problem != nil && a.Problem.Code != problem.CodeAddOnMismatch:
		state += ", installed, cannot be used" // why is said below it
	case a.Installed:
		state += ", installed, not for the runtime in use"
	default:
		state += ", not installed"
	}
	if a.Installed && a.Bytes > 0 {
		state += ", " + terminal.Size(a.Bytes)
	}
	if !a.Installed && a.Download > 0 {
		state += ", " + terminal.Size(a.Download) + " to download"
	}
	return state
}
