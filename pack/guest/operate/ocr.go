package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
	"piwork/vmhost/wire"
)

// pdfOCR is pdf.ocr. The pages themselves stay as they are: the text that was
// read is laid over them, invisible.
func pdfOCR(ctx context.Context, r *job.Job, p *tools.PDFOCR) error {
	suffix := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	return r.Each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*job.Piece, *wire.ToolProblem, error) {
		pages, problem, err := scan(ctx, r, p, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		if !p.Force {
			if problem, err := wordless(ctx, r, n, pages); err != nil || problem != nil {
				return nil, problem, err
			}
		}
		read, problem, err := readPages(ctx, r, p, pages)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		if p.To == "text" {
			return &job.Piece{File: out, Suffix: suffix}, nil, joinText(r, read, out)
		}
		text := tools.ScratchName(n, "text.pdf")
		if problem, err = pdfTool(ctx, r, path, tools.QPDFMerge(read, text), ""); err != nil || problem != nil {
			return nil, problem, err
		}
		problem, err = pdfTool(ctx, r, path, tools.QPDFOverlay(pages.pdf, text, out), "")
		return &job.Piece{File: out, Suffix: suffix}, problem, err
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
func scan(ctx context.Context, r *job.Job, p *tools.PDFOCR, n int, path string) (*scanned, *wire.ToolProblem, error) {
	c := &converter{Job: r, params: &tools.ImageConvert{Format: tools.FormatPDF, Page: tools.PageFit, Background: "white", Quality: 92, DPI: p.DPI}}
	pg, problem, err := c.prepare(ctx, n, path)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	s := &scanned{n: n, path: path, pdf: pg.part, seen: pg.seen}
	if s.pdf == "" {
		s.pdf = tools.ScratchName(n, "scan.pdf")
		// What is known of a scan's size is often wrong: its pixels count.
		if problem, err = r.Tool(ctx, path, tools.InputBroken, tools.Img2PDFAt(pg.files, p.DPI, s.pdf)); err != nil || problem != nil {
			return nil, problem, err
		}
	}
	info, problem, err := lookAtPDF(ctx, r, &job.Taken{Name: s.pdf, Path: path})
	if err != nil || problem != nil {
		return nil, problem, err
	}
	s.count = info.Pages
	d := drawing{width: info.Width * 96 / 72, height: info.Height * 96 / 72}
	return s, d.tooFine(path, p.DPI), nil
}

// wordless is the problem of a PDF that has words already: reading them again
// costs time, and gives worse ones.
func wordless(ctx context.Context, r *job.Job, n int, s *scanned) (*wire.ToolProblem, error) {
	head, problem := job.Peek(s.path)
	if problem != nil || job.IsPDF(head) != nil {
		return problem, nil
	}
	written := tools.ScratchName(n, "written.txt")
	if problem, err := pdfTool(ctx, r, s.path, tools.PDFToText(&tools.PDFText{}, s.pdf, written), ""); err != nil || problem != nil {
		return problem, err
	}
	b, err := job.ReadBounded(r.Scratch(written), plaintext.Max)
	if err == nil && isScan(string(b)) {
		return nil, nil
	}
	return new(tools.Problem(tools.InputHasText, s.path, "it has words already; params.force reads it again")), nil // also where there are too many words to look at
}

// readPages reads all pages and returns the names of what was read.
func readPages(ctx context.Context, r *job.Job, p *tools.PDFOCR, s *scanned) (read []string, _ *wire.ToolProblem, _ error) {
	for page := 1; page <= s.count; page++ {
		name, problem, err := readPage(ctx, r, p, s, page)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		read = append(read, name)
	}
	return read, nil, nil
}

// readPage draws a page and reads it.
func readPage(ctx context.Context, r *job.Job, p *tools.PDFOCR, s *scanned, page int) (string, *wire.ToolProblem, error) {
	drawn := tools.ScratchName(s.n, fmt.Sprintf("d%05d", page))
	if problem, err := pdfTool(ctx, r, s.path, tools.PDFPage(s.pdf, drawn, "png", p.DPI, page, page), ""); err != nil || problem != nil {
		return "", problem, err
	}
	made := map[string]string{"pdf": "pdf", "text": "txt"}[p.To]
	out := tools.ScratchName(s.n, fmt.Sprintf("r%05d", page))
	problem, err := r.Tool(ctx, s.path, tools.ToolFailed, tools.Tesseract(p, drawn+".png", out, made))
	return out + "." + made, problem, errors.Join(err, r.ScratchRemove(drawn+".png"))
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
