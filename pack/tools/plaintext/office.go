package plaintext

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/zip"
	"golang.org/x/net/html/charset"
)

// Bounds of packed documents.
const (
	maxParts    = 20_000    // files in it
	maxUnpacked = 256 << 20 // bytes of one of them
	maxDepth    = 2000      // elements in one another
)

// DOCX writes the words of a document of Word (ISO/IEC 29500-1, 17): its text,
// then its footnotes and endnotes.
func DOCX(w io.Writer, in io.ReaderAt, size int64) error {
	return office(w, in, size, wordElements, "word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
}

// ODT writes the words of an OpenDocument text (ISO/IEC 26300-1, 6.1).
func ODT(w io.Writer, in io.ReaderAt, size int64) error {
	return office(w, in, size, openElements, "content.xml")
}

// element is what an element means for the lines of a text. They are told by
// their local names: those of their name spaces have changed over time.
type element struct {
	skip  bool // with all that is in it
	text  bool // words stand in it
	joins bool // paragraphs in it are no lines: a cell, a note
	begin func(*writer, xml.StartElement)
	end   func(*writer)
}

func starts(f func(*writer)) element {
	return element{begin: func(t *writer, _ xml.StartElement) { f(t) }}
}

func says(s string) func(*writer) { return func(t *writer) { t.words(s) } }

var wordElements = map[string]element{
	"t":             {text: true},
	"tab":           starts((*writer).tab),
	"br":            starts((*writer).lineFeed),
	"cr":            starts((*writer).lineFeed),
	"noBreakHyphen": starts(says("-")),
	"p":             {end: (*writer).lineFeed},
	"tc":            {joins: true, begin: func(t *writer, _ xml.StartElement) { t.tab() }},
	"tr":            {end: (*writer).lineEnd},
	"pPr":           {skip: true},
	"rPr":           {skip: true},
	"Fallback":      {skip: true}, // what Choice says for older programs
	"del":           {skip: true},
	"moveFrom":      {skip: true},
}

var openElements = map[string]element{
	"p":                  {text: true, end: (*writer).lineFeed},
	"h":                  {text: true, end: (*writer).lineFeed},
	"tab":                starts((*writer).tab),
	"line-break":         starts((*writer).lineFeed),
	"s":                  {begin: spaces},
	"table-cell":         {joins: true, begin: func(t *writer, _ xml.StartElement) { t.tab() }},
	"covered-table-cell": {skip: true},
	"table-row":          {end: (*writer).lineEnd},
	"note":               {joins: true, begin: func(t *writer, _ xml.StartElement) { t.words(" [") }, end: noteEnd},
	"note-citation":      {skip: true},
	"tracked-changes":    {skip: true},
	"annotation":         {skip: true},
	"title":              {skip: true}, // of a picture
	"desc":               {skip: true},
}

func noteEnd(t *writer) {
	t.space = false
	t.words("]")
}

// spaces are those beyond the first between two words.
func spaces(t *writer, e xml.StartElement) {
	const most = 200
	n := 1
	for _, a := range e.Attr {
		if a.Name.Local == "c" {
			if c, err := strconv.Atoi(a.Value); err == nil {
				n = min(max(c, 0), most)
			}
		}
	}
	for range n {
		t.char(' ')
	}
}

// office writes the words of the parts of a packed document, of which the first
// must be there.
func office(w io.Writer, in io.ReaderAt, size int64, elements map[string]element, parts ...string) error {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return err
	}
	if len(z.File) > maxParts {
		return fmt.Errorf("%w: %d files in it", ErrTooLarge, len(z.File))
	}
	files := make(map[string]*zip.File, len(z.File))
	for _, f := range z.File {
		if files[f.Name] == nil {
			files[f.Name] = f
		}
	}
	out := newWriter(w)
	for i, name := range parts {
		f := files[name]
		switch {
		case f == nil && i == 0:
			return fmt.Errorf("%w: there is no %s in it", ErrKind, name)
		case f == nil:
			continue
		case f.Flags&1 != 0:
			return fmt.Errorf("%w: it is locked", ErrKind)
		case f.UncompressedSize64 > maxUnpacked:
			return ErrTooLarge
		}
		if err := part(out, f, elements); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out.gap()
	}
	return out.close()
}

// bounded reads at most a number of bytes, and more is an error.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, ErrTooLarge
	}
	return n, err
}

// part writes the words of one file of a document.
func part(out *writer, f *zip.File, elements map[string]element) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	dec := xml.NewDecoder(&bounded{r, maxUnpacked})
	dec.CharsetReader = charset.NewReaderLabel
	var within []element // of all open elements
	texts, joins := 0, 0
	for out.err == nil {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := elements[token.Name.Local]
			if e.skip {
				if err := skip(dec); err != nil {
					return err
				}
				continue
			}
			if len(within) == maxDepth {
				return fmt.Errorf("%w: elements stand too deep in one another", ErrTooLarge)
			}
			within = append(within, e)
			if e.text {
				texts++
			}
			if e.begin != nil {
				e.begin(out, token)
			}
			if e.joins {
				joins++
			}
		case xml.EndElement:
			e := within[len(within)-1] // the decoder holds both in balance
			within = within[:len(within)-1]
			if e.text {
				texts--
			}
			if e.joins {
				joins--
			}
			switch {
			case e.end == nil:
			case joins > 0 && !e.joins:
				out.space = out.inLine()
			default:
				e.end(out)
			}
		case xml.CharData:
			if texts > 0 {
				out.words(string(token))
			}
		}
	}
	return out.err
}

// skip reads to the end of the element that has begun.
func skip(dec *xml.Decoder) error {
	for depth := 1; depth > 0; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("%w: elements stand too deep in one another", ErrTooLarge)
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}
