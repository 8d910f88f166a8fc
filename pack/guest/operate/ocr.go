package operate

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
)

// pdfOCR is pdf.ocr. The pages themselves stay as they are: the text that was
// read is laid over them, invisible.
func pdfOCR(ctx context.Context, r *job.Job, p *tools.PDFOCR) error {
	suffix := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	return r.Each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		pages, err := scan(ctx, r, p, n, path)
		if err != nil {
			return nil, err
		}
		if !p.Force {
			if err := wordless(ctx, r, n, pages); err != nil {
				return nil, err
			}
		}
		read, err := readPages(ctx, r, p, pages)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		if p.To == "text" {
			return &job.Piece{File: out, Suffix: suffix}, joinText(r, read, out)
		}
		text := tools.ScratchName(n, "text.pdf")
		if err = pdfTool(ctx, r, path, tools.QPDFMerge(read, text), ""); err != nil {
			return nil, err
		}
		return &job.Piece{File: out, Suffix: suffix}, pdfTool(ctx, r, path, tools.QPDFOverlay(pages.pdf, text, out), "")
	})
}

// scanned is what text is read of.
type scanned struct {
	n     int
	path  string
	pdf   string // scratch name
	count int    // pages
	seen  tools.ImageInfo
}

// scan makes a PDF of an input that is none.
func scan(ctx context.Context, r *job.Job, p *tools.PDFOCR, n int, path string) (*scanned, error) {
	c := &converter{Job: r, params: &tools.ImageConvert{Format: tools.FormatPDF, Page: tools.PageFit, Background: "white", Quality: 92, DPI: p.DPI}}
	pg, err := c.prepare(ctx, n, path)
	if err != nil {
		return nil, err
	}
	s := &scanned{n: n, path: path, pdf: pg.part, seen: pg.seen}
	if s.pdf == "" {
		s.pdf = tools.ScratchName(n, "scan.pdf")
		// What is known of a scan's size is often wrong: its pixels count.
		if err = r.Tool(ctx, path, tools.InputBroken, tools.Img2PDFAt(pg.files, p.DPI, s.pdf)); err != nil {
			return nil, err
		}
	}
	info, err := lookAtPDF(ctx, r, &job.Taken{Name: s.pdf, Path: path})
	if err != nil {
		return nil, err
	}
	s.count = info.Pages
	d := drawing{width: info.Width * 96 / 72, height: info.Height * 96 / 72}
	return s, d.tooFine(path, p.DPI)
}

// wordless refuses a PDF that has words already: reading them again
// costs time, and gives worse ones.
func wordless(ctx context.Context, r *job.Job, n int, s *scanned) error {
	head, err := job.Peek(s.path)
	if err != nil || !job.IsPDF(head) {
		return err
	}
	written := tools.ScratchName(n, "written.txt")
	if err := pdfTool(ctx, r, s.path, tools.PDFToText(&tools.PDFText{}, s.pdf, written), ""); err != nil {
		return err
	}
	b, err := job.ReadBounded(r.Scratch(written), plaintext.Max)
	if err == nil && isScan(string(b)) {
		return nil
	}
	return job.Refuse(tools.InputHasText, s.path, "it has words already; params.force reads it again") // also where there are too many words to look at
}

// readPages reads all pages and returns the names of what was read.
func readPages(ctx context.Context, r *job.Job, p *tools.PDFOCR, s *scanned) (read []string, _ error) {
	for page := 1; page <= s.count; page++ {
		name, err := readPage(ctx, r, p, s, page)
		if err != nil {
			return nil, err
		}
		read = append(read, name)
	}
	return read, nil
}

// readPage draws a page and reads it.
func readPage(ctx context.Context, r *job.Job, p *tools.PDFOCR, s *scanned, page int) (string, error) {
	drawn := tools.ScratchName(s.n, fmt.Sprintf("d%05d", page))
	if err := pdfTool(ctx, r, s.path, tools.PDFPage(s.pdf, drawn, "png", p.DPI, page, page), ""); err != nil {
		return "", err
	}
	made := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	out := tools.ScratchName(s.n, fmt.Sprintf("r%05d", page))
	err := r.Tool(ctx, s.path, tools.ToolFailed, tools.Tesseract(p, drawn+".png", out, made))
	return out + "." + made, cmp.Or(r.ScratchRemove(drawn+".png"), err)
}

// joinText puts the texts of pages one below the other.
func joinText(r *job.Job, names []string, out string) error {
	var all strings.Builder
	for _, name := range names {
		b, err := job.ReadBounded(r.Scratch(name), maxPrinted)
		if err != nil {
			return err
		}
		all.WriteString(strings.TrimRight(strings.ReplaceAll(string(b), "\f", ""), "\n") + "\n\n")
	}
	return r.ScratchWrite(out, []byte(strings.TrimRight(all.String(), "\n")+"\n"))
}
