package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
	"piwork/vmhost/wire"
)

// pdfOCR is pdf.ocr. The pages themselves stay as they are: the text that was
// read is laid over them, invisible.
func (r *run) pdfOCR(ctx context.Context, p *tools.PDFOCR) error {
	suffix := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	return r.each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		pages, problem, err := r.scan(ctx, p, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		if !p.Force {
			if problem, err := r.wordless(ctx, n, pages); err != nil || problem != nil {
				return nil, problem, err
			}
		}
		read, problem, err := r.readPages(ctx, p, pages)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		if p.To == "text" {
			return &piece{file: out, suffix: suffix}, nil, r.joinText(read, out)
		}
		text := tools.ScratchName(n, "text.pdf")
		if problem, err = r.pdfTool(ctx, path, tools.QPDFMerge(read, text), ""); err != nil || problem != nil {
			return nil, problem, err
		}
		problem, err = r.pdfTool(ctx, path, tools.QPDFOverlay(pages.pdf, text, out), "")
		return &piece{file: out, suffix: suffix}, problem, err
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
func (r *run) scan(ctx context.Context, p *tools.PDFOCR, n int, path string) (*scanned, *wire.ToolProblem, error) {
	c := &converter{run: r, params: &tools.ImageConvert{Format: tools.FormatPDF, Page: tools.PageFit, Background: "white", Quality: 92, DPI: p.DPI}}
	pg, problem, err := c.prepare(ctx, n, path)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	s := &scanned{n: n, path: path, pdf: pg.part, seen: pg.seen}
	if s.pdf == "" {
		s.pdf = tools.ScratchName(n, "scan.pdf")
		// What is known of a scan's size is often wrong: its pixels count.
		if problem, err = r.tool(ctx, path, tools.InputBroken, tools.Img2PDFAt(pg.files, p.DPI, s.pdf)); err != nil || problem != nil {
			return nil, problem, err
		}
	}
	info, problem, err := r.lookAtPDF(ctx, &taken{name: s.pdf, path: path})
	if err != nil || problem != nil {
		return nil, problem, err
	}
	s.count = info.Pages
	d := drawing{width: info.Width * 96 / 72, height: info.Height * 96 / 72}
	return s, d.tooFine(path, p.DPI), nil
}

// wordless is the problem of a PDF that has words already: reading them again
// costs time, and gives worse ones.
func (r *run) wordless(ctx context.Context, n int, s *scanned) (*wire.ToolProblem, error) {
	head, problem := peek(s.path)
	if problem != nil || isPDF(head) != nil {
		return problem, nil
	}
	written := tools.ScratchName(n, "written.txt")
	if problem, err := r.pdfTool(ctx, s.path, tools.PDFToText(&tools.PDFText{}, s.pdf, written), ""); err != nil || problem != nil {
		return problem, err
	}
	b, err := readBounded(r.scratch(written), plaintext.Max)
	if err == nil && isScan(string(b)) {
		return nil, nil
	}
	p := tools.Problem(tools.InputHasText, s.path, "it has words already; params.force reads it again")
	return &p, nil // also where there are too many words to look at
}

// readPages reads all pages and returns the names of what was read.
func (r *run) readPages(ctx context.Context, p *tools.PDFOCR, s *scanned) (read []string, _ *wire.ToolProblem, _ error) {
	for page := 1; page <= s.count; page++ {
		name, problem, err := r.readPage(ctx, p, s, page)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		read = append(read, name)
	}
	return read, nil, nil
}

// readPage draws a page and reads it.
func (r *run) readPage(ctx context.Context, p *tools.PDFOCR, s *scanned, page int) (string, *wire.ToolProblem, error) {
	drawn := tools.ScratchName(s.n, fmt.Sprintf("d%05d", page))
	if problem, err := r.pdfTool(ctx, s.path, tools.PDFPage(s.pdf, drawn, "png", p.DPI, page, page), ""); err != nil || problem != nil {
		return "", problem, err
	}
	made := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	out := tools.ScratchName(s.n, fmt.Sprintf("r%05d", page))
	problem, err := r.tool(ctx, s.path, tools.ToolFailed, tools.Tesseract(p, drawn+".png", out, made))
	return out + "." + made, problem, errors.Join(err, r.scratchRemove(drawn+".png"))
}

// joinText puts the texts of pages one below the other.
func (r *run) joinText(names []string, out string) error {
	var all strings.Builder
	for _, name := range names {
		b, err := readBounded(r.scratch(name), maxPrinted)
		if err != nil {
			return err
		}
		all.WriteString(strings.TrimRight(strings.ReplaceAll(string(b), "\f", ""), "\n") + "\n\n")
	}
	return r.scratchWrite(out, []byte(strings.TrimRight(all.String(), "\n")+"\n"))
}
