package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// opPageTable is no operation of pack/tools, as opPagePDF is none.
const opPageTable = "page.table"

// Bounds of a table that is filled in.
const (
	maxVisits = 200  // pages of one task; a column has the addresses
	tableLook = 1000 // rows that are looked at for a plan
)

// opTableTo takes a table where it can be read, and back.
const opTableTo = "table.convert"

// fillTable makes copies of tables that have a column of web addresses. What is empty in
// another column is filled in with what the page says under the column's name. Its network
// is the task's: a person is asked about each host.
type fillTable struct{}

// Info implements Chore.
func (fillTable) Info() Info {
	return Info{
		Name: "fill-table",
		Params: []ParamInfo{
			{Name: "format", Type: "choice", Default: tableSame, Choices: []string{tableSame, tableCSV, tableXLSX}},
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{"browser"}, Network: true,
	}
}

// filledName is what is added to a table's name, by language.
var filledName = map[string]string{"en": "filled in", "de": "ausgefüllt"}

// Plan implements Chore. Nothing is looked at on the web before a yes.
func (c fillTable) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: c.Info().Name, Params: env.Params, Operations: []Operation{}, Needs: c.Info().Needs}
	for _, f := range env.Folders {
		if err := f.writable(); err != nil {
			return plan, err
		}
		entries, err := f.List(ctx, false)
		if err != nil {
			return plan, err
		}
		taken := names{}
		for _, e := range entries {
			taken.add(f.Guest + "/" + e.Path)
		}
		found, skipped := candidates(f, entries, tableExts)
		plan.Skipped = append(plan.Skipped, skipped...)
		for _, t := range found {
			ops, skip, err := c.sheets(ctx, env, t.guest)
			if err != nil {
				return plan, err
			}
			if skip != nil {
				plan.Skipped = append(plan.Skipped, *skip)
			}
			for _, op := range ops {
				name := fmt.Sprintf("%s (%s)", ofSheet(stem(path.Base(t.guest), op.Out), op.Sheet), filledName[text(env.Params, "language")])
				op.Out = taken.free(f.Guest, name, op.Out)
				plan.Operations = append(plan.Operations, op)
			}
			if n := len(plan.Operations); n > maxMade {
				return plan, problem.New(problem.CodeTooManyInputs).With("count", n).With("max", maxMade)
			}
		}
	}
	switch {
	case len(plan.Operations) > 0:
		return plan, nil
	case len(plan.Skipped) > 0:
		return plan, problem.New(problem.CodeNothingLeft).With("count", len(plan.Skipped))
	}
	return plan, noFiles(problem.CodeNoFiles, env.Folders, tableExts, false)
}

// sheets plans the sheets of a table that have something to fill in, with the extension of
// the copy as its path; skip is why others are left out.
func (c fillTable) sheets(ctx context.Context, env Env, guest string) (ops []Operation, skip *problem.Problem, err error) {
	sheets := []string{""}
	for n := 0; n < len(sheets) && n < maxMade; n++ {
		info, why, err := c.look(ctx, env, guest, sheets[n])
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			sheets = sheetsOf(info.Sheets)
		}
		if why != nil {
			if skip == nil || why.Code != problem.CodeNothingToFill {
				skip = why
			}
			continue
		}
		ops = append(ops, Operation{
			Op: opPageTable, In: []Input{{Path: guest, SHA256: info.SHA256, Size: info.Size}}, Sheet: sheets[n], Effect: EffectCreate,
			Out: "." + copyFormat(env.Params, info.Format),
		})
	}
	if len(ops) > 0 && skip != nil && skip.Code == problem.CodeNothingToFill { // of a sheet, and not of the table
		skip = nil
	}
	return ops, skip, nil
}

// look reads the begin of a table; skip is why it is left out.
func (fillTable) look(ctx context.Context, env Env, guest, sheet string) (info tools.TableInfo, skip *problem.Problem, err error) {
	r, err := env.tool(ctx, wire.ToolParams{ID: "look", Op: opTable, In: []string{guest}, Params: map[string]any{"rows": tableLook, "sheet": sheet}}, nil)
	if err != nil {
		return info, nil, fmt.Errorf("%s: %w", opTable, err)
	}
	if p := whole(r); p != nil {
		return info, nil, p
	}
	for _, p := range r.Problems {
		if p.Path == guest {
			return info, problem.FromTool(p), nil
		}
	}
	if len(r.Info) != 1 {
		return info, nil, errAnswer
	}
	data, err := json.Marshal(r.Info[0])
	if err != nil || json.Unmarshal(data, &info) != nil || info.Path != guest || !validHash(seen{SHA256: info.SHA256, Size: info.Size}) {
		return info, nil, errAnswer
	}
	if !mayFill(info) {
		skip = leftOut(problem.CodeNothingToFill, guest)
	}
	return info, skip, nil
}

// mayFill reports whether a table has something to fill in, as far as its begin tells.
func mayFill(info tools.TableInfo) bool {
	t := sheet{rows: info.Sample}
	for _, c := range info.Columns {
		t.header = append(t.header, c.Name)
	}
	if len(t.empty()) > 0 {
		return true
	}
	at, ok := t.addressColumn()
	return ok && info.Rows > len(info.Sample) && slices.ContainsFunc(info.Columns, func(c tools.TableColumn) bool {
		return c.Empty > 0 && c.Name != t.header[at] && label(c.Name) != ""
	})
}

// Run implements Chore. What an earlier run made stays.
func (c fillTable) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	if err := c.check(env, plan); err != nil {
		return out, err
	}
	r := &filling{env: env, pages: map[string]*page{}, out: &out}
	for n, op := range plan.Operations {
		made, err := env.madeBefore(ctx, op.Out)
		if err == nil && made == nil {
			if err = env.unchanged(ctx, op.In, nil); err == nil {
				made, err = r.table(ctx, n, op)
			}
		}
		if err != nil {
			return out, err
		}
		if made != nil {
			if err := out.add(env, *made); err != nil {
				return out, err
			}
		}
	}
	if len(out.Results) == 0 {
		return out, problem.New(problem.CodeNothingLeft).With("count", len(plan.Operations))
	}
	return out, nil
}

// check refuses what is no plan of this chore.
func (c fillTable) check(env Env, plan Plan) error {
	if plan.V != PlanVersion || plan.Chore != c.Info().Name || len(plan.Operations) == 0 || len(plan.Operations) > maxMade {
		return errPlan
	}
	for _, op := range plan.Operations {
		if op.Op != opPageTable || op.Effect != EffectCreate || len(op.In) != 1 || op.In[0].SHA256 == "" ||
			!slices.Contains(tableExts, path.Ext(op.Out)) ||
			!slices.ContainsFunc(env.Folders, func(f Folder) bool {
				return path.Dir(op.Out) == f.Guest && within(f.Guest, op.Out) == nil && within(f.Guest, op.In[0].Path) == nil
			}) {
			return errPlan
		}
	}
	return nil
}

// filling is a run under way.
type filling struct {
	env    Env
	pages  map[string]*page // by address; nil cannot be reached
	visits int
	out    *Outcome
}

// table makes one copy: nil where that could not be done, which is a problem then.
func (r *filling) table(ctx context.Context, n int, op Operation) (*wire.ToolFile, error) {
	name := fmt.Sprintf("piwork-table-%d.json", n+1)
	between := wire.WorkDir + "/" + name
	made, err := r.convert(ctx, n, op.In[0].Path, between, map[string]any{"sheet": op.Sheet, "replace": true})
	if made == nil || err != nil {
		return nil, err
	}
	obs, err := r.env.Execute(ctx, vmhost.Action{File: &wire.FileParams{Op: wire.FileRead, Path: between, Roots: []string{wire.WorkDir}, Length: wire.MaxFileData}})
	if err != nil {
		return nil, problem.From(err)
	}
	if obs.File == nil || made.Size > wire.MaxFileData || int64(len(obs.File.Data)) != made.Size {
		r.out.Problems = append(r.out.Problems, *problem.FromTool(wire.ToolProblem{Code: problem.CodeInputUnsupported, Path: op.In[0].Path, Detail: "too large"}))
		return nil, nil
	}
	t, err := parseSheet(obs.File.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opTableTo, err)
	}
	if filled, err := r.fill(ctx, t, op.In[0].Path); err != nil || filled == 0 {
		return nil, err
	}
	data, err := t.json()
	if err != nil {
		return nil, err
	}
	if _, err := r.env.Execute(ctx, vmhost.Action{File: &wire.FileParams{Op: wire.FileWrite, Path: between, Roots: []string{wire.WorkDir}, Size: int64(len(data))}, Data: data}); err != nil {
		return nil, problem.From(err)
	}
	return r.convert(ctx, n, between, op.Out, map[string]any{"replace": false})
}

// convert makes one table of another.
func (r *filling) convert(ctx context.Context, n int, in, out string, params map[string]any) (*wire.ToolFile, error) {
	params["to"], params["names"] = strings.TrimPrefix(path.Ext(out), "."), []string{path.Base(out)}
	res, err := r.env.tool(ctx, wire.ToolParams{
		ID: fmt.Sprintf("table-%d-%t", n+1, params["replace"]), Op: opTableTo, In: []string{in}, Out: path.Dir(out), Params: params,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opTableTo, err)
	}
	if w := whole(res); w != nil {
		return nil, w
	}
	for _, p := range res.Problems {
		if p.Path == in {
			r.out.Problems = append(r.out.Problems, *problem.FromTool(p))
			return nil, nil
		}
	}
	if len(res.Out) != 1 || res.Out[0].Path != out {
		return nil, errElse
	}
	return &res.Out[0], nil
}

// fill fills in what pages say, and says how many cells. None is a problem, unless no page
// could be reached, which is one already.
func (r *filling) fill(ctx context.Context, t *sheet, table string) (filled int, err error) {
	todo := t.empty()
	if len(todo) == 0 {
		r.out.Problems = append(r.out.Problems, *leftOut(problem.CodeNothingToFill, table))
	}
	read := 0
	total := amount{items: int64(len(todo))}
	for i, row := range todo {
		address := row.address
		r.env.progress(amount{items: int64(i)}, total, table)
		at, known := r.pages[address]
		if !known {
			if r.visits == maxVisits {
				r.out.Problems = append(r.out.Problems, *leftOut(problem.CodePagesLeft, table).With("max", maxVisits))
				break
			}
			r.visits++
			if at, err = r.visit(ctx, address); err != nil {
				return filled, err
			}
			r.pages[address] = at
		}
		if at == nil {
			continue
		}
		read++
		for _, column := range row.columns {
			if said := at.says(t.header[column]); said != "" {
				t.rows[row.n][column] = said
				filled++
			}
		}
	}
	r.env.progress(total, total, "")
	if read > 0 && filled == 0 {
		r.out.Problems = append(r.out.Problems, *leftOut(problem.CodeNothingToFill, table).By("pages"))
	}
	return filled, nil
}

// visit reads a page; nil is one that cannot be reached, which is a problem then.
func (r *filling) visit(ctx context.Context, address string) (*page, error) {
	obs, err := r.env.Execute(ctx, vmhost.Action{Page: &wire.PageParams{
		Steps: []wire.PageStep{{Do: wire.PageOpen, URL: address}, {Do: wire.PageText}}, Roots: []string{wire.WorkDir}, WaitMS: pageLoads,
	}})
	if err != nil {
		p := problem.From(err)
		switch p.Code {
		case problem.CodeWebUnreachable:
			r.out.Problems = append(r.out.Problems, *p.With("name", address).Weigh(problem.Warning))
			return nil, nil
		case problem.CodeAddOnMissing:
			p = p.With("name", "browser")
		}
		return nil, p
	}
	if obs.Page == nil || len(obs.Page.Steps) != 2 {
		return nil, errors.New("the browser answered something else than was asked for")
	}
	return &page{title: obs.Page.Title, text: obs.Page.Steps[1].Text}, nil
}
