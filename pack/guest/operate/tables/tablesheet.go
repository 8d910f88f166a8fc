package tables

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html/charset"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// excelize ends a sheet without an error where its XML cannot be read: a control character in
// row 500 would leave out all rows from there on. A formula that nobody has calculated yet is
// an empty cell to it. So every sheet is read a second time here.

// sheetScan reads the XML of a sheet, row by row.
type sheetScan struct {
	part  io.ReadCloser
	in    *records
	dec   *xml.Decoder
	open  nesting
	inRow bool
	ended bool
	cell  sheetCell
	row   int // number of the one that was read last
	kinds []kind
}

// sheetCell is the cell that is being read.
type sheetCell struct {
	column   int    // from 1
	at, kind string // "B2" where the file says so; "str" of a text that a formula gave
	formula  bool
	value    bool // there is an element of it
	filled   bool // with something in it
}

// calculated reports whether the result of a formula is known: one that gave an empty text has
// an empty element for it.
func (c sheetCell) calculated() bool {
	return !c.formula || c.filled || c.kind == "str" && c.value
}

// scan begins to read a sheet.
func (b *workbook) scan(ctx context.Context, sheet string) (*sheetScan, error) {
	f := b.parts[sheet]
	if f == nil {
		return nil, fmt.Errorf("there is no part of the sheet %q", wire.Short(sheet))
	}
	part, err := f.Open()
	if err != nil {
		return nil, err
	}
	in := &records{r: job.ContextReader{Ctx: ctx, R: part}, mark: '=', most: maxAttributes}
	return &sheetScan{part: part, in: in, dec: sheetDecoder(in)}, nil
}

// sheetDecoder decodes XML as excelize does.
func sheetDecoder(in io.Reader) *xml.Decoder {
	dec := xml.NewDecoder(in)
	dec.CharsetReader = charset.NewReaderLabel
	return dec
}

// next reads a row, or reports that there is no further one.
func (s *sheetScan) next() (bool, error) {
	for !s.ended {
		token, err := s.dec.RawToken()
		if errors.Is(err, io.EOF) {
			s.ended = true
			return false, s.open.atEnd()
		}
		if err == nil {
			err = s.open.add(token)
		}
		if err != nil {
			return false, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			s.begin(t)
		case xml.CharData:
			if s.open.inside("v") {
				s.cell.filled = s.cell.filled || len(t) > 0
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "c":
				s.noteKind()
				if !s.cell.calculated() {
					return false, &job.Error{Code: tools.InputUnsupported, Err: fmt.Errorf("the formula in cell %s has no result yet; open the table in a spreadsheet program and save it there once", wire.Short(s.cell.at))}
				}
			case "row":
				s.inRow = false
				s.in.next()
				return true, nil
			case "sheetData": // what comes behind it nobody here reads
				s.ended = true
			}
		}
		if !s.inRow {
			s.in.next()
		}
	}
	return false, nil
}

// begin notes what an element says of a row or a cell.
func (s *sheetScan) begin(e xml.StartElement) {
	switch e.Name.Local {
	case "row":
		s.inRow, s.kinds, s.cell = true, s.kinds[:0], sheetCell{}
		s.row++
		for _, a := range e.Attr {
			if n, err := strconv.Atoi(a.Value); err == nil && n > 0 && a.Name.Local == "r" {
				s.row = n
			}
		}
	case "c":
		s.cell = sheetCell{column: s.cell.column + 1}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "r":
				s.cell.at = a.Value
				if column, _, err := excelize.CellNameToCoordinates(a.Value); err == nil {
					s.cell.column = column
				}
			case "t":
				s.cell.kind = a.Value
			}
		}
	case "f":
		s.cell.formula = true
	case "v":
		s.cell.value = true
	}
}

// noteKind notes the kind of the cell that was read.
func (s *sheetScan) noteKind() {
	k := unsaid
	switch s.cell.kind {
	case "s", "str", "inlineStr":
		k = textCell
	case "", "n":
		k = numberCell
	}
	if k == unsaid || s.cell.column > tools.MaxTableColumns {
		return
	}
	for len(s.kinds) < s.cell.column {
		s.kinds = append(s.kinds, unsaid)
	}
	s.kinds[s.cell.column-1] = k
}

// kindsOf are the kinds of the cells of a row, by its number, until it is asked for the next.
// Rows are asked for in their order.
func (s *sheetScan) kindsOf(row int) ([]kind, error) {
	for s.row < row {
		if more, err := s.next(); err != nil || !more {
			return nil, err
		}
	}
	if s.row > row {
		return nil, nil
	}
	return s.kinds, nil
}

// rest reads all rows that are left.
func (s *sheetScan) rest() error {
	for {
		if more, err := s.next(); err != nil || !more {
			return err
		}
	}
}

// check reads a sheet for what is wrong with it.
func (b *workbook) check(ctx context.Context, sheet string) error {
	s, err := b.scan(ctx, sheet)
	if err != nil {
		return err
	}
	return errors.Join(s.rest(), s.part.Close())
}

// nesting are the elements that have not ended. The decoder would tell that they end as they
// began, but would also keep all of them, however many a file has in each other.
type nesting struct {
	names []xml.Name
	begun bool
}

// maxNesting is far more than any sheet has.
const maxNesting = 256

func (n *nesting) add(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if len(n.names) >= maxNesting {
			return errTooLarge
		}
		n.names, n.begun = append(n.names, t.Name), true
	case xml.EndElement:
		last := len(n.names) - 1
		if last < 0 || n.names[last] != t.Name {
			return fmt.Errorf("%s ends where it did not begin", wire.Short(t.Name.Local))
		}
		n.names = n.names[:last]
	}
	return nil
}

// inside reports whether the innermost element has a name.
func (n *nesting) inside(name string) bool {
	return len(n.names) > 0 && n.names[len(n.names)-1].Local == name
}

// atEnd is the fault of a part that ends here.
func (n *nesting) atEnd() error {
	if len(n.names) > 0 || !n.begun {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// relations is a part that says which other parts there are.
type relations struct {
	All []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// sheetParts finds the part of each sheet as excelize does, which tells nobody.
func sheetParts(files []*zip.File, book *excelize.File) map[string]*zip.File {
	parts := make(map[string]*zip.File, len(files))
	for _, f := range files {
		parts[strings.ReplaceAll(f.Name, `\`, "/")] = f
	}
	home := ""
	for _, r := range readRelations(book, "_rels/.rels").All {
		if strings.HasSuffix(r.Type, "/officeDocument") {
			home = strings.TrimPrefix(r.Target, "/")
			break
		}
	}
	targets := map[string]string{}
	for _, r := range readRelations(book, path.Join(path.Dir(home), "_rels", path.Base(home)+".rels")).All {
		target := strings.ReplaceAll(r.Target, `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(path.Dir(home), target)
		}
		targets[r.ID] = strings.TrimPrefix(path.Clean(target), "/")
	}
	out := map[string]*zip.File{}
	for _, s := range book.WorkBook.Sheets.Sheet {
		if f := parts[targets[s.ID]]; f != nil {
			out[s.Name] = f
		}
	}
	return out
}

func readRelations(book *excelize.File, part string) (r relations) {
	stored, _ := book.Pkg.Load(part)
	data, _ := stored.([]byte)
	// excelize has read it before, and refused what is broken.
	_ = sheetDecoder(bytes.NewReader(data)).Decode(&r)
	return r
}
