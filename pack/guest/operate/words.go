package operate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zip"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
)

// said is the words of one input.
type said struct {
	file       string // scratch name of the text
	way        string // tools.WordsWritten or WordsRead
	answerSize int64  // of the input
	sum        string // likewise, SHA-256
}

// wordsOf takes the words out of a document, or reads them from its pages, of
// which at most so many are looked at (0 is all).
func wordsOf(ctx context.Context, r *job.Job, n int, path string, layout bool, p tools.Reading, pages int) (*said, error) {
	head, err := job.Peek(path)
	if err != nil {
		return nil, err
	}
	if len(head) == 0 {
		return nil, job.Refuse(tools.InputBroken, path, "the file is empty")
	}
	kind := textKind(head, path)
	switch {
	case pictureHead(head), isSVG(head):
	case job.IsPDF(head) && (kind == "" || bytes.HasPrefix(head, []byte("%PDF-"))):
		s, scanned, err := wordsOfPDF(ctx, r, n, path, layout, p, pages)
		if err != nil || !scanned || p.OCR == ocrOff {
			return s, err
		}
		if err := r.Sweep(); err != nil { // the scan is taken anew
			return nil, err
		}
	case kind == tools.TextDOC:
		return nil, job.Refuse(tools.InputUnsupported, path, "a document of an old kind: text.convert makes a newer one of it")
	case kind != "":
		return wordsOfText(ctx, r, n, path)
	}
	if p.OCR == ocrOff {
		return nil, job.Refuse(tools.InputUnsupported, path, "no words are written in it")
	}
	return wordsOfPages(ctx, r, n, path, p, pages)
}

// ocrOff leaves pictures unread.
const ocrOff = "off"

// wordsOfPDF takes the words that are written in a PDF, and reads the scans among its
// pages. One with next to no words at all is a scan as a whole.
func wordsOfPDF(ctx context.Context, r *job.Job, n int, path string, layout bool, p tools.Reading, pages int) (s *said, scanned bool, err error) {
	in, err := takePDF(ctx, r, n, path)
	if err != nil {
		return nil, false, err
	}
	raw := tools.ScratchName(n, "raw.txt")
	if err = pdfTool(ctx, r, path, tools.PDFToText(&tools.PDFText{Layout: layout}, in.Name, raw), ""); err != nil {
		return nil, false, err
	}
	b, err := job.ReadBounded(r.Scratch(raw), plaintext.Max)
	if err != nil {
		return nil, false, job.Refuse(tools.InputTooLarge, path, err.Error())
	}
	s = &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsWritten, answerSize: in.Size, sum: in.SHA256}
	text := string(b)
	scanned = isScan(text)
	if !scanned && p.OCR != ocrOff {
		var read bool
		if text, read, err = readScans(ctx, r, n, in, text, p, pages); err != nil {
			return nil, false, err
		}
		if read {
			s.way = tools.WordsRead
		}
	}
	return s, scanned, wordsInto(r, s, func(w io.Writer) error { return plaintext.Text(w, strings.NewReader(text)) })
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
func wordsInto(r *job.Job, s *said, write func(io.Writer) error) error {
	f, err := r.ScratchCreate(s.file)
	if err != nil {
		return err
	}
	err = write(job.MarkWriter{W: f})
	return errors.Join(err, f.Close())
}

// wordsOfText takes the words out of a document that is no PDF.
func wordsOfText(ctx context.Context, r *job.Job, n int, path string) (*said, error) {
	in, err := r.Take(ctx, path, tools.ScratchName(n, "in"), tools.MaxTextSize, nil)
	if err != nil {
		return nil, err
	}
	f, _, err := job.OpenMade(r.Scratch(in.Name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsWritten, answerSize: in.Size, sum: in.SHA256}
	err = wordsInto(r, s, func(w io.Writer) error {
		switch textKind(in.Head, path) {
		case tools.TextHTML:
			return plaintext.HTML(w, struct {
				io.Reader
				io.Seeker
			}{job.ContextReader{Ctx: ctx, R: f}, f})
		case tools.TextRTF:
			return plaintext.RTF(w, job.ContextReader{Ctx: ctx, R: f})
		case tools.TextDOCX:
			return plaintext.DOCX(w, f, in.Size)
		case tools.TextODT:
			return plaintext.ODT(w, f, in.Size)
		}
		return plaintext.Text(w, f)
	})
	var write job.WriteError
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &write):
		return nil, err
	}
	code := tools.InputBroken
	switch {
	case errors.Is(err, plaintext.ErrTooLarge):
		code = tools.InputTooLarge
	case errors.Is(err, plaintext.ErrKind), errors.Is(err, zip.ErrAlgorithm):
		code = tools.InputUnsupported
	}
	return nil, job.Refuse(code, path, err.Error())
}

// wordsOfPages reads the words from the pages of a picture or a scan.
func wordsOfPages(ctx context.Context, r *job.Job, n int, path string, reading tools.Reading, most int) (*said, error) {
	p := &tools.PDFOCR{To: "text", Language: reading.OCR, DPI: reading.DPI}
	pages, err := scan(ctx, r, p, n, path)
	if err != nil {
		return nil, err
	}
	if most > 0 {
		pages.count = min(pages.count, most)
	}
	read, err := readPages(ctx, r, p, pages)
	if err != nil {
		return nil, err
	}
	s := &said{file: tools.ScratchName(n, "words.txt"), way: tools.WordsRead, answerSize: pages.seen.Size, sum: pages.seen.SHA256}
	return s, joinText(r, read, s.file)
}

// textExtract is text.extract.
func textExtract(ctx context.Context, r *job.Job, p *tools.TextExtract) error {
	return r.Each(ctx, p.Each, "txt", func(ctx context.Context, n int, path string) (*job.Piece, error) {
		s, err := wordsOf(ctx, r, n, path, p.Layout, p.Reading, 0)
		if err != nil {
			return nil, err
		}
		about := &tools.Extracted{Path: path, Words: s.way, Size: s.answerSize, SHA256: s.sum}
		b, err := job.ReadBounded(r.Scratch(s.file), 4*plaintext.Max)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(b)) == "" {
			about.Note = tools.NoteEmpty
		}
		return &job.Piece{File: s.file, Suffix: "txt", Said: about}, nil
	})
}
