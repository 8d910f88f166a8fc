package changes

import (
	"encoding/csv"
	"path"
	"strings"
	"unicode/utf8"

	"piwork/pack/tools/delimiter"
)

// Table is what differs between two tables.
type Table struct {
	Rows    []Row `json:"rows"`
	Columns int   `json:"columns"` // of the longest row
	Added   int   `json:"added"`   // rows
	Removed int   `json:"removed"`
	Changed int   `json:"changed"`
	Cut     bool  `json:"cut,omitempty"` // there are more rows or columns than these
}

// Row is a row of a table. The first row, which mostly names the columns, is
// always there.
type Row struct {
	Op     Op     `json:"op"`
	Before int    `json:"before,omitempty"` // its number on that side, from 1; absent where it is not there
	After  int    `json:"after,omitempty"`
	Gap    int    `json:"gap,omitempty"` // rows before it that are the same and left out
	Cells  []Cell `json:"cells"`
}

// Cell is a cell of a row. Where one is too long, what is shown begins or ends with "…".
type Cell struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
	Was  string `json:"was,omitempty"` // of a changed one
}

const (
	maxColumns = 100
	// maxCells bounds what is kept of a side: a table of commas has a cell a byte.
	maxCells = 400_000
)

// separator guesses what stands between the cells of a text that is called a
// table; 0 where it is not called so.
func separator(name, text string) rune {
	switch strings.ToLower(path.Ext(name)) {
	case ".tsv", ".tab":
		return '\t'
	case ".csv":
	default:
		return 0
	}
	if len(text) > headSize {
		text = text[:headSize]
	}
	return delimiter.Guess([]byte(text))
}

// table compares two tables; nil where one of them is none.
func table(before, after string, comma rune, l Limits) *Table {
	b, bCut := parseTable(before, comma, l)
	a, aCut := parseTable(after, comma, l)
	if b == nil && before != "" || a == nil && after != "" {
		return nil
	}
	t := &tables{before: b, after: a, length: l.Length, out: &Table{Rows: []Row{}, Cut: bCut || aCut}}
	t.alignColumns()
	t.compare(l.Shown)
	return t.out
}

// parseTable reads rows; nil when there are none, or a row of one cell only.
func parseTable(text string, comma rune, l Limits) (rows [][]string, cut bool) {
	if text == "" {
		return nil, false
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	widest, cells := 0, 0
	for {
		row, err := r.Read()
		if err != nil {
			break // the end, or what is no table any more
		}
		if len(rows) >= l.Lines || cells > maxCells {
			cut = true
			break
		}
		if len(row) > maxColumns {
			row, cut = row[:maxColumns], true
		}
		widest, cells = max(widest, len(row)), cells+len(row)
		rows = append(rows, row)
	}
	if widest < 2 {
		return nil, false
	}
	return rows, cut
}

// column is where a column is on both sides; -1 where it is not.
type column struct{ b, a int }

// tables is a comparison at work.
type tables struct {
	before, after [][]string
	columns       []column
	length        int
	out           *Table
}

// alignColumns pairs the columns by their names: one that was put in or taken
// out moves the others.
func (t *tables) alignColumns() {
	width := func(rows [][]string) (n int) {
		for _, r := range rows {
			n = max(n, len(r))
		}
		return n
	}
	b, a := width(t.before), width(t.after)
	if len(t.before) == 0 || len(t.after) == 0 {
		for i := range max(b, a) {
			t.columns = append(t.columns, column{at(i, b), at(i, a)})
		}
		t.out.Columns = len(t.columns)
		return
	}
	i, j := 0, 0
	pair := func(bEnd, aEnd int) {
		for i < bEnd || j < aEnd {
			c := column{-1, -1}
			if i < bEnd {
				c.b, i = i, i+1
			}
			if j < aEnd {
				c.a, j = j, j+1
			}
			t.columns = append(t.columns, c)
		}
	}
	for _, e := range align(t.before[0], t.after[0]) {
		pair(e.B, e.A)
		pair(e.BEnd, e.AEnd)
	}
	pair(b, a)
	t.out.Columns = len(t.columns)
}

func at(i, n int) int {
	if i < n {
		return i
	}
	return -1
}

// keys are what rows are compared by: the cells of columns that both have.
func (t *tables) keys(rows [][]string, side func(column) int) []string {
	out := make([]string, len(rows))
	var b strings.Builder
	for i, row := range rows {
		b.Reset()
		for _, c := range t.columns {
			if c.b < 0 || c.a < 0 {
				continue
			}
			if n := side(c); n < len(row) {
				b.WriteString(row[n])
			}
			b.WriteByte(0)
		}
		out[i] = b.String()
	}
	return out
}

func (t *tables) compare(room int) {
	edits := align(t.keys(t.before, func(c column) int { return c.b }), t.keys(t.after, func(c column) int { return c.a }))
	b, a, gap := 0, 0, 0
	shown := -1 - around // the last row that was put out, of the side after
	put := func(i, j int) {
		row := t.row(i, j)
		switch row.Op {
		case Added:
			t.out.Added++
		case Removed:
			t.out.Removed++
		case Changed:
			t.out.Changed++
		case Same:
			near := j <= shown+around || t.nearEdit(edits, i)
			if i > 0 && !near {
				gap++
				return
			}
		}
		if len(t.out.Rows) >= room {
			t.out.Cut = true
			return
		}
		row.Gap, gap = gap, 0
		if row.Op != Same {
			shown = max(shown, j)
		}
		t.out.Rows = append(t.out.Rows, row)
	}
	equal := func(to int) {
		for ; b < to; b, a = b+1, a+1 {
			put(b, a)
		}
	}
	for len(edits) > 0 {
		e := edits[0]
		equal(e.B)
		edits = edits[1:]
		t.replaced(e, put)
		b, a = e.BEnd, e.AEnd
		shown = max(shown, a-1)
	}
	equal(len(t.before))
}

// nearEdit reports whether row i is just before the next difference.
func (t *tables) nearEdit(rest []edit, i int) bool {
	return len(rest) > 0 && rest[0].B-i <= around
}

// replaced pairs rows that were with rows that are instead of them: those with
// the same first cell, which mostly names the row, and between these one by one.
func (t *tables) replaced(e edit, put func(i, j int)) {
	first := func(rows [][]string) []string {
		out := make([]string, len(rows))
		for i, r := range rows {
			out[i] = r[0]
		}
		return out
	}
	i, j := e.B, e.A
	pair := func(bEnd, aEnd int) {
		for i < bEnd && j < aEnd && t.alike(t.before[i], t.after[j]) {
			put(i, j)
			i, j = i+1, j+1
		}
		for ; i < bEnd; i++ {
			put(i, -1)
		}
		for ; j < aEnd; j++ {
			put(-1, j)
		}
	}
	for _, d := range align(first(t.before[e.B:e.BEnd]), first(t.after[e.A:e.AEnd])) {
		for ; i < e.B+d.B; i, j = i+1, j+1 {
			put(i, j)
		}
		pair(e.B+d.BEnd, e.A+d.AEnd)
	}
	for ; i < e.BEnd; i, j = i+1, j+1 {
		put(i, j)
	}
}

// alike reports whether half of the cells of two rows are the same.
func (t *tables) alike(b, a []string) bool {
	same, all := 0, 0
	for _, c := range t.columns {
		if c.b < 0 || c.a < 0 || c.b >= len(b) || c.a >= len(a) {
			continue
		}
		if all++; b[c.b] == a[c.a] {
			same++
		}
	}
	return all > 0 && 2*same >= all
}

// row compares row i before with row j after; -1 is none.
func (t *tables) row(i, j int) Row {
	r := Row{Op: Same, Before: i + 1, After: j + 1, Cells: make([]Cell, 0, len(t.columns))}
	switch {
	case i < 0:
		r.Op = Added
	case j < 0:
		r.Op = Removed
	}
	for _, c := range t.columns {
		was, isB := cellAt(t.before, i, c.b)
		now, isA := cellAt(t.after, j, c.a)
		cell := Cell{Op: Same, Text: now}
		switch {
		case r.Op == Added, r.Op == Removed:
			cell.Op, cell.Text = r.Op, now+was
		case isB && isA && was != now:
			cell.Op, cell.Was = Changed, was
		case isA && !isB:
			cell.Op = Added
		case isB && !isA:
			cell.Op, cell.Text = Removed, was
		}
		differs := 0
		if cell.Op == Changed {
			differs = differAt(was, now)
		}
		cell.Text, cell.Was = t.shown(cell.Text, differs), t.shown(cell.Was, differs)
		r.Cells = append(r.Cells, cell)
	}
	if r.Op == Same {
		for _, c := range r.Cells {
			if c.Op != Same {
				r.Op = Changed
			}
		}
	}
	return r
}

// shown is what is shown of a cell that begins to differ from its other side at a byte.
func (t *tables) shown(text string, differs int) string {
	if utf8.RuneCountInString(text) <= t.length {
		return text
	}
	text, start, cut := excerpt(text, differs, max(t.length-2, 0))
	if start {
		text = "…" + text
	}
	if cut {
		text += "…"
	}
	return text
}

func cellAt(rows [][]string, i, c int) (string, bool) {
	if i < 0 || c < 0 || i >= len(rows) || c >= len(rows[i]) {
		return "", false
	}
	return rows[i][c], true
}
