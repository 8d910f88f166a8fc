package tables

import "strconv"

// kind is what the source of a cell says that it is. A workbook tells the text 1.10 from the
// number 1.1; of CSV only the look of a cell says it.
type kind byte

const (
	unsaid kind = iota
	textCell
	numberCell
)

// add adds a row of which the kinds of cells are known; missing ones are unsaid.
func (t *Table) add(row []string, kinds []kind) error {
	if err := t.Add(row); err != nil || len(kinds) == 0 {
		return err
	}
	t.setKinds(len(t.Rows)-1, kinds)
	return nil
}

func (t *Table) setKinds(row int, kinds []kind) {
	for len(t.kinds) <= row {
		t.kinds = append(t.kinds, nil)
	}
	t.kinds[row] = kinds
}

// rowKinds are the kinds of a row's cells, of those at its begin that have one.
func (t *Table) rowKinds(row int) []kind {
	if row < len(t.kinds) {
		return t.kinds[row]
	}
	return nil
}

// kindOf is the kind of the cell of a column.
func kindOf(kinds []kind, column int) kind {
	if column < len(kinds) {
		return kinds[column]
	}
	return unsaid
}

// dropRows leaves out rows.
func (t *Table) dropRows(drop func(row []string) bool) {
	rows, kinds := t.Rows[:0], [][]kind(nil)
	for i, row := range t.Rows {
		if drop(row) {
			continue
		}
		if rows = append(rows, row); t.kinds != nil {
			kinds = append(kinds, t.rowKinds(i))
		}
	}
	clear(t.Rows[len(rows):])
	t.Rows, t.kinds = rows, kinds
}

// pick keeps columns, in this order.
func (t *Table) pick(columns []int) {
	cells := func(row []string) []string {
		out := make([]string, len(columns))
		for i, c := range columns {
			out[i] = row[c]
		}
		return out
	}
	if t.Header != nil {
		t.Header = cells(t.Header)
	}
	for i, row := range t.Rows {
		t.Rows[i] = cells(row)
	}
	for i, kinds := range t.kinds {
		if kinds != nil {
			picked := make([]kind, len(columns))
			for n, c := range columns {
				picked[n] = kindOf(kinds, c)
			}
			t.kinds[i] = picked
		}
	}
}

// asNumber is the number that a cell becomes in XLSX and JSON.
func asNumber(s string, k kind) (n float64, is bool) {
	if k == textCell || !numeric(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

// nameKinds are those of the names of columns: one that a number would change is a text.
func nameKinds(header []string) []kind {
	out := make([]kind, len(header))
	for i, s := range header {
		if changes(s) {
			out[i] = textCell
		}
	}
	return out
}

// changes reports a text that would look different as a number, as 1.10 would.
func changes(s string) bool {
	n, is := asNumber(s, unsaid)
	return is && strconv.FormatFloat(n, 'f', -1, 64) != s
}
