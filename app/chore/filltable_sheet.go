package chore

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sheet is a table with a header.
type sheet struct {
	header []string
	rows   [][]string
}

// gap is a row with an address and nothing in some columns.
type gap struct {
	n       int
	address string
	columns []int
}

// empty are the rows with something to fill in. A column without a name has nothing that a
// page could say.
func (t sheet) empty() (out []gap) {
	at, ok := t.addressColumn()
	if !ok {
		return nil
	}
	for n, row := range t.rows {
		if len(row) != len(t.header) {
			continue
		}
		g := gap{n: n}
		if g.address, ok = tableAddress(row[at]); !ok {
			continue
		}
		for c, cell := range row {
			if c != at && strings.TrimSpace(cell) == "" && label(t.header[c]) != "" {
				g.columns = append(g.columns, c)
			}
		}
		if len(g.columns) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// addressColumn is the first column of which most cells with something in them are addresses.
func (t sheet) addressColumn() (column int, ok bool) {
	for column := range t.header {
		are, others := 0, 0
		for _, row := range t.rows {
			if column >= len(row) || strings.TrimSpace(row[column]) == "" {
				continue
			}
			if _, ok := tableAddress(row[column]); ok {
				are++
			} else {
				others++
			}
		}
		if are > others {
			return column, true
		}
	}
	return 0, false
}

// tableAddress is the address in a cell: with its scheme, or of a host whose name ends in a
// letter, which 3.50 and 31.05. do not.
func tableAddress(cell string) (string, bool) {
	address, err := webAddress(cell)
	u, uerr := url.Parse(address)
	if err != nil || uerr != nil {
		return "", false
	}
	last, _ := utf8.DecodeLastRuneInString(u.Hostname())
	return address, strings.Contains(cell, "://") || strings.Contains(u.Hostname(), ".") && unicode.IsLetter(last)
}

// parseSheet reads what table.convert writes: a list of objects whose members are in the
// order of the columns. Values that are no text are kept as they are written.
func parseSheet(data []byte) (*sheet, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, err
	}
	t := &sheet{}
	for n, raw := range rows {
		dec := json.NewDecoder(bytes.NewReader(raw))
		if first, err := dec.Token(); err != nil || first != json.Delim('{') {
			return nil, errAnswer
		}
		var row []string
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return nil, err
			}
			if n == 0 {
				t.header = append(t.header, name)
			} else if len(row) >= len(t.header) || t.header[len(row)] != name {
				return nil, errAnswer
			}
			var s string
			if json.Unmarshal(value, &s) != nil {
				s = string(value)
			}
			row = append(row, s)
		}
		if len(row) != len(t.header) {
			return nil, errAnswer
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// json is the table as table.convert reads it.
func (t *sheet) json() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for n, row := range t.rows {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for c, cell := range row {
			name, err := json.Marshal(t.header[c])
			if err != nil {
				return nil, err
			}
			value, err := json.Marshal(cell)
			if err != nil {
				return nil, err
			}
			if c > 0 {
				b.WriteByte(',')
			}
			b.Write(name)
			b.WriteByte(':')
			b.Write(value)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}
