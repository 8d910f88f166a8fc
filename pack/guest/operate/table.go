package operate

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// tableRead is table.read.
func (r *run) tableRead(ctx context.Context, p *tools.TableRead) error {
	return r.eachInput(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		t, in, problem, err := r.readTable(ctx, n, path, p.TableSource)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		info := tools.TableInfo{
			Path: path, Format: t.format, Encoding: t.encoding, Delimiter: t.delimiter, Sheets: t.sheets, Rows: len(t.rows),
			Columns: t.columns(), Sample: [][]string{}, Size: in.size, SHA256: in.sha256,
		}
		size := 0
		for _, row := range t.rows[:min(len(t.rows), p.Rows)] {
			shown := make([]string, len(row))
			for i, s := range row {
				shown[i] = bounded(s)
				size += len(shown[i]) + 4
			}
			const most = 100 << 10 // bytes of one sample
			if size > most {
				break
			}
			info.Sample = append(info.Sample, shown)
		}
		return info, nil, nil
	})
}

// Kinds of columns.
var (
	anyNumber = regexp.MustCompile(`^[-+]?[0-9]{1,3}([.,' ]?[0-9]{3})*([.,][0-9]+)?\s*[%€$£]?$|^[-+]?[0-9]+([.,][0-9]+)?$`)
	anyDate   = regexp.MustCompile(`^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4})([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?Z?$`)
)

// columns says what is in each.
func (t *table) columns() []tools.TableColumn {
	width := len(t.header)
	if len(t.rows) > 0 {
		width = max(width, len(t.rows[0]))
	}
	names := columnNames(t.header, width)
	const most = 500 // columns in a report
	out := make([]tools.TableColumn, min(width, most))
	for c := range out {
		col := tools.TableColumn{Name: bounded(names[c]), Kind: "empty"}
		for _, row := range t.rows {
			kind := "text"
			switch s := strings.TrimSpace(row[c]); {
			case s == "":
				col.Empty++
				continue
			case anyNumber.MatchString(s):
				kind = "number"
			case anyDate.MatchString(s):
				kind = "date"
			}
			if col.Kind == "empty" {
				col.Kind = kind
			} else if col.Kind != kind {
				col.Kind = "text"
			}
		}
		out[c] = col
	}
	return out
}

// eachTable makes a table of each input.
func (r *run) eachTable(ctx context.Context, src tools.TableSource, to tools.TableTarget, e tools.Each, change func(*table) error) error {
	return r.each(ctx, e, to.To, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		t, _, problem, err := r.readTable(ctx, n, path, src)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+to.To)
		if err = change(t); err == nil {
			err = r.writeTable(t, to, out)
		}
		var coded *codeError
		if errors.As(err, &coded) {
			p := tools.Problem(coded.code, path, coded.Error())
			return nil, &p, nil
		}
		return &piece{file: out, suffix: to.To}, nil, err
	})
}

// tableConvert is table.convert.
func (r *run) tableConvert(ctx context.Context, p *tools.TableConvert) error {
	return r.eachTable(ctx, p.TableSource, p.TableTarget, p.Each, func(*table) error { return nil })
}

// tableClean is table.clean.
func (r *run) tableClean(ctx context.Context, p *tools.TableClean) error {
	return r.eachTable(ctx, p.TableSource, p.TableTarget, p.Each, func(t *table) error { return t.clean(p) })
}

// clean changes a table in its place.
func (t *table) clean(p *tools.TableClean) error {
	if p.Trim {
		for _, row := range t.rows {
			for c, s := range row {
				row[c] = trimmed(s)
			}
		}
	}
	if len(p.Columns) > 0 {
		if err := t.keep(p.Columns); err != nil {
			return err
		}
	}
	if p.DropEmpty {
		t.dropEmpty()
	}
	if p.Duplicates {
		seen := map[string]bool{}
		t.rows = slices.DeleteFunc(t.rows, func(row []string) bool {
			key := strings.Join(row, "\x00")
			known := seen[key]
			seen[key] = true
			return known
		})
	}
	return nil
}

// trimmed takes spaces away that nobody sees: around and doubled within, also
// those that do not break.
func trimmed(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// keep keeps columns by name.
func (t *table) keep(names []string) error {
	var at []int
	for _, n := range names {
		i := slices.IndexFunc(t.header, func(h string) bool { return strings.EqualFold(h, strings.TrimSpace(n)) })
		if i < 0 {
			return &codeError{tools.InputUnsupported, errors.New("there is no column " + wire.Short(n))}
		}
		at = append(at, i)
	}
	pick := func(row []string) []string {
		out := make([]string, len(at))
		for i, c := range at {
			out[i] = row[c]
		}
		return out
	}
	t.header = pick(t.header)
	for i, row := range t.rows {
		t.rows[i] = pick(row)
	}
	return nil
}

// dropEmpty leaves out rows and columns in which nothing is; a column with a
// name stays only with something in it.
func (t *table) dropEmpty() {
	t.rows = slices.DeleteFunc(t.rows, func(row []string) bool {
		return !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" })
	})
	if len(t.rows) == 0 {
		return
	}
	full := make([]bool, len(t.rows[0]))
	for _, row := range t.rows {
		for c, s := range row {
			full[c] = full[c] || strings.TrimSpace(s) != ""
		}
	}
	pick := func(row []string) []string {
		out := row[:0:0]
		for c, s := range row {
			if full[c] {
				out = append(out, s)
			}
		}
		return out
	}
	if t.header != nil {
		t.header = pick(t.header)
	}
	for i, row := range t.rows {
		t.rows[i] = pick(row)
	}
}

// tableMerge is table.merge.
func (r *run) tableMerge(ctx context.Context, p *tools.TableMerge) error {
	to := r.placer(p.Replace)
	if err := to.probe(); err != nil {
		return err
	}
	all := &table{}
	columns := map[string]int{}
	for n, path := range r.order.Tool.In {
		t, _, problem, err := r.readTable(ctx, n, path, p.TableSource)
		if err = errors.Join(err, r.sweep()); err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else if err := all.append(t, columns, p.Source, filepath.Base(path)); err != nil {
			return &codeError{tools.InputTooLarge, err}
		} else {
			r.report(tools.Made{Path: path, Out: r.order.Tool.Out})
		}
		r.done(n+1, path)
	}
	if len(r.result.Info) == 0 {
		return nil
	}
	if err := all.square(); err != nil {
		return &codeError{tools.InputTooLarge, err}
	}
	const out = "merged"
	if err := r.writeTable(all, p.TableTarget, out); err != nil {
		return err
	}
	return r.finish(ctx, out, to)
}

// append adds the rows of a table: with a header, each cell to the column of
// its name.
func (t *table) append(more *table, columns map[string]int, source, file string) error {
	at := make([]int, len(more.header))
	for c, name := range more.header {
		key := strings.ToLower(name)
		i, known := columns[key]
		if !known {
			i = len(columns)
			columns[key] = i
			t.header = append(t.header, name)
		}
		at[c] = i
	}
	mark := -1
	if source != "" && more.header != nil {
		key := strings.ToLower(source)
		if _, known := columns[key]; !known {
			columns[key] = len(columns)
			t.header = append(t.header, source)
		}
		mark = columns[key]
	}
	for _, row := range more.rows {
		if !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			continue
		}
		out := row
		if more.header != nil {
			out = make([]string, len(t.header))
			for c, s := range row {
				out[at[c]] = s
			}
			if mark >= 0 {
				out[mark] = file
			}
		} else if source != "" {
			out = append([]string{file}, row...)
		}
		if err := t.add(out); err != nil {
			return err
		}
	}
	return nil
}
