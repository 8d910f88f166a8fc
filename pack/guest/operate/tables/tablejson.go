package tables

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// ParseJSON reads a file of a table in JSON.
func ParseJSON(file string) (*Table, error) {
	f, _, err := job.OpenMade(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readJSON(f)
}

// readJSON reads a list of objects, whose members are the columns in the order
// in which they first come, or a list of lists.
func readJSON(r io.Reader) (*Table, error) {
	guarded := &records{r: r}
	in := bufio.NewReaderSize(guarded, 256<<10)
	if bom, err := in.Peek(len(utf8Mark)); err == nil && string(bom) == utf8Mark {
		if _, err := in.Discard(len(utf8Mark)); err != nil {
			return nil, err
		}
	}
	dec := json.NewDecoder(in)
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	t := &Table{format: "json", encoding: "utf-8"}
	columns := map[string]int{}
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		guarded.next()
		row, kinds, err := t.jsonRow(value, columns)
		if err != nil {
			return nil, err
		}
		if err := t.add(row, kinds); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return t, err
}

// jsonRow makes a row of an object or a list.
func (t *Table) jsonRow(value json.RawMessage, columns map[string]int) (row []string, kinds []kind, err error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	first, err := dec.Token()
	if err != nil {
		return nil, nil, err
	}
	for dec.More() {
		at := len(row)
		switch first {
		case json.Delim('{'):
			name, err := dec.Token()
			if err != nil {
				return nil, nil, err
			}
			key, _ := name.(string)
			i, known := columns[key]
			if !known {
				i = len(columns)
				if i >= tools.MaxTableColumns {
					return nil, nil, errTooLarge
				}
				columns[key] = i
				t.Header = append(t.Header, key)
			}
			at = i
		case json.Delim('['):
			if at >= tools.MaxTableColumns {
				return nil, nil, errTooLarge
			}
		default:
			return nil, nil, fmt.Errorf("%.40s is no row", value)
		}
		var cell json.RawMessage
		if err := dec.Decode(&cell); err != nil {
			return nil, nil, err
		}
		for len(row) <= at {
			row, kinds = append(row, ""), append(kinds, unsaid)
		}
		row[at], kinds[at] = jsonCell(cell)
	}
	if first != json.Delim('{') && first != json.Delim('[') {
		return nil, nil, fmt.Errorf("%.40s is no row", value)
	}
	return row, kinds, nil
}

// jsonCell is the text of a value; what is neither text, number nor truth stays
// JSON. A text that looks like a number may become one if nobody would see a difference:
// amounts are often written so.
func jsonCell(cell json.RawMessage) (string, kind) {
	var s string
	switch {
	case string(cell) == "null":
		return "", unsaid
	case json.Unmarshal(cell, &s) == nil && changes(s):
		return s, textCell
	case json.Unmarshal(cell, &s) == nil:
		return s, unsaid
	}
	var b bytes.Buffer
	if json.Compact(&b, cell) != nil {
		return string(cell), unsaid
	}
	if numeric(b.String()) {
		return b.String(), numberCell
	}
	return b.String(), unsaid
}
