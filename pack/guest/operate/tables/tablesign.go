package tables

import (
	"slices"
	"strings"
)

// 1.000 is one in English and a thousand in German. Other cells of the column, then of the
// table, tell which sign its decimals have; after them CSV with semicolons is German: a comma
// there does not end a cell.

// decimalSign is the decimal sign that a text shows: ',' for 2,50 and 1.234.567, '.' for 2.50
// and 1,234,567. It is 0 for what is no number, and for 1.000, which shows none.
func decimalSign(s string) byte {
	s = strings.Trim(s, "+- \u00a0\u202f%€$£")
	i := strings.LastIndexAny(s, ".,")
	if i <= 0 || i > len(s)-2 || !digits(s[i+1:]) {
		return 0
	}
	sign, whole, fraction := s[i], s[:i], s[i+1:]
	other := ',' + '.' - sign
	switch {
	case digits(whole):
		if len(fraction) == 3 && len(whole) <= 3 && whole[0] != '0' {
			return 0
		}
		return sign
	case grouped(whole, other):
		return sign
	case grouped(whole, sign) && len(fraction) == 3:
		return other
	}
	return 0
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// grouped reports digits in groups of three.
func grouped(s string, by byte) bool {
	for i, group := range strings.Split(s, string(by)) {
		if !digits(group) || len(group) > 3 || i > 0 && len(group) < 3 {
			return false
		}
	}
	return true
}

// decimalSigns are the decimal signs of the columns of which the cells show it. Numbers that
// come from a workbook show nothing: they have always a point.
func (t *Table) decimalSigns() []byte {
	width := 0
	if len(t.Rows) > 0 {
		width = len(t.Rows[0])
	}
	out := make([]byte, width)
	for i, row := range t.Rows {
		kinds := t.rowKinds(i)
		for c, s := range row[:min(len(row), width)] {
			if out[c] == ',' || kindOf(kinds, c) != unsaid {
				continue
			}
			if sign := decimalSign(s); sign != 0 {
				out[c] = sign
			}
		}
	}
	return out
}

// keepThousands keeps what CSV has as 1.000 a text where it could be, or is, a thousand.
func (t *Table) keepThousands() {
	if t.format != "csv" && t.format != "tsv" {
		return
	}
	signs := t.decimalSigns()
	german := t.delimiter == "semicolon" || slices.Contains(signs, ',')
	for i, row := range t.Rows {
		for c, s := range row[:min(len(row), len(signs))] {
			if (signs[c] == ',' || signs[c] == 0 && german) && thousand(s) {
				kinds := t.rowKinds(i)
				if kinds == nil {
					kinds = make([]kind, len(row))
					t.setKinds(i, kinds)
				}
				kinds[c] = textCell
			}
		}
	}
}

// thousand reports a number that is written as 1.000.
func thousand(s string) bool {
	whole, group, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return len(whole) <= 3 && len(group) == 3 && digits(whole) && digits(group) && whole[0] != '0'
}

// matchDecimals writes the numbers of workbooks as CSV has those in the same column: 12,5 below
// 850,00. Where no cell of the column shows how, other columns do in CSV with semicolons.
func (t *Table) matchDecimals() {
	signs := t.decimalSigns()
	german := t.own.comma == ';' && slices.Contains(signs, ',')
	for i, row := range t.Rows {
		kinds := t.rowKinds(i)
		for c, s := range row {
			if (signs[c] == ',' || signs[c] == 0 && german) && kindOf(kinds, c) == numberCell && number.MatchString(s) {
				row[c] = strings.Replace(s, ".", ",", 1)
			}
		}
	}
}
