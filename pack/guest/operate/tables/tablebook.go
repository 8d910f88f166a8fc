package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// maxSheets bounds the sheets of a workbook: each of them may become a table.
const maxSheets = 1000

// maxPartInMemory is how large a part may be, in bytes, that excelize keeps in memory.
const maxPartInMemory = 8 << 20

// workbook is one that is read.
type workbook struct {
	*excelize.File
	all       []string // names of its sheets
	sheets    []string // of those that are visible and have something in them
	parts     map[string]*zip.File
	since1904 bool // its days are counted from 1904
}

// parseXLSX reads a sheet of a workbook. Without a name it reads the first that shows
// something, or all of these.
func parseXLSX(ctx context.Context, file, scratch, sheet string, all bool) ([]*Table, error) {
	f, st, err := job.OpenMade(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files, err := workbookParts(f, st.Size())
	if err != nil {
		return nil, err
	}
	book, err := openBook(ctx, f, files, scratch)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	names := []string{sheet}
	switch {
	case sheet != "" || len(book.all) == 0:
	case len(book.sheets) == 0:
		names = book.all[:1]
	case all:
		names = book.sheets
	default:
		names = book.sheets[:1]
	}
	var out []*Table
	cells := 0
	for _, name := range names {
		t, err := book.table(ctx, name)
		if err != nil {
			return nil, err
		}
		if cells += t.cells; cells > tools.MaxTableCells {
			return nil, errTooLarge
		}
		out = append(out, t)
	}
	return out, nil
}

// openBook opens a workbook, and looks for the sheets that show something.
func openBook(ctx context.Context, f io.Reader, files []*zip.File, scratch string) (*workbook, error) {
	file, err := excelize.OpenReader(f, excelize.Options{UnzipSizeLimit: tools.MaxTableUnpacked, UnzipXMLSizeLimit: maxPartInMemory, TmpDir: scratch})
	if err != nil {
		if errors.Is(err, excelize.ErrWorkbookFileFormat) {
			return nil, &job.Error{Code: tools.InputUnsupported, Err: err}
		}
		return nil, err
	}
	b := &workbook{File: file, all: file.GetSheetList()}
	if len(b.all) > maxSheets {
		return nil, errors.Join(errTooLarge, file.Close())
	}
	props, err := file.GetWorkbookProps()
	if err == nil {
		b.since1904 = props.Date1904 != nil && *props.Date1904
		b.parts = sheetParts(files, file)
		err = markFormats(file)
	}
	for _, name := range b.all {
		var shows bool
		if err == nil {
			shows, err = b.shows(ctx, name)
		}
		if shows {
			b.sheets = append(b.sheets, name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return b, nil
}

// shows reports whether a sheet is visible and has something in it.
func (b *workbook) shows(ctx context.Context, sheet string) (bool, error) {
	visible, err := b.GetSheetVisible(sheet)
	if err != nil || !visible {
		return false, err
	}
	rows, err := b.Rows(sheet)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Columns()
		if err = errors.Join(err, ctx.Err()); err != nil || !blank(row) {
			return err == nil, err
		}
	}
	// One that ends before its first row seems to be empty.
	return false, errors.Join(rows.Error(), b.check(ctx, sheet))
}

// table reads a sheet.
func (b *workbook) table(ctx context.Context, sheet string) (*Table, error) {
	if !slices.Contains(b.all, sheet) {
		return nil, &job.Error{Code: tools.InputUnsupported, Err: fmt.Errorf("there is no sheet %q", wire.Short(sheet))}
	}
	scan, err := b.scan(ctx, sheet)
	if err != nil {
		return nil, err
	}
	defer scan.part.Close()
	t := &Table{format: "xlsx", sheet: sheet, sheets: b.sheets}
	shown, err := b.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer shown.Close()
	raw, err := b.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	for n := 1; shown.Next() && raw.Next(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		marked, err := shown.Columns()
		if err != nil {
			return nil, err
		}
		row, err := raw.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, err
		}
		for i := range min(len(row), len(marked)) {
			row[i] = cellText(row[i], marked[i], b.since1904)
		}
		kinds, err := scan.kindsOf(n)
		if err == nil { // an empty cell far to the right has a kind, and is no part of the row
			err = t.add(row, slices.Clone(kinds[:min(len(kinds), len(row))]))
		}
		if err != nil {
			return nil, err
		}
	}
	return t, errors.Join(shown.Error(), raw.Error(), scan.rest())
}

// workbookParts are the parts of a workbook. It refuses a zip that is none, or says that it
// becomes too large; one that lies about it is found out when it is read.
func workbookParts(file io.ReaderAt, length int64) ([]*zip.File, error) {
	z, err := zip.NewReader(file, length)
	if err != nil {
		return nil, err
	}
	sheets := false
	var size uint64
	for _, f := range z.File {
		sheets = sheets || strings.HasPrefix(f.Name, "xl/")
		if size += f.UncompressedSize64; f.UncompressedSize64 > tools.MaxTableUnpacked || size > tools.MaxTableUnpacked {
			return nil, &job.Error{Code: tools.InputTooLarge, Err: errors.New("it becomes too large when it is unpacked")}
		}
	}
	if !sheets {
		return nil, &job.Error{Code: tools.InputUnsupported, Err: errors.New("there is no workbook in it")}
	}
	return z.File, checkSheets(z.File)
}
