package operate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// maxPrinted bounds what is read of what a program prints, in bytes.
const maxPrinted = 16 << 20

// takePDF copies a PDF into scratch.
func (r *run) takePDF(ctx context.Context, n int, path string) (*taken, *wire.ToolProblem, error) {
	return r.take(ctx, path, tools.ScratchName(n, "pdf"), tools.MaxPDFSize, isPDF)
}

// pdfTool is tool for a program that reads a PDF: one that needs a password is
// a problem of its own.
func (r *run) pdfTool(ctx context.Context, path string, argv []string, stdout string) (*wire.ToolProblem, error) {
	problem, err := r.toolTo(ctx, path, tools.InputBroken, argv, stdout)
	if problem != nil && problem.Code == tools.InputBroken && locked(problem.Detail) {
		problem.Code = tools.InputLocked
	}
	return problem, err
}

// locked reports the words of qpdf, poppler and Ghostscript for a missing or
// wrong password.
func locked(words string) bool {
	words = strings.ToLower(words)
	return strings.Contains(words, "invalid password") || strings.Contains(words, "incorrect password") || strings.Contains(words, "requires a password")
}

// eachPDF makes one file of every PDF with one call of a program.
func (r *run) eachPDF(ctx context.Context, to tools.Each, suffix string, argv func(in, out string) []string) error {
	return r.each(ctx, to, suffix, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		in, problem, err := r.takePDF(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		problem, err = r.pdfTool(ctx, path, argv(in.name, out), "")
		return &piece{file: out, suffix: suffix}, problem, err
	})
}

// pdfRotate is pdf.rotate.
func (r *run) pdfRotate(ctx context.Context, p *tools.PDFRotate) error {
	return r.eachPDF(ctx, p.Each, "pdf", func(in, out string) []string { return tools.QPDFRotate(p, in, out) })
}

// pdfText is pdf.text.
func (r *run) pdfText(ctx context.Context, p *tools.PDFText) error {
	return r.eachPDF(ctx, p.Each, "txt", func(in, out string) []string { return tools.PDFToText(p, in, out) })
}

// pdfCompress is pdf.compress.
func (r *run) pdfCompress(ctx context.Context, p *tools.PDFCompress) error {
	return r.each(ctx, p.Each, "pdf", func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		in, problem, err := r.takePDF(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		// Ghostscript mends a damaged file without a word, page by page.
		if problem, err = r.pdfTool(ctx, path, tools.QPDFCheck(in.name), ""); err != nil || problem != nil {
			return nil, problem, err
		}
		small, out := tools.ScratchName(n, "small.pdf"), tools.ScratchName(n, "out.pdf")
		if problem, err = r.pdfTool(ctx, path, tools.GSCompress(p, in.name, small), ""); err != nil || problem != nil {
			return nil, problem, err
		}
		if problem, err = r.pdfTool(ctx, path, tools.QPDFRewrite(small, out), ""); err != nil || problem != nil {
			return nil, problem, err
		}
		size, err := r.scratchSize(out)
		if err != nil {
			return nil, nil, err
		}
		if size >= in.size {
			return &piece{file: in.name, suffix: "pdf", note: "kept"}, nil, nil
		}
		return &piece{file: out, suffix: "pdf"}, nil, nil
	})
}

// neutral writes a PDF anew so that nothing in it says how and when it was made.
func (r *run) neutral(ctx context.Context, path, in, out string) (*wire.ToolProblem, error) {
	plain := "plain-" + out
	if problem, err := r.pdfTool(ctx, path, tools.QPDFNeutral(in, plain), ""); err != nil || problem != nil {
		return problem, err
	}
	if err := blankTrailer(r.scratch(plain)); err != nil {
		return nil, err
	}
	return r.pdfTool(ctx, path, tools.QPDFRewrite(plain, out), "")
}

// identity are the marks in a trailer that differ each time: the id, of which
// qpdf keeps the first half, and LibreOffice's checksum.
var identity = regexp.MustCompile(`/ID \[<([0-9a-f]*)><([0-9a-f]*)>\]|/DocChecksum /([0-9A-F]+)`)

// blankTrailer makes zeros of the marks in the trailer of a PDF as qpdf writes
// it.
func blankTrailer(file string) error {
	f, st, err := openScratch(file, os.O_RDWR)
	if err != nil {
		return err
	}
	const most = 16 << 10 // bytes, far more than a trailer has
	start := max(0, st.Size()-most)
	end := make([]byte, st.Size()-start)
	if _, err = f.ReadAt(end, start); err == nil {
		if at := bytes.LastIndex(end, []byte("\ntrailer ")); at >= 0 {
			for _, m := range identity.FindAllSubmatchIndex(end[at:], -1) {
				for i := 2; i < len(m); i += 2 {
					for k := m[i]; m[i] >= 0 && k < m[i+1]; k++ {
						end[at+k] = '0'
					}
				}
			}
			_, err = f.WriteAt(end, start)
		}
	}
	return errors.Join(err, f.Close())
}

// arguments writes the arguments of qpdf into a scratch file.
func (r *run) arguments(name string, argv []string) error {
	return r.scratchWrite(name, []byte(strings.Join(argv, "\n")+"\n"))
}

// eachLocked makes one PDF of every PDF with arguments that no list of
// processes shows.
func (r *run) eachLocked(ctx context.Context, to tools.Each, arguments func(in, out string) []string) error {
	return r.each(ctx, to, "pdf", func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		in, problem, err := r.takePDF(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out, file := tools.ScratchName(n, "out.pdf"), tools.ScratchName(n, "args")
		if err := r.arguments(file, arguments(in.name, out)); err != nil {
			return nil, nil, err
		}
		problem, err = r.pdfTool(ctx, path, tools.QPDFArguments(file), "")
		return &piece{file: out, suffix: "pdf"}, problem, err
	})
}

// pdfProtect is pdf.protect.
func (r *run) pdfProtect(ctx context.Context, p *tools.PDFProtect) error {
	return r.eachLocked(ctx, p.Each, func(in, out string) []string { return tools.QPDFProtect(p.Password, in, out) })
}

// pdfUnlock is pdf.unlock.
func (r *run) pdfUnlock(ctx context.Context, p *tools.PDFUnlockTo) error {
	return r.eachLocked(ctx, p.Each, func(in, out string) []string { return tools.QPDFUnlock(p.Password, in, out) })
}

// pdfInfo is pdf.info.
func (r *run) pdfInfo(ctx context.Context, p *tools.PDFUnlock) error {
	return r.eachInput(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		in, problem, err := r.takePDF(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		if p.Password != "" {
			out, file := tools.ScratchName(n, "open.pdf"), tools.ScratchName(n, "args")
			if err := r.arguments(file, tools.QPDFUnlock(p.Password, in.name, out)); err != nil {
				return nil, nil, err
			}
			if problem, err = r.pdfTool(ctx, path, tools.QPDFArguments(file), ""); err != nil || problem != nil {
				return nil, problem, err
			}
			in.name = out
		}
		info, problem, err := r.lookAtPDF(ctx, in)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		info.Encrypted = info.Encrypted || p.Password != ""
		return info, nil, nil
	})
}

// eachInput reports something of every input.
func (r *run) eachInput(ctx context.Context, look func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error)) error {
	in := r.order.Tool.In
	for n, path := range in {
		v, problem, err := look(ctx, n, path)
		if err = errors.Join(err, r.sweep()); err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else {
			r.report(v)
		}
		r.done(n+1, path)
		if r.full() && n+1 < len(in) {
			r.problem(tools.Problem(tools.MoreResults, path, ""))
			return nil
		}
	}
	return nil
}

// lookAtPDF asks pdfinfo.
func (r *run) lookAtPDF(ctx context.Context, in *taken) (tools.PDFInfo, *wire.ToolProblem, error) {
	printed := in.name + ".info"
	problem, err := r.pdfTool(ctx, in.path, tools.PDFInfoOf(in.name), printed)
	if err != nil || problem != nil {
		return tools.PDFInfo{}, problem, err
	}
	f, _, err := openMade(r.scratch(printed))
	if err != nil {
		return tools.PDFInfo{}, nil, err
	}
	defer os.Remove(f.Name()) // the same PDF may be looked at again
	defer f.Close()
	info := tools.PDFInfo{Path: in.path, Size: in.size, SHA256: in.sha256}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Pages":
			info.Pages, _ = strconv.Atoi(value) // 0 is what it then has
		case "Title":
			info.Title = bounded(value)
		case "Encrypted":
			info.Encrypted = strings.HasPrefix(value, "yes")
		case "PDF version":
			info.Version = bounded(value)
		case "Page size":
			if _, err := fmt.Sscanf(value, "%g x %g pts", &info.Width, &info.Height); err != nil {
				info.Width, info.Height = 0, 0
			}
		}
	}
	if lines.Err() != nil || info.Pages <= 0 {
		p := tools.Problem(tools.InputBroken, in.path, "it has no pages")
		return tools.PDFInfo{}, &p, nil
	}
	return info, nil, nil
}

// pdfSplit is pdf.split.
func (r *run) pdfSplit(ctx context.Context, p *tools.PDFSplit) error {
	path := r.order.Tool.In[0]
	return r.partsOfPDF(ctx, p.Replace, func(in *taken, stem string, dir *folder) (*wire.ToolProblem, error) {
		if len(p.Ranges) == 0 {
			if problem, err := r.pdfTool(ctx, path, tools.QPDFSplit(p, in.name, "part-%d.pdf"), ""); err != nil || problem != nil {
				return problem, err
			}
		}
		for n, pages := range p.Ranges {
			out := fmt.Sprintf("part-%06d.pdf", n) // in their order
			if problem, err := r.pdfTool(ctx, path, tools.QPDFPages(in.name, pages, out), ""); err != nil || problem != nil {
				return problem, err
			}
		}
		names, err := r.made("part-")
		if err != nil {
			return nil, err
		}
		for n, name := range names {
			label := strings.TrimSuffix(strings.TrimPrefix(name, "part-"), ".pdf")
			if len(p.Ranges) > 0 {
				label = strings.ReplaceAll(p.Ranges[n], ",", "+")
			}
			if err := r.placeIn(ctx, dir, name, withSuffix(stem+" "+label+".x", "pdf")); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
}

// partsOfPDF is intoFolder on a PDF, with the name that its parts begin with.
func (r *run) partsOfPDF(ctx context.Context, replace bool, work func(in *taken, stem string, dir *folder) (*wire.ToolProblem, error)) error {
	path := r.order.Tool.In[0]
	return r.intoFolder(ctx, replace, func(dir *folder) (*wire.ToolProblem, error) {
		in, problem, err := r.takePDF(ctx, 0, path)
		if err != nil || problem != nil {
			return problem, err
		}
		return work(in, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), dir)
	})
}

// intoFolder carries out an operation with OutFolder on one input.
func (r *run) intoFolder(_ context.Context, replace bool, work func(dir *folder) (*wire.ToolProblem, error)) error {
	dir, err := r.openWhole(replace)
	if err != nil {
		return err
	}
	problem, err := work(dir)
	if problem != nil {
		r.problem(*problem)
	} else if err == nil {
		r.done(1, r.order.Tool.In[0])
	}
	return dir.end(err)
}

// placeIn places a scratch file in the folder of results, under a name that
// becomes unique, and removes it from scratch.
func (r *run) placeIn(ctx context.Context, dir *folder, file, name string) error {
	if r.full() {
		return &codeError{tools.ToolFailed, errors.New("more results than an answer has room for")}
	}
	f, err := dir.at(dir.unique(name)).place(ctx, r.scratch(file))
	if err != nil {
		return err
	}
	r.hasMade(f)
	return r.scratchRemove(file)
}

// pdfImages is pdf.images.
func (r *run) pdfImages(ctx context.Context, p *tools.PDFImages) error {
	path := r.order.Tool.In[0]
	return r.partsOfPDF(ctx, p.Replace, func(in *taken, stem string, dir *folder) (*wire.ToolProblem, error) {
		if p.From == "pages" {
			return r.pagePictures(ctx, p, in, dir, stem)
		}
		if problem, err := r.pdfTool(ctx, path, tools.PDFImagesOf(in.name, "image"), ""); err != nil || problem != nil {
			return problem, err
		}
		names, err := r.made("image-")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := r.placeIn(ctx, dir, name, stem+" "+strings.TrimPrefix(name, "image-")); err != nil {
				return nil, err
			}
		}
		if len(names) == 0 {
			p := tools.Problem(tools.InputUnsupported, path, "there are no pictures in it")
			return &p, nil
		}
		return nil, nil
	})
}

// pagePictures draws every page, one at a time.
func (r *run) pagePictures(ctx context.Context, p *tools.PDFImages, in *taken, dir *folder, stem string) (*wire.ToolProblem, error) {
	info, problem, err := r.lookAtPDF(ctx, in)
	if err != nil || problem != nil {
		return problem, err
	}
	d := drawing{width: info.Width * 96 / 72, height: info.Height * 96 / 72}
	if problem := d.tooFine(in.path, p.DPI); problem != nil {
		return problem, nil
	}
	digits := len(strconv.Itoa(info.Pages))
	suffix := tools.Suffix(p.Format)
	for n := 1; n <= info.Pages; n++ {
		out := tools.ScratchName(n, "page")
		if problem, err := r.pdfTool(ctx, in.path, tools.PDFPage(in.name, out, p.Format, p.DPI, n, n), ""); err != nil || problem != nil {
			return problem, err
		}
		if err := r.placeIn(ctx, dir, out+"."+suffix, fmt.Sprintf("%s %0*d.%s", stem, digits, n, suffix)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// made lists what a program made in scratch, by name.
func (r *run) made(prefix string) ([]string, error) {
	entries, err := r.scratchNames()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	// "image-1000" comes after "image-999".
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out, nil
}

// bounded keeps a text of a program short and printable.
func bounded(s string) string {
	s = tools.Words(s)
	const most = 300
	for len(s) > most {
		_, n := lastRune(s)
		s = s[:len(s)-n]
	}
	return s
}
