package runtimes

import (
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Nowhere is why a task has no place: the problem of the kind that was asked for, or of the
// strongest one.
func (c Choice) Nowhere(n Need) *problem.Problem {
	required := false
	for _, v := range c.Verdicts {
		switch {
		case n.Named != "" && v.Kind != n.Named:
		case v.Problem != nil:
			return v.Problem
		case n.Named != "":
			return n.unfit(v.Kind, v.Reason)
		}
		required = required || v.Reason == ReasonRequired
	}
	if required {
		return n.unfit("", ReasonRequired)
	}
	return problem.New(problem.CodeRuntimeUnfit).With("runtime", vmhost.KindVM)
}

// unfit is the problem of a kind that does not do; "" is every one.
func (n Need) unfit(kind string, why Reason) *problem.Problem {
	p := problem.New(problem.CodeRuntimeUnfit).By(string(why))
	if kind != "" {
		p = p.With("runtime", kind)
	}
	if why == ReasonRequired && len(n.Requires.Kinds) > 0 {
		p = p.With("kinds", strings.Join(n.Requires.Kinds, ", "))
	}
	return p
}

// FileRule is what the person requires of places in which files of theirs are changed. An
// action that changes files has it.
func (c *Chooser) FileRule() vmhost.Requirement {
	return vmhost.Requirement{Kinds: c.choice.Get().Files}
}

// MayChange returns the problem of folders that programs may change in a place of a kind in
// which the person allows that not.
func (c *Chooser) MayChange(kind string, folders ...task.Folder) error {
	if !slices.ContainsFunc(folders, func(f task.Folder) bool { return f.Mode != task.ModeReadOnly }) {
		return nil
	}
	if err := c.FileRule().Check(vmhost.Capabilities{Name: kind}); err != nil {
		return problem.From(err).By(problem.CauseFileRule)
	}
	return nil
}
