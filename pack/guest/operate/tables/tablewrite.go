package tables

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// Write writes a table into a scratch file. The same table gives the same
// bytes.
func Write(r *job.Job, t *Table, to tools.TableTarget, name string) error {
	f, err := r.ScratchCreate(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	switch to.To {
	case "csv":
		if t.own.mark {
			_, err = w.WriteString(utf8Mark)
		}
		err = errors.Join(err, t.csv(w, cmp.Or(t.own.comma, ','), to.Safe))
	case "tsv":
		err = t.csv(w, '\t', to.Safe)
	case "json":
		err = t.json(w)
	case "xlsx":
		err = t.xlsx(w, r.Order.Scratch)
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// lines hands over the header, where there is one, and all rows.
func (t *Table) lines(write func(row []string, kinds []kind) error) error {
	if t.Header != nil {
		if err := write(t.Header, nameKinds(t.Header)); err != nil {
			return err
		}
	}
	for i, row := range t.Rows {
		if err := write(row, t.rowKinds(i)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) csv(w io.Writer, comma rune, safe bool) error {
	out := csv.NewWriter(w)
	out.Comma = comma
	write := func(row []string, _ []kind) error {
		if safe {
			row = harmless(row)
		}
		if len(row) == 1 && row[0] == "" { // else it is an empty line, which is no row
			out.Flush()
			_, err := io.WriteString(w, "\"\"\n")
			return err
		}
		return out.Write(row)
	}
	if err := t.lines(write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// harmless puts an apostrophe before texts that a program would calculate.
func harmless(row []string) []string {
	var out []string
	for i, s := range row {
		if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) || plainNumber(s) {
			continue
		}
		if out == nil {
			out = append(out, row...)
		}
		out[i] = "'" + s
	}
	if out == nil {
		return row
	}
	return out
}

// plainNumber reports a number of any usual look, as -5, +49 170 or -1.234,50 €, and a
// dash for none: nothing in these can be calculated.
func plainNumber(s string) bool {
	const parts = "0123456789., '%€$£\u00a0\u202f"
	return strings.Trim(s, "-") == "" || strings.Trim(s[1:], parts) == "" && (s[0] == '-' || s[0] == '+')
}

func (t *Table) json(w *bufio.Writer) error {
	names := t.Header
	keys := make([][]byte, len(names))
	for i, n := range names {
		keys[i] = jsonText(n)
	}
	for i, row := range t.Rows {
		if _, err := w.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0]); err != nil {
			return err
		}
		var line bytes.Buffer
		line.WriteString(map[bool]string{true: "  [", false: "  {"}[names == nil])
		for c, cell := range row {
			if c > 0 {
				line.WriteString(", ")
			}
			if names != nil {
				line.Write(keys[c])
				line.WriteString(": ")
			}
			if _, is := asNumber(cell, kindOf(t.rowKinds(i), c)); is {
				line.WriteString(cell)
			} else {
				line.Write(jsonText(cell))
			}
		}
		line.WriteString(map[bool]string{true: "]", false: "}"}[names == nil])
		if _, err := w.Write(line.Bytes()); err != nil {
			return err
		}
	}
	_, err := w.WriteString(map[bool]string{true: "[]\n", false: "\n]\n"}[len(t.Rows) == 0])
	return err
}

// jsonText is a text as JSON, with its letters as they are.
func jsonText(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return []byte(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// maxCellText is what a cell of a workbook holds, in characters.
const maxCellText = 32_767

func (t *Table) xlsx(w io.Writer, scratch string) error {
	book := excelize.NewFile(excelize.Options{TmpDir: scratch})
	defer book.Close()
	dates := dates{book, map[int]int{}}
	sheet, err := book.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	line := 0
	write := func(row []string, kinds []kind) error {
		line++
		cells := make([]any, len(row))
		for i, s := range row {
			if n, is := asNumber(s, kindOf(kinds, i)); is {
				cells[i] = n
				continue
			}
			date, is, err := dates.cell(s)
			if err != nil {
				return err
			}
			if is {
				cells[i] = date
				continue
			}
			if len(s) > maxCellText && len([]rune(s)) > maxCellText {
				return &job.Error{Code: tools.InputUnsupported, Err: fmt.Errorf("row %d has more text in a cell than a workbook holds", line)}
			}
			cells[i] = s // a text, even one that begins like a formula
		}
		return sheet.SetRow("A"+strconv.Itoa(line), cells)
	}
	if err := t.lines(write); err != nil {
		return err
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	return book.Write(w)
}
