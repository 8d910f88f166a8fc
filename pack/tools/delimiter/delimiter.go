// Package delimiter tells what stands between the cells of a table in text (CSV).
package delimiter

import (
	"bytes"
	"encoding/csv"
)

// All are the usual ones. Where several split a table evenly, the first of them counts: a
// comma stands in the numbers of a German table, and a semicolon in none.
const All = ";\t|,"

// Guess is the delimiter of a table that begins with start: one that splits all of the
// first lines into the same number of columns; else the one that splits most of them as it
// splits the first of them, which names the columns; else the one that splits most of them
// into most columns. Lines before these have none of them. A line "sep=;" at the top says
// it, as it does to Excel.
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
	const split, named, all = 1, 1 << 24, 1 << 48
	rows := csv.NewReader(bytes.NewReader(start))
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, true
	counts := map[int]int{}
	first, total := 0, 0
	for ; total < lines; total++ {
		row, err := rows.Read()
		if err != nil {
			break
		}
		if total == 0 {
			first = len(row)
		}
		counts[len(row)]++
	}
	switch c := counts[first]; {
	case first < 2:
	case c == total:
		return all
	case c > 1:
		return (first - 1) * c * c * named
	}
	for columns, c := range counts {
		n = max(n, (columns-1)*c*c*split)
	}
	return n
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
