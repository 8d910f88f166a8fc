package wording

import (
	"fmt"
	"path"
	"slices"

	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/words"
)

// planLines are the lines of a plan. With verbose each file has one.
type planLines struct {
	chore.Plan
	verbose bool
	lines   []string
}

func (p *planLines) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// inputs says how many of what the chore works on.
func (p *planLines) inputs(n int) string { return terminal.Texts().Inputs(p.Chore, n) }

// PlanLines say what a chore will do: what is made, from how much, and what is left out
// and why.
func PlanLines(plan chore.Plan, verbose bool) []string {
	p := planLines{Plan: plan, verbose: verbose, lines: []string{terminal.Text("plan", "chore", terminal.Texts().ChoreTitle(plan.Chore))}}
	p.moves()
	many := p.many()
	for _, op := range p.Operations {
		if op.Effect == chore.EffectMove || many[path.Dir(op.Out)] && single(op) {
			continue
		}
		var bytes int64
		for _, in := range op.In {
			bytes += in.Size
		}
		line := fmt.Sprintf("  %s  %s", Name("effect-planned", op.Effect), Shown(op.Out))
		if len(op.In) > 0 {
			line += "  " + terminal.Text("plan-from", "inputs", words.OfInputs(terminal.Texts(), p.Chore, len(op.In)))
		}
		if bytes > 0 {
			line += fmt.Sprintf(" (%s)", terminal.Size(bytes))
		}
		p.add("%s%s", line, makesWords(op.Makes))
		if op.Grows() {
			p.add("          %s", terminal.Text("plan-grows", "times", op.Makes.Times))
		}
		if p.verbose {
			for _, in := range op.In {
				p.add("          %s", Shown(in.Path))
			}
		}
	}
	if len(p.Operations) == 0 {
		p.add("  %s.", terminal.Texts().Text("say.nothing-to-do", nil))
	}
	if p.Online != nil {
		terminal.Texts().Plan(&p.Plan)
		p.add("  %s", p.Online.Note)
	}
	if n := len(p.Skipped); n > 0 {
		p.add("  %s", terminal.Text("plan-skipped", "inputs", p.inputs(n)))
	}
	for _, sk := range p.Skipped {
		what, _ := Told(sk)
		p.add("          %s", what)
	}
	return p.lines
}

// folderSum is what a plan does in one folder.
type folderSum struct {
	dir   string
	ops   []chore.Operation
	from  map[string]bool // files of the person that it is made of
	bytes int64           // of these
	makes *chore.Makes
}

// byFolder sums up operations by the folders that they write to, in their order. Of made
// is what the plan makes itself on the way.
func byFolder(ops []chore.Operation, made map[string]bool) (list []*folderSum) {
	sums := map[string]*folderSum{}
	for _, op := range ops {
		dir := path.Dir(op.Out)
		g := sums[dir]
		if g == nil {
			g = &folderSum{dir: dir, from: map[string]bool{}}
			sums[dir], list = g, append(list, g)
		}
		g.ops = append(g.ops, op)
		if m := op.Makes; m != nil {
			if g.makes == nil {
				g.makes = &chore.Makes{}
			}
			g.makes.Files += m.Files
			g.makes.Bytes += m.Bytes
		}
		if in := op.In[0]; !made[in.Path] && !g.from[in.Path] {
			g.from[in.Path] = true
			g.bytes += in.Size
		}
	}
	return list
}

func filter(ops []chore.Operation, wanted func(chore.Operation) bool) []chore.Operation {
	return slices.DeleteFunc(slices.Clone(ops), func(op chore.Operation) bool { return !wanted(op) })
}

// moves says where files go: how many to each folder, and with verbose each of them.
func (p *planLines) moves() {
	moves := filter(p.Operations, func(op chore.Operation) bool { return op.Effect == chore.EffectMove && len(op.In) == 1 })
	for _, g := range byFolder(moves, nil) {
		p.add("  %s  %s", Name("effect-planned", chore.EffectMove), terminal.Text("plan-moves", "inputs", p.inputs(len(g.ops)), "folder", g.dir, "bytes", g.bytes))
		for _, op := range g.ops {
			if p.verbose || p.Chore == "rename-files" {
				p.add("          %s -> %s", Shown(op.In[0].Path), words.Printable(path.Base(op.Out)))
			}
		}
	}
}

// single reports whether an operation makes something of one file, and nothing that a
// person has to hear of.
func single(op chore.Operation) bool {
	return op.Effect == chore.EffectCreate && len(op.In) == 1 && !op.Grows()
}

// many has a line for each folder in which something is made of many files each, and
// returns these folders.
func (p *planLines) many() map[string]bool {
	const few = 5 // that have lines of their own
	made, many := map[string]bool{}, map[string]bool{}
	for _, op := range p.Operations {
		made[op.Out] = true
	}
	for _, g := range byFolder(filter(p.Operations, single), made) {
		if len(g.ops) <= few || p.verbose {
			continue
		}
		many[g.dir] = true
		p.add("  %s  %s  %s (%s)%s", Name("effect-planned", chore.EffectCreate), terminal.Text("plan-many", "count", len(g.ops), "folder", g.dir),
			terminal.Text("plan-from", "inputs", words.OfInputs(terminal.Texts(), p.Chore, len(g.from))), terminal.Size(g.bytes), makesWords(g.makes))
	}
	return many
}
