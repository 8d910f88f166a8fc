// Package delimiter tells what stands between the cells of a table in text (CSV).
package delimiter

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// All are the usual ones. Where several split a table evenly, the first of them counts: a
// comma stands in the numbers of a German table, and a semicolon in none.
const All = ";\t|,"

// Guess is the delimiter of a table that begins with start: one that splits all of the
// first lines into the same number of columns; else one that does so below a title; else the
// one that splits most of them as it splits the first of them, which names the columns; else
// the one that splits most of them into most columns. A line "sep=;" at the top says it, as it
// does to Excel.
func Guess(start []byte) rune {
	if comma, _, is := Named(start); is {
		return comma
	}
	for {
		line, rest, more := bytes.Cut(start, []byte("\n"))
		if !more || bytes.ContainsAny(line, All) {
			break
		}
		start = rest
	}
	best, most := ',', 0
	for _, comma := range All {
		if n := evenness(start, comma); n > most {
			best, most = comma, n
		}
	}
	return best
}

// lines are looked at.
const lines = 20

// evenness is how well a delimiter splits.
func evenness(start []byte, comma rune) (n int) {
	const named, titled, all = 1 << 17, 1 << 35, 1 << 53 // each is more than any weight of the one before
	rows := csv.NewReader(bytes.NewReader(start))
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, true
	var widths []int
	names := true // what may be the first line of a table has only names of columns
	below := 0    // the title
	counts := map[int]int{}
	for len(widths) < lines {
		row, err := rows.Read()
		if err != nil {
			break
		}
		if n := len(widths); n > 0 && n == below+1 && len(row) != widths[n-1] && n <= titles {
			below = n
			names = !slices.ContainsFunc(row, isNoName)
		}
		widths = append(widths, len(row))
		counts[len(row)]++
	}
	if len(widths) == 0 {
		return 0
	}
	first, rest := widths[0], len(widths)-1
	table := widths[below:]
	even := len(slices.Compact(slices.Clone(table))) == 1 && table[0] > 1
	switch c := counts[first]; {
	case even && below == 0:
		return all
	case even && names && len(table) > 1:
		return weight(table[0], len(table)) * titled
	case first > 1 && 2*(c-1) > rest:
		return weight(first, c) * named
	}
	for columns, c := range counts {
		n = max(n, weight(columns, c))
	}
	return n
}

// weight is that of some lines with as many columns, below 1<<17.
func weight(columns, lines int) int { return min(columns-1, 255) * lines * lines }

// titles are the most lines of a title.
const titles = 4

// isNoName reports what no column is called: a number, or what another delimiter would split.
func isNoName(cell string) bool {
	return strings.Trim(cell, "0123456789") == "" && cell != "" || strings.ContainsAny(cell, All)
}

// Named is the delimiter that the first line of a table says, and how long that line is.
func Named(start []byte) (comma rune, length int, is bool) {
	line, _, ended := bytes.Cut(start, []byte("\n"))
	length = len(line) + 1
	said, is := bytes.CutPrefix(bytes.ToLower(bytes.Trim(line, "\"\r")), []byte("sep="))
	if !is || !ended || len(said) != 1 || !bytes.ContainsAny(said, All) {
		return 0, 0, false
	}
	return rune(said[0]), length, true
}
