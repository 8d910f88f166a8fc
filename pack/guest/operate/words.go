package operate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zip"

	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
	"piwork/vmhost/wire"
)

// said is the words of one input.
type said struct {
	file string // scratch name of the text
	way  string // tools.WordsWritten or WordsRead
	size int64  // of the input
	sum  string // likewise, SHA-256
}

// wordsOf takes the words out of a document, or reads them from its pages, of
// which at most so many are looked at (0 is all).
func (r *run) wordsOf(ctx context.Context, n int, path string, layout bool, p tools.Reading, pages int) (*said, *wire.ToolProblem, error) {
	head, problem := peek(path)
	if problem != nil {
		return nil, problem, nil
	}
	if len(head) == 0 {
		p := tools.Problem(tools.InputBroken, path, "the file is empty")
		return nil, &p, nil
	}
	kind := textKind(head, path)
	switch {
	case pictureHead(head), isSVG(head):
	case isPDF(head) == nil && (kind == "" || bytes.HasPrefix(head, []byte("%PDF-"))):
		s, scanned, problem, err := r.wordsOfPDF(ctx, n, path, layout)
		if err != nil || problem != nil || !scanned || p.OCR == ocrOff {
			return s, problem, err
		}
		if err := r.sweep(); err != nil { // the scan is taken anew
			return nil, nil, err
		}
	case kind == tools.TextDOC:
		p := tools.Problem(tools.InputUnsupported, path, "a document of an old kind: text.convert makes a newer one of it")
		return nil, &p, nil
	case kind != "":
		return r.wordsOfText(ctx, n, path)
	}
	if p.OCR == ocrOff {
		p := tools.Problem(tools.InputUnsupported, path, "no words are written in it")
		return nil, &p, nil
	}
	return r.wordsOfPages(ctx, n, path, p, pages)
}

// ocrOff leaves pictures unread.
const ocrOff = "off"

// wordsOfPDF takes the words that are written in a PDF. One with next to none
// is a scan.
func (r *run) wordsOfPDF(ctx context.Context, n int, path string, layout bool) (s *said, scanned bool, problem *wire.ToolProblem, err error) {
	in, problem, err := r.takePDF(ctx, n, path)
	if err != nil || problem != nil {
		return nil, false, problem, err
	}
	raw := tools.ScratchName(n, "raw.txt")
	if problem, err = r.pdfTool(ctx, path, tools.PDFToText(&tools.PDFText{Layout: layout}, in.name, raw), ""); err != nil || problem != nil {
		return nil, false, problem, err
	}
	b, err := readBounded(r.scratch(raw), plaintext.Max)
	if err != nil {
		p := tools.Problem(tools.InputTooLarge, path, err.Error())
		return nil, false, &p, nil
	}
	s = &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsWritten, size: in.size, sum: in.sha256}
	return s, isScan(string(b)), nil, r.wordsInto(s, func(w io.Writer) error { return plaintext.Text(w, strings.NewReader(string(b))) })
}

// isScan reports whether what pdftotext found in a PDF is next to nothing.
func isScan(text string) bool {
	const least = 10 // letters and digits of a page: fewer are a stamp or a number
	return letterCount(text) < least*max(1, strings.Count(text, "\f"))
}

func letterCount(s string) int {
	n := 0
	for _, c := range s {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n
}

// wordsInto writes the text of s.
func (r *run) wordsInto(s *said, write func(io.Writer) error) error {
	f, err := r.scratchCreate(s.file)
	if err != nil {
		return err
	}
	err = write(markWriter{f})
	return errors.Join(err, f.Close())
}

// wordsOfText takes the words out of a document that is no PDF.
func (r *run) wordsOfText(ctx context.Context, n int, path string) (*said, *wire.ToolProblem, error) {
	in, problem, err := r.take(ctx, path, tools.ScratchName(n, "in"), tools.MaxTextSize, nil)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	f, _, err := openMade(r.scratch(in.name))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	s := &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsWritten, size: in.size, sum: in.sha256}
	err = r.wordsInto(s, func(w io.Writer) error {
		switch textKind(in.head, path) {
		case tools.TextHTML:
			return plaintext.HTML(w, contextReader{ctx, f})
		case tools.TextRTF:
			return plaintext.RTF(w, contextReader{ctx, f})
		case tools.TextDOCX:
			return plaintext.DOCX(w, f, in.size)
		case tools.TextODT:
			return plaintext.ODT(w, f, in.size)
		}
		return plaintext.Text(w, f)
	})
	var write writeError
	switch {
	case err == nil:
		return s, nil, nil
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.As(err, &write):
		return nil, nil, err
	}
	code := tools.InputBroken
	switch {
	case errors.Is(err, plaintext.ErrTooLarge):
		code = tools.InputTooLarge
	case errors.Is(err, plaintext.ErrKind), errors.Is(err, zip.ErrAlgorithm):
		code = tools.InputUnsupported
	}
	p := tools.Problem(code, path, err.Error())
	return nil, &p, nil
}

// wordsOfPages reads the words from the pages of a picture or a scan.
func (r *run) wordsOfPages(ctx context.Context, n int, path string, reading tools.Reading, most int) (*said, *wire.ToolProblem, error) {
	p := &tools.PDFOCR{To: "text", Language: reading.OCR, DPI: reading.DPI}
	pages, problem, err := r.scan(ctx, p, n, path)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	if most > 0 {
		pages.count = min(pages.count, most)
	}
	read, problem, err := r.readPages(ctx, p, pages)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	s := &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsRead, size: pages.seen.Size, sum: pages.seen.SHA256}
	return s, nil, r.joinText(read, s.file)
}

// textExtract is text.extract.
func (r *run) textExtract(ctx context.Context, p *tools.TextExtract) error {
	return r.each(ctx, p.Each, "txt", func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		s, problem, err := r.wordsOf(ctx, n, path, p.Layout, p.Reading, 0)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		about := &tools.Extracted{Path: path, Words: s.way, Size: s.size, SHA256: s.sum}
		b, err := readBounded(r.scratch(s.file), 4*plaintext.Max)
		if err != nil {
			return nil, nil, err
		}
		if strings.TrimSpace(string(b)) == "" {
			about.Note = "empty"
		}
		return &piece{file: s.file, suffix: "txt", said: about}, nil, nil
	})
}
