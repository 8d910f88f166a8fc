package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"piwork/app/chore"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func runCommand(e *env) *cobra.Command {
	var folders, set []string
	var planOnly, noAI bool
	var model, wish string
	var room flags.Machine
	var bounds flags.Bounds
	cmd := &cobra.Command{Use: "run CHORE --folder PATH[:ro|:rw|:review]...", Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringArrayVar(&set, "set", nil, "")
	f.BoolVar(&planOnly, "plan", false, "")
	f.BoolVar(&noAI, "no-ai", false, "")
	f.StringVar(&model, "model", "", "")
	f.StringVar(&wish, "wish", "", "")
	room.Add(cmd)
	bounds.Add(cmd)
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		if len(folders) == 0 {
			return flags.Usage("which-folder")
		}
		chosen, err := flags.ParseFolders(folders)
		if err != nil {
			return err
		}
		params, err := flags.ParseSet(set)
		if err != nil {
			return err
		}
		req := tasks.StartRequest{
			Kind: task.KindChore, Chore: args[0], Params: params, Folders: chosen,
			Accept: e.Yes && !planOnly, PlanOnly: planOnly, MachineChoice: tasks.MachineChoice{Accel: e.accel},
		}
		if err := errors.Join(room.Fill(&req), bounds.Fill(&req)); err != nil {
			return err
		}
		return e.with(ctx, func(ctx context.Context, s *session) error {
			info, err := findChore(ctx, s, args[0])
			if err == nil {
				err = askPasswords(ctx, e, info, req.Params)
			}
			if err != nil {
				return err
			}
			if info.AI == nil && (model != "" || wish != "") {
				return flags.Usage("chore-no-ai", "name", info.Name)
			}
			if info.AI != nil && !noAI {
				if model == "" {
					if models, err := s.Models(ctx); err == nil { // without, it says itself what is missing
						model = models.Default
					}
				}
				if model != "" {
					req.Kind, req.Model, req.Prompt = task.KindAI, model, wish
				}
			}
			return startTask(ctx, s, req)
		})
	})
	return cmd
}

// printPlan shows what a chore will do: what is made, from how much, and what is
// left out and why.
func printPlan(e *env, p chore.Plan) {
	e.PrintText("plan", "chore", terminal.Texts().ChoreTitle(p.Chore))
	printMoves(e, p)
	many := printMany(e, p)
	for _, op := range p.Operations {
		if op.Effect == chore.EffectMove || many[path.Dir(op.Out)] && single(op) {
			continue
		}
		var bytes int64
		for _, in := range op.In {
			bytes += in.Size
		}
		line := fmt.Sprintf("  %s  %s", wording.Name("effect-planned", op.Effect), wording.Shown(op.Out))
		if len(op.In) > 0 {
			line += "  " + terminal.Text("plan-from", "inputs", terminal.Texts().Inputs(p.Chore, len(op.In)))
		}
		if bytes > 0 {
			line += fmt.Sprintf(" (%s)", terminal.Size(bytes))
		}
		e.Print("%s%s", line, wording.MakesWords(op.Makes))
		if op.Grows() {
			e.Print("          %s", terminal.Text("plan-grows", "times", op.Makes.Times))
		}
		if e.Verbose {
			for _, in := range op.In {
				e.Print("          %s", wording.Shown(in.Path))
			}
		}
	}
	if len(p.Operations) == 0 {
		e.Print("  %s.", terminal.Texts().Text("say.nothing-to-do", nil))
	}
	if n := len(p.Skipped); n > 0 {
		e.Print("  %s", terminal.Text("plan-skipped", "inputs", terminal.Texts().Inputs(p.Chore, n)))
	}
	for _, sk := range p.Skipped {
		what, _ := wording.Told(sk)
		e.Print("          %s", what)
	}
}

// folderSum is what a plan does in one folder.
type folderSum struct {
	dir   string
	ops   []chore.Operation
	from  int   // files of the person that it is made of
	bytes int64 // of these
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
			g = &folderSum{dir: dir}
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
		if in := op.In[0]; !made[in.Path] {
			g.from++
			g.bytes += in.Size
		}
	}
	return list
}

func filter(ops []chore.Operation, wanted func(chore.Operation) bool) []chore.Operation {
	return slices.DeleteFunc(slices.Clone(ops), func(op chore.Operation) bool { return !wanted(op) })
}

// printMoves shows where files go: how many to each folder, and with --verbose
// each of them.
func printMoves(e *env, p chore.Plan) {
	moves := filter(p.Operations, func(op chore.Operation) bool { return op.Effect == chore.EffectMove && len(op.In) == 1 })
	for _, g := range byFolder(moves, nil) {
		e.Print("  %s  %s", wording.Name("effect-planned", chore.EffectMove), terminal.Text("plan-moves", "inputs", terminal.Texts().Inputs(p.Chore, len(g.ops)), "folder", g.dir, "bytes", g.bytes))
		for _, op := range g.ops {
			if e.Verbose || p.Chore == "rename-files" {
				e.Print("          %s -> %s", wording.Shown(op.In[0].Path), words.Printable(path.Base(op.Out)))
			}
		}
	}
}

// single reports whether an operation makes something of one file, and nothing that a
// person has to hear of.
func single(op chore.Operation) bool {
	return op.Effect == chore.EffectCreate && len(op.In) == 1 && !op.Grows()
}

// printMany shows folders in which something is made of many files each, in a
// line, and returns them. With --verbose every file has a line of its own.
func printMany(e *env, p chore.Plan) map[string]bool {
	const few = 5 // that have lines of their own
	made, many := map[string]bool{}, map[string]bool{}
	for _, op := range p.Operations {
		made[op.Out] = true
	}
	for _, g := range byFolder(filter(p.Operations, single), made) {
		if len(g.ops) <= few || e.Verbose {
			continue
		}
		many[g.dir] = true
		e.Print("  %s  %s  %s (%s)%s", wording.Name("effect-planned", chore.EffectCreate), terminal.Text("plan-many", "count", len(g.ops), "folder", g.dir),
			terminal.Text("plan-from", "inputs", terminal.Texts().Inputs(p.Chore, g.from)), terminal.Size(g.bytes), wording.MakesWords(g.makes))
	}
	return many
}
