// Package hostile is a table of files that operations must not take, or must do
// without the harm: documents that name other files, archives that lead out of
// their folder, bombs, names that are options, links and pipes. It is for tests
// only: those of package operate play what needs no program, those of a real
// machine all of it.
package hostile

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/zip"

	"piwork/pack/tools"
)

// Canary is what stands in the file canary.txt outside of the folder, and must
// be in no result and no answer.
const Canary = "TOP-SECRET-CANARY"

// Home is where rows are played.
type Home struct {
	Folder  string // of the hostile file, empty before each row
	Outside string // an absolute path: canary.txt is there, and nothing may be made there, such as "escaped"
	Picture []byte // a whole JPEG
}

// Row is a file for one operation.
type Row struct {
	Op, File string
	Data     []byte
	Params   map[string]any
	Out      string   // name of the result, "" for none
	Codes    []string // of the first problem, one of them; "" when it is done
	In       string   // what the operation gets instead of the file, in the folder; "." is the folder itself
	Prepare  string   // run by a shell in the folder before
	WallMS   int64    // how long it may take, ms; 0 is as long as the operation says
	Slow     bool     // takes the better part of a minute in a machine in slow mode
}

// Rows are at least one for each operation, by a name; with an add-on those that
// need it, else those that need none.
func Rows(h Home, addOn string) (map[string]Row, error) {
	var failed error
	rows := h.rows()
	maps.Copy(rows, h.addOnRows())
	maps.Copy(rows, h.linkRows())
	maps.Copy(rows, tableRows())
	maps.DeleteFunc(rows, func(_ string, r Row) bool {
		op, ok := tools.Find(r.Op)
		if addOn == "" {
			return ok && len(op.AddOns()) > 0
		}
		return !slices.Contains(op.AddOns(), addOn)
	})
	for name, r := range rows {
		if !bytes.HasPrefix(r.Data, []byte("PK")) { // in an archive it was done before
			r.Data = []byte(h.here(string(r.Data)))
		} else if len(r.Data) < 22 { // less than its end
			failed = fmt.Errorf("%s: no archive", name)
		}
		r.Prepare = h.here(r.Prepare)
		for k, v := range r.Params {
			if s, ok := v.(string); ok {
				r.Params[k] = h.here(s)
			}
		}
		rows[name] = r
	}
	return rows, failed
}

// here makes paths of where rows are played.
func (h Home) here(s string) string { return strings.ReplaceAll(s, "/work/", h.Outside+"/") }

// leading is a tar whose links lead out of the folder, with files behind them; nothing
// when it fails.
func (h Home) leading() []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range []tar.Header{
		{Name: "away", Linkname: h.here("/work/"), Typeflag: tar.TypeSymlink}, {Name: "away/escaped", Typeflag: tar.TypeReg},
		{Name: "up", Linkname: "../../../../../../..", Typeflag: tar.TypeSymlink}, {Name: "up" + h.here("/work/escaped"), Typeflag: tar.TypeReg},
		{Name: "same", Linkname: h.here("/work/canary.txt"), Typeflag: tar.TypeLink}, {Name: "-pipe\n", Typeflag: tar.TypeFifo},
	} {
		if w.WriteHeader(&e) != nil {
			return nil
		}
	}
	if w.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// zipped is a zip of pairs of names and contents; nothing when it fails. The kind of
// an OpenDocument is not compressed (OpenDocument 1.3 part 2, 3.3).
func (h Home) zipped(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		head := zip.FileHeader{Name: h.here(files[i]), Method: zip.Deflate}
		if head.Name == "mimetype" {
			head.Method = zip.Store
		}
		f, err := w.CreateHeader(&head)
		if err == nil {
			_, err = io.WriteString(f, h.here(files[i+1]))
		}
		if err != nil {
			return []byte("PK")
		}
	}
	if w.Close() != nil {
		return []byte("PK")
	}
	return b.Bytes()
}
