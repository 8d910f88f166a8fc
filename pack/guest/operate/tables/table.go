package tables

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Read is table.read.
func Read(ctx context.Context, r *job.Job, p *tools.TableRead) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, error) {
		t, in, err := parse(ctx, r, n, path, p.TableSource)
		if err != nil {
			return nil, err
		}
		info := tools.TableInfo{
			Path: path, Format: t.format, Encoding: t.encoding, Delimiter: t.delimiter, Sheets: t.sheets, Rows: len(t.Rows),
			Columns: t.columns(), Sample: [][]string{}, Size: in.Size, SHA256: in.SHA256,
		}
		size := 0
		for _, row := range t.Rows[:min(len(t.Rows), p.Rows)] {
			shown := make([]string, len(row))
			for i, s := range row {
				shown[i] = job.Bounded(s)
				size += len(shown[i]) + 4
			}
			const most = 100 << 10 // bytes of one sample
			if size > most {
				break
			}
			info.Sample = append(info.Sample, shown)
		}
		return info, nil
	})
}

// Kinds of columns.
var (
	anyNumber = regexp.MustCompile(`^[-+]?[0-9]{1,3}([.,' ]?[0-9]{3})*([.,][0-9]+)?\s*[%€$£]?$|^[-+]?[0-9]+([.,][0-9]+)?$`)
	anyDate   = regexp.MustCompile(`^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4})([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,3})?)?)?Z?$`)
)

// columns says what is in each.
func (t *Table) columns() []tools.TableColumn {
	width := len(t.Header)
	if len(t.Rows) > 0 {
		width = max(width, len(t.Rows[0]))
	}
	names := columnNames(t.Header, width)
	const most = 500 // columns in a report
	out := make([]tools.TableColumn, min(width, most))
	for c := range out {
		col := tools.TableColumn{Name: job.Bounded(names[c]), Kind: "empty"}
		for _, row := range t.Rows {
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

// eachInput makes a table of each input.
func eachInput(ctx context.Context, r *job.Job, src tools.TableSource, to tools.TableTarget, e tools.Each, change func(*Table) error) error {
	return r.Each(ctx, e, to.To, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		t, _, err := parse(ctx, r, n, path, src)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+to.To)
		if err = change(t); err == nil {
			t.keepThousands()
			err = Write(r, t, to, out)
		}
		if coded, is := errors.AsType[*job.Error](err); is {
			return nil, job.Refuse(coded.Code, path, coded.Error())
		}
		return &job.Piece{File: out, Suffix: to.To}, err
	})
}

// Convert is table.convert.
func Convert(ctx context.Context, r *job.Job, p *tools.TableConvert) error {
	return eachInput(ctx, r, p.TableSource, p.TableTarget, p.Each, func(*Table) error { return nil })
}

// Clean is table.clean.
func Clean(ctx context.Context, r *job.Job, p *tools.TableClean) error {
	return eachInput(ctx, r, p.TableSource, p.TableTarget, p.Each, func(t *Table) error { return t.clean(p) })
}

// clean changes a table in its place.
func (t *Table) clean(p *tools.TableClean) error {
	t.keepManner()
	if p.Trim {
		for _, row := range t.Rows {
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
		t.dropRows(func(row []string) bool {
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
func (t *Table) keep(names []string) error {
	var at []int
	for _, n := range names {
		n = strings.TrimSpace(n)
		i := slices.Index(t.Header, n)
		if i < 0 {
			i = slices.IndexFunc(t.Header, func(h string) bool { return strings.EqualFold(h, n) })
		}
		if i < 0 {
			return &job.Error{Code: tools.InputUnsupported, Err: errors.New("there is no column " + wire.Short(n))}
		}
		at = append(at, i)
	}
	t.pick(at)
	return nil
}

// dropEmpty leaves out rows and columns in which nothing is; a column with a
// name stays only with something in it.
func (t *Table) dropEmpty() {
	t.dropRows(blank)
	if len(t.Rows) == 0 {
		return
	}
	full := make([]bool, len(t.Rows[0]))
	for _, row := range t.Rows {
		for c, s := range row {
			full[c] = full[c] || strings.TrimSpace(s) != ""
		}
	}
	var at []int
	for c := range full {
		if full[c] {
			at = append(at, c)
		}
	}
	t.pick(at)
}

// Merge is table.merge.
func Merge(ctx context.Context, r *job.Job, p *tools.TableMerge) error {
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	all := &joined{exact: map[string]int{}, alike: map[string][]int{}, mark: -1}
	for n, path := range r.Order.Tool.In {
		tables, _, err := parseAll(ctx, r, n, path, p.TableSource, true)
		for _, t := range tables {
			if t.keepManner(); all.own.comma == 0 {
				all.own = t.own
			}
			from := ""
			if p.Source != "" {
				if from = filepath.Base(path); len(tables) > 1 {
					from += ": " + t.sheet
				}
			}
			t.keepThousands()
			if err := all.append(t, from); err != nil {
				return &job.Error{Code: tools.InputTooLarge, Err: err}
			}
		}
		if err == nil {
			r.AddInfo(tools.Made{Path: path, Out: r.Order.Tool.Out})
		}
		if err = errors.Join(r.PassOver(err), r.Sweep()); err != nil {
			return err
		}
		r.Done(n+1, path)
	}
	if len(r.Result.Info) == 0 {
		return nil
	}
	all.nameMark(p.Source)
	if err := all.square(); err != nil {
		return &job.Error{Code: tools.InputTooLarge, Err: err}
	}
	if p.To == "csv" || p.To == "tsv" {
		all.matchDecimals()
	}
	const out = "merged"
	if err := Write(r, &all.Table, p.TableTarget, out); err != nil {
		return err
	}
	return r.PlaceResult(ctx, out, to)
}

// joined is a table of the rows of others.
type joined struct {
	Table
	exact map[string]int   // places of its columns, by name
	alike map[string][]int // likewise, by name in lower case
	mark  int              // place of the column that says where a row is from; -1 without one
}

// append adds the rows of a table: with a header, each cell to the column of
// its name. from says where they are from; "" does not.
func (t *joined) append(more *Table, from string) error {
	at := t.places(more.Header)
	if from != "" && more.Header != nil && t.mark < 0 {
		t.mark = len(t.Header)
		t.Header = append(t.Header, "")
	}
	for i, row := range more.Rows {
		if blank(row) {
			continue
		}
		out, kinds := row, more.rowKinds(i)
		switch {
		case more.Header != nil:
			out = make([]string, len(t.Header))
			for c, s := range row {
				out[at[c]] = s
			}
			kinds = t.placed(kinds, at)
			if from != "" {
				out[t.mark] = from
			}
		case from != "":
			out = append([]string{from}, row...)
			kinds = append([]kind{unsaid}, kinds...)
		}
		if err := t.add(out, kinds); err != nil {
			return err
		}
	}
	return nil
}

// placed are the kinds of a row, each in the column of its cell.
func (t *joined) placed(kinds []kind, at []int) []kind {
	if kinds == nil {
		return nil
	}
	out := make([]kind, len(t.Header))
	for c, k := range kinds[:min(len(kinds), len(at))] {
		out[at[c]] = k
	}
	return out
}

// places finds the columns of a table by their names, and adds what it does not have: two of them
// never go to the same.
func (t *joined) places(header []string) []int {
	at, used := make([]int, len(header)), map[int]bool{}
	for c, name := range header {
		i, known := t.exact[name]
		if at[c] = -1; known {
			at[c], used[i] = i, true
		}
	}
	for c, name := range header {
		if at[c] >= 0 {
			continue
		}
		key := strings.ToLower(name)
		i := slices.IndexFunc(t.alike[key], func(i int) bool { return !used[i] })
		if i >= 0 {
			i = t.alike[key][i]
		} else {
			i = len(t.Header)
			t.Header = append(t.Header, name)
			t.exact[name], t.alike[key] = i, append(t.alike[key], i)
		}
		at[c], used[i] = i, true
	}
	return at
}

// nameMark gives the column that says where rows are from its name, or one like it that no
// other has.
func (t *joined) nameMark(name string) {
	if t.mark < 0 {
		return
	}
	used := map[string]bool{}
	for _, h := range t.Header {
		used[strings.ToLower(h)] = true
	}
	t.Header[t.mark] = job.UniqueName(used, name)
}
