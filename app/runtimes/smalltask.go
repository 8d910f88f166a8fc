package runtimes

import (
	"context"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// SmallTaskVersion is part of what a proof depends on: it is another one when the small task
// does more.
const SmallTaskVersion = "2"

// SmallTask makes a place, proves and closes it: a program there works in what is served to it,
// since all tasks have folders, or can be given some. Where there are operations, one moves a
// file between two directories, and one has a program of the pack read it.
func SmallTask(ctx context.Context, make func() (vmhost.Runtime, error)) error {
	rt, err := make()
	if err != nil {
		return err
	}
	defer rt.Close(context.WithoutCancel(ctx))
	if err := rt.Connect(ctx); err != nil {
		return err
	}
	steps := []vmhost.Action{{Exec: &wire.ExecParams{ID: "proof", Argv: []string{"true"}, Cwd: wire.FoldersDir}}}
	if rt.Capabilities().Tools {
		const from, to = wire.WorkDir + "/proof/a/page.pdf", wire.WorkDir + "/proof/b/page.pdf"
		steps = append(steps,
			vmhost.Action{Exec: &wire.ExecParams{ID: "proof-file", Argv: []string{"sh", "-c", "mkdir -p proof/a proof/b && cat >proof/a/page.pdf"}, Cwd: wire.WorkDir, Stdin: []byte(onePage)}},
			vmhost.Action{Tool: &wire.ToolParams{Op: "file.move", In: []string{from}, Params: map[string]any{"to": []string{to}}}},
			vmhost.Action{Tool: &wire.ToolParams{Op: "pdf.info", In: []string{to}}},
		)
	}
	for _, step := range steps {
		obs, err := rt.Execute(ctx, step)
		switch {
		case err != nil:
			return err
		case obs.Tool != nil && len(obs.Tool.Problems) > 0:
			return problem.FromTool(obs.Tool.Problems[0]).Weigh(problem.Failed)
		case obs.Exec != nil:
			if p := problem.FromEnd(*obs.Exec); p != nil {
				return p
			}
		}
	}
	return nil
}

// onePage is a PDF of one empty page.
const onePage = `%PDF-1.4
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>
endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000054 00000 n 
0000000105 00000 n 
trailer
<</Size 4/Root 1 0 R>>
startxref
168
%%EOF
`
