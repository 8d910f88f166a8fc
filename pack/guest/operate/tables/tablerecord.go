package tables

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zip"

	"piwork/pack/tools"
)

// recordAhead is how much is read at a time of what has records, in bytes: a part of
// the next ones comes with it.
const recordAhead = 1 << 20

// What parses a record keeps the place of each field of it, or each attribute of an
// element, before anybody can count them. These bound the delimiters, or the signs of
// equality, in one; in text there may be more of them than there are columns.
const (
	maxDelimiters = 2 << 20
	maxAttributes = 512 << 10
)

// records is what has records, read so that none is larger than one may be: what
// parses them holds a whole one in memory.
type records struct {
	r     io.Reader
	mark  byte // what is counted besides bytes
	most  int  // of them in one record; 0 counts none
	bytes int  // that were read since next
	marks int  // likewise
}

func (g *records) Read(b []byte) (int, error) {
	if g.bytes > tools.MaxTableRecord+recordAhead || g.marks > g.most {
		return 0, fmt.Errorf("%w: more than %d MiB, or too many columns, in one row", errTooLarge, tools.MaxTableRecord>>20)
	}
	n, err := g.r.Read(b[:min(len(b), recordAhead)])
	g.bytes += n
	if g.most > 0 {
		g.marks += bytes.Count(b[:n], []byte{g.mark})
	}
	return n, err
}

// next begins another record.
func (g *records) next() { g.bytes, g.marks = 0, 0 }

// checkSheets refuses a workbook with a row or a text that is too large, or whose texts cannot
// be read to their end: of those that are not in memory, excelize would leave out the rest. Only
// parts that could have one are read for it.
func checkSheets(files []*zip.File) error {
	for _, f := range files {
		texts := strings.EqualFold(f.Name, "xl/sharedStrings.xml") && f.UncompressedSize64 > maxPartInMemory
		if texts || f.UncompressedSize64 > tools.MaxTableRecord && strings.HasPrefix(f.Name, "xl/") && strings.HasSuffix(f.Name, ".xml") {
			if err := checkSheet(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkSheet(f *zip.File) error {
	part, err := f.Open()
	if err != nil {
		return err
	}
	defer part.Close()
	return sheetRecords(part)
}

// sheetRecords reads a sheet, or the texts of all sheets, row by row and text by text.
func sheetRecords(part io.Reader) error {
	in := &records{r: part, mark: '=', most: maxAttributes}
	dec := sheetDecoder(in)
	within, cells, open := "", 0, nesting{}
	for {
		token, err := dec.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(open.names) > 0:
			err = io.ErrUnexpectedEOF
		case err == nil:
			err = open.add(token)
		}
		texts := len(open.names) > 0 && open.names[0].Local == "sst"
		if errors.Is(err, errTooLarge) || err != nil && texts {
			return err
		}
		if err != nil { // of a sheet, sheetScan finds what is wrong
			return nil //nolint:nilerr // see above
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case within == "" && (name == "row" || name == "si"):
				within, cells = name, 0
			case within == "row" && name == "c":
				if cells++; cells > tools.MaxTableColumns {
					return errTooLarge
				}
			}
		case xml.EndElement:
			if t.Name.Local == within {
				within = ""
			}
		}
		if within == "" {
			in.next()
		}
	}
}
