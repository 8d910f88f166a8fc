package tables

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/delimiter"
	"piwork/pack/tools/plaintext"
)

// Table is one in memory: cells as text, as a person sees them.
type Table struct {
	format    string
	encoding  string
	delimiter string
	marked    bool     // UTF-8 with a mark, or another encoding
	own       manner   // in which CSV is written
	sheet     string   // of a workbook
	sheets    []string // of all of it that show something
	Header    []string // nil without one
	Rows      [][]string
	kinds     [][]kind // of the cells of Rows; those at the end may be missing
	cells     int
}

// errTooLarge ends the reading of a table that nobody here can hold.
var errTooLarge = errors.New("more cells than a table may have")

// Add adds a row.
func (t *Table) Add(row []string) error {
	if t.cells += len(row); t.cells > tools.MaxTableCells || len(row) > tools.MaxTableColumns || len(t.Rows) >= tools.MaxTableRows {
		return errTooLarge
	}
	t.Rows = append(t.Rows, row)
	return nil
}

// parse reads an input: of a workbook one sheet.
func parse(ctx context.Context, r *job.Job, n int, path string, src tools.TableSource) (*Table, *job.Taken, error) {
	tables, in, err := parseAll(ctx, r, n, path, src, false)
	if err != nil {
		return nil, nil, err
	}
	return tables[0], in, nil
}

// parseAll reads an input; with all, a workbook of which src names no sheet is a table for
// each that shows something.
func parseAll(ctx context.Context, r *job.Job, n int, path string, src tools.TableSource, all bool) ([]*Table, *job.Taken, error) {
	in, err := r.Take(ctx, path, tools.ScratchName(n, "table"), tools.MaxTableSize, nil)
	if err != nil {
		return nil, nil, err
	}
	tables, err := parseInput(ctx, r, in, src, all)
	cells := 0
	for _, t := range tables {
		if err == nil {
			t.begin(src.Header)
			err = t.square()
		}
		if err == nil && len(t.Rows) > 0 {
			if cells += len(t.Rows) * len(t.Rows[0]); cells > tools.MaxTableCells {
				err = errTooLarge
			}
		}
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		var coded *job.Error
		code := tools.InputBroken
		switch {
		case errors.As(err, &coded):
			code = coded.Code
		case errors.Is(err, errTooLarge), strings.Contains(err.Error(), "unzip size"):
			code = tools.InputTooLarge
		}
		return nil, nil, job.Refuse(code, path, err.Error())
	}
	return tables, in, nil
}

// begin takes the header out of the rows, where there is one. Empty rows above it are no
// part of the table.
func (t *Table) begin(header bool) {
	if !header || t.Header != nil {
		return
	}
	for len(t.Rows) > 0 && blank(t.Rows[0]) {
		t.dropFirst()
	}
	if len(t.Rows) > 0 {
		t.Header = t.Rows[0]
		t.dropFirst()
	}
}

func (t *Table) dropFirst() {
	t.Rows, t.kinds = t.Rows[1:], t.kinds[min(1, len(t.kinds)):]
}

// blank reports a row with nothing in it.
func blank(row []string) bool {
	return !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" })
}

func parseInput(ctx context.Context, r *job.Job, in *job.Taken, src tools.TableSource, all bool) ([]*Table, error) {
	file := r.Scratch(in.Name)
	var t *Table
	var err error
	switch {
	case bytes.HasPrefix(in.Head, []byte("PK\x03\x04")):
		return parseXLSX(ctx, file, r.Order.Scratch, src.Sheet, all)
	case bytes.HasPrefix(in.Head, []byte("\xD0\xCF\x11\xE0")):
		err = &job.Error{Code: tools.InputUnsupported, Err: errors.New("a workbook of an old kind, or one that needs a password")}
	case jsonHead(in.Head):
		t, err = ParseJSON(file)
	default:
		t, err = parseCSV(ctx, file, in.Head, src.Delimiter)
	}
	return []*Table{t}, err
}

// jsonHead reports whether a file begins as a JSON table does.
func jsonHead(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("[")) {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[' || head[0] == ']')
}

// square gives every row as many cells as the longest has, and every column a
// name of its own. One long row makes all the others as long: a small file may
// become more than anybody can hold.
func (t *Table) square() error {
	width := len(t.Header)
	for _, row := range t.Rows {
		width = max(width, len(row))
	}
	if width > tools.MaxTableColumns || width*len(t.Rows) > tools.MaxTableCells {
		return errTooLarge
	}
	if t.Header != nil {
		t.Header = columnNames(t.Header, width)
	}
	for i, row := range t.Rows {
		for len(row) < width {
			row = append(row, "")
		}
		t.Rows[i] = row
	}
	return nil
}

// columnNames makes names for all columns, each another.
func columnNames(header []string, width int) []string {
	out := make([]string, width)
	used := map[string]bool{}
	for i := range out {
		name := ""
		if i < len(header) {
			name = strings.Join(strings.Fields(header[i]), " ")
		}
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		base := name
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		used[name] = true
		out[i] = name
	}
	return out
}

// delimiters by the name of their parameter.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|'}

// utf8Mark begins a text by which programs that expect none tell UTF-8.
const utf8Mark = "\xEF\xBB\xBF"

// manner is how CSV is written: the zero value with commas and without a mark.
type manner struct {
	comma rune
	mark  bool
}

// keepManner has CSV written as it was read: whoever's programs write it so may read no other. Where
// it was not UTF-8, it has a mark.
func (t *Table) keepManner() {
	if t.format == "csv" {
		t.own = manner{delimiters[t.delimiter], t.marked}
	}
}

// parseCSV reads text of any delimiter and usual encoding.
func parseCSV(ctx context.Context, file string, head []byte, given string) (*Table, error) {
	f, _, err := job.OpenMade(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Table{format: "csv", delimiter: given}
	var text io.Reader = f
	if t.encoding, err = textEncoding(head, f); err != nil {
		return nil, err
	}
	if dec := decoders[t.encoding]; dec != nil {
		text = dec.NewDecoder().Reader(f)
	}
	guarded := &records{r: job.ContextReader{Ctx: ctx, R: text}}
	in := bufio.NewReaderSize(guarded, recordAhead)
	t.marked = t.encoding != "utf-8"
	if bom, err := in.Peek(len(utf8Mark)); err == nil && string(bom) == utf8Mark {
		if _, err := in.Discard(len(utf8Mark)); err != nil {
			return nil, err
		}
		t.marked = true
	}
	start, err := in.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.ContainsRune(start, '\r') && !bytes.ContainsRune(start, '\n') { // lines of an old Mac
		in = bufio.NewReader(transform.NewReader(in, runes.Map(func(c rune) rune {
			if c == '\r' {
				return '\n'
			}
			return c
		})))
		start = bytes.ReplaceAll(start, []byte("\r"), []byte("\n"))
	}
	if given == "auto" {
		comma := delimiter.Guess(start)
		for name, c := range delimiters {
			if c == comma {
				t.delimiter = name
			}
		}
	}
	if _, length, is := delimiter.Named(start); is { // a line that is no row
		if _, err := in.Discard(length); err != nil {
			return nil, err
		}
	}
	if t.delimiter == "tab" {
		t.format = "tsv"
	}
	return t, t.readRows(in, guarded)
}

// readRows reads the records of CSV from in, which reads guarded.
func (t *Table) readRows(in *bufio.Reader, guarded *records) error {
	rows := csv.NewReader(in)
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = delimiters[t.delimiter], -1, true
	guarded.mark, guarded.most = byte(rows.Comma), maxDelimiters
	for {
		guarded.next()
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.Add(row); err != nil {
			return err
		}
	}
}

// decoders of what is not UTF-8.
var decoders = map[string]encoding.Encoding{
	"utf-16": unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "windows-1252": charmap.Windows1252,
}

// textEncoding tells the encoding of a file, and rewinds it.
func textEncoding(head []byte, f *os.File) (string, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return "utf-16", nil
	case !job.LooksLikeText(head):
		return "", &job.Error{Code: tools.InputUnsupported, Err: errors.New("the file is not a table")}
	}
	valid, err := plaintext.ValidUTF8(f)
	if err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if !valid {
		return "windows-1252", nil
	}
	return "utf-8", nil
}
