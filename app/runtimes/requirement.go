package runtimes

import (
	"slices"

	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Nowhere is why a task has no place: the problem of the kind that was asked for, or of the
// strongest one.
func (c Choice) Nowhere(n Need) *problem.Problem {
	var missing *vmhost.RequirementError
	for _, v := range c.Verdicts {
		switch {
		case n.Named != "" && v.Kind != n.Named:
		case v.Problem != nil:
			return v.Problem
		case v.Reason == ReasonRule && v.refused.Fault == nil && n.Named == "" && c.otherwise(v):
		case v.Reason == ReasonRule:
			return ruled(v)
		case n.Named != "":
			return unfit(v)
		}
		// Where some place is of a kind that will do, what that one lacks is why.
		if v.missing != nil && (missing == nil || missing.Lacks == vmhost.LacksKind) {
			missing = v.missing
		}
	}
	if missing != nil {
		p := lacking(missing)
		delete(p.Params, "runtime") // it is every one
		return p
	}
	return problem.New(problem.CodeRuntimeUnfit).With("runtime", vmhost.KindVM)
}

// otherwise reports whether a kind behind v has a problem of its own, which says more.
func (c Choice) otherwise(v Verdict) bool {
	at := slices.IndexFunc(c.Verdicts, func(o Verdict) bool { return o.Kind == v.Kind })
	return slices.ContainsFunc(c.Verdicts[at+1:], func(o Verdict) bool { return o.Problem != nil })
}

// ruled is the problem of a kind that a rule refuses.
func ruled(v Verdict) *problem.Problem {
	p := problem.New(problem.CodeRuleDenied).With("action", string(policy.StartRuntime)).With("what", v.Kind)
	return v.refused.Explains(p)
}

// unfit is the problem of a kind that does not do.
func unfit(v Verdict) *problem.Problem {
	if v.missing != nil {
		return lacking(v.missing)
	}
	return problem.New(problem.CodeRuntimeUnfit).With("runtime", v.Kind).By(string(v.Reason))
}

// lacking is the problem of a place, whose words say all that the error does.
func lacking(e *vmhost.RequirementError) *problem.Problem {
	p := problem.From(e)
	p.Details = ""
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
