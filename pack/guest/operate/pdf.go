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
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// maxPrinted bounds what is read of what a program prints, in bytes.
const maxPrinted = 16 << 20

// takePDF copies a PDF into scratch.
func takePDF(ctx context.Context, r *job.Job, n int, path string) (*job.Taken, error) {
	return r.Take(ctx, path, tools.ScratchName(n, "pdf"), tools.MaxPDFSize, aPDF)
}

// aPDF accepts what begins like a PDF.
func aPDF(head []byte) string {
	if !job.IsPDF(head) {
		return "the file is not a PDF"
	}
	return ""
}

// pdfTool is tool for a program that reads a PDF: one that needs a password is
// refused as such.
func pdfTool(ctx context.Context, r *job.Job, path string, argv []string, stdout string) error {
	err := r.ToolTo(ctx, path, tools.InputBroken, argv, stdout)
	if refused := job.Refused(err); refused != nil && refused.Code == tools.InputBroken && locked(refused.Detail) {
		refused.Code = tools.InputLocked
	}
	return err
}

// locked reports the words of qpdf, poppler and Ghostscript for a missing or
// wrong password.
func locked(words string) bool {
	words = strings.ToLower(words)
	return strings.Contains(words, "invalid password") || strings.Contains(words, "incorrect password") || strings.Contains(words, "requires a password")
}

// eachPDF makes one file of every PDF with one call of a program.
func eachPDF(ctx context.Context, r *job.Job, to tools.Each, suffix string, argv func(in, out string) []string) error {
	return r.Each(ctx, to, suffix, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, err := takePDF(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		return &job.Piece{File: out, Suffix: suffix}, pdfTool(ctx, r, path, argv(in.Name, out), "")
	})
}

// pdfRotate is pdf.rotate.
func pdfRotate(ctx context.Context, r *job.Job, p *tools.PDFRotate) error {
	return eachPDF(ctx, r, p.Each, "pdf", func(in, out string) []string { return tools.QPDFRotate(p, in, out) })
}

// pdfText is pdf.text.
func pdfText(ctx context.Context, r *job.Job, p *tools.PDFText) error {
	return eachPDF(ctx, r, p.Each, "txt", func(in, out string) []string { return tools.PDFToText(p, in, out) })
}

// pdfCompress is pdf.compress.
func pdfCompress(ctx context.Context, r *job.Job, p *tools.PDFCompress) error {
	return r.Each(ctx, p.Each, "pdf", func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, err := takePDF(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		small, out := tools.ScratchName(n, "small.pdf"), tools.ScratchName(n, "out.pdf")
		for _, argv := range [][]string{
			tools.QPDFCheck(in.Name), // Ghostscript mends a damaged file without a word, page by page
			tools.GSCompress(p, in.Name, small), tools.QPDFRewrite(small, out),
		} {
			if err := pdfTool(ctx, r, path, argv, ""); err != nil {
				return nil, err
			}
		}
		size, err := r.ScratchSize(out)
		if err == nil && size >= in.Size {
			return &job.Piece{File: in.Name, Suffix: "pdf", Note: tools.NoteKept}, nil
		}
		if err == nil {
			err = allPages(ctx, r, path, in.Name, out)
		}
		return &job.Piece{File: out, Suffix: "pdf"}, err
	})
}

// allPages refuses an input of whose pages some are missing in what was made of it:
// Ghostscript leaves out a page that it cannot read, and ends well.
func allPages(ctx context.Context, r *job.Job, path, in, out string) error {
	var pages [2]int
	for i, name := range []string{in, out} {
		printed := name + ".pages"
		if err := pdfTool(ctx, r, path, tools.QPDFPageCount(name), printed); err != nil {
			return err
		}
		text, err := job.ReadStart(r.Scratch(printed), maxPrinted)
		if err != nil {
			return err
		}
		if pages[i], err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
			return job.Refuse(tools.InputBroken, path, "how many pages it has is not known")
		}
	}
	if pages[1] < pages[0] {
		return job.Refuse(tools.InputBroken, path, fmt.Sprintf("only %d of its %d pages can be read", pages[1], pages[0]))
	}
	return nil
}

// neutral writes a PDF anew so that nothing in it says how and when it was made.
func neutral(ctx context.Context, r *job.Job, path, in, out string) error {
	plain := "plain-" + out
	if err := pdfTool(ctx, r, path, tools.QPDFNeutral(in, plain), ""); err != nil {
		return err
	}
	if err := blankTrailer(r.Scratch(plain)); err != nil {
		return err
	}
	return pdfTool(ctx, r, path, tools.QPDFRewrite(plain, out), "")
}

// identity are the marks in a trailer that differ each time: the id, of which
// qpdf keeps the first half, and LibreOffice's checksum.
var identity = regexp.MustCompile(`/ID \[<([0-9a-f]*)><([0-9a-f]*)>\]|/DocChecksum /([0-9A-F]+)`)

// blankTrailer makes zeros of the marks in the trailer of a PDF as qpdf writes
// it.
func blankTrailer(file string) error {
	f, st, err := job.OpenScratch(file, os.O_RDWR)
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

// withArguments runs qpdf with arguments that no list of processes shows: in a scratch
// file.
func withArguments(ctx context.Context, r *job.Job, path, file string, arguments []string) error {
	if err := r.ScratchWrite(file, []byte(strings.Join(arguments, "\n")+"\n")); err != nil {
		return err
	}
	return pdfTool(ctx, r, path, tools.QPDFArguments(file), "")
}

// eachLocked makes one PDF of every PDF, see [withArguments].
func eachLocked(ctx context.Context, r *job.Job, to tools.Each, arguments func(in, out string) []string) error {
	return r.Each(ctx, to, "pdf", func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, err := takePDF(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out.pdf")
		return &job.Piece{File: out, Suffix: "pdf"}, withArguments(ctx, r, path, tools.ScratchName(n, "args"), arguments(in.Name, out))
	})
}

// pdfProtect is pdf.protect.
func pdfProtect(ctx context.Context, r *job.Job, p *tools.PDFProtect) error {
	return eachLocked(ctx, r, p.Each, func(in, out string) []string { return tools.QPDFProtect(p.Password, in, out) })
}

// pdfUnlock is pdf.unlock.
func pdfUnlock(ctx context.Context, r *job.Job, p *tools.PDFUnlockTo) error {
	return eachLocked(ctx, r, p.Each, func(in, out string) []string { return tools.QPDFUnlock(p.Password, in, out) })
}

// pdfInfo is pdf.info.
func pdfInfo(ctx context.Context, r *job.Job, p *tools.PDFUnlock) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, error) {
		in, err := takePDF(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		if p.Password != "" {
			out := tools.ScratchName(n, "open.pdf")
			if err := withArguments(ctx, r, path, tools.ScratchName(n, "args"), tools.QPDFUnlock(p.Password, in.Name, out)); err != nil {
				return nil, err
			}
			in.Name = out
		}
		info, err := lookAtPDF(ctx, r, in)
		if err != nil {
			return nil, err
		}
		info.Encrypted = info.Encrypted || p.Password != ""
		return info, nil
	})
}

// lookAtPDF asks pdfinfo.
func lookAtPDF(ctx context.Context, r *job.Job, in *job.Taken) (tools.PDFInfo, error) {
	printed := in.Name + ".info"
	if err := pdfTool(ctx, r, in.Path, tools.PDFInfoOf(in.Name), printed); err != nil {
		return tools.PDFInfo{}, err
	}
	f, _, err := job.OpenMade(r.Scratch(printed))
	if err != nil {
		return tools.PDFInfo{}, err
	}
	defer os.Remove(f.Name()) // the same PDF may be looked at again
	defer f.Close()
	info := tools.PDFInfo{Path: in.Path, Size: in.Size, SHA256: in.SHA256}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Pages":
			info.Pages, _ = strconv.Atoi(value) // 0 is what it then has
		case "Title":
			info.Title = job.Bounded(value)
		case "Encrypted":
			info.Encrypted = strings.HasPrefix(value, "yes")
		case "PDF version":
			info.Version = job.Bounded(value)
		case "Page size":
			if _, err := fmt.Sscanf(value, "%g x %g pts", &info.Width, &info.Height); err != nil {
				info.Width, info.Height = 0, 0
			}
		}
	}
	if lines.Err() != nil || info.Pages <= 0 {
		return tools.PDFInfo{}, job.Refuse(tools.InputBroken, in.Path, "it has no pages")
	}
	return info, nil
}

// pdfSplit is pdf.split.
func pdfSplit(ctx context.Context, r *job.Job, p *tools.PDFSplit) error {
	path := r.Order.Tool.In[0]
	return partsOfPDF(ctx, r, p.Replace, func(in *job.Taken, stem string, dir *job.Folder) error {
		if len(p.Ranges) == 0 {
			if err := pdfTool(ctx, r, path, tools.QPDFSplit(p, in.Name, "part-%d.pdf"), ""); err != nil {
				return err
			}
		}
		for n, pages := range p.Ranges {
			out := fmt.Sprintf("part-%06d.pdf", n) // in their order
			if err := pdfTool(ctx, r, path, tools.QPDFPages(in.Name, pages, out), ""); err != nil {
				return err
			}
		}
		names, err := r.ScratchMade("part-")
		if err != nil {
			return err
		}
		for n, name := range names {
			label := strings.TrimSuffix(strings.TrimPrefix(name, "part-"), ".pdf")
			if len(p.Ranges) > 0 {
				label = strings.ReplaceAll(p.Ranges[n], ",", "+")
			}
			if err := r.PlaceIn(ctx, dir, name, job.WithSuffix(stem+" "+label+".x", "pdf")); err != nil {
				return err
			}
		}
		return nil
	})
}

// partsOfPDF is job.IntoFolder on a PDF, with the name that its parts begin with.
func partsOfPDF(ctx context.Context, r *job.Job, replace bool, work func(in *job.Taken, stem string, dir *job.Folder) error) error {
	path := r.Order.Tool.In[0]
	return r.IntoFolder(ctx, replace, func(dir *job.Folder) error {
		in, err := takePDF(ctx, r, 0, path)
		if err != nil {
			return err
		}
		return work(in, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), dir)
	})
}

// pdfImages is pdf.images.
func pdfImages(ctx context.Context, r *job.Job, p *tools.PDFImages) error {
	path := r.Order.Tool.In[0]
	return partsOfPDF(ctx, r, p.Replace, func(in *job.Taken, stem string, dir *job.Folder) error {
		if p.From == "pages" {
			return pagePictures(ctx, r, p, in, dir, stem)
		}
		if err := pdfTool(ctx, r, path, tools.PDFImagesOf(in.Name, "image"), ""); err != nil {
			return err
		}
		names, err := r.ScratchMade("image-")
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := r.PlaceIn(ctx, dir, name, stem+" "+strings.TrimPrefix(name, "image-")); err != nil {
				return err
			}
		}
		if len(names) == 0 {
			return job.Refuse(tools.InputUnsupported, path, "there are no pictures in it")
		}
		return nil
	})
}

// pagePictures draws every page, one at a time.
func pagePictures(ctx context.Context, r *job.Job, p *tools.PDFImages, in *job.Taken, dir *job.Folder, stem string) error {
	info, err := lookAtPDF(ctx, r, in)
	if err != nil {
		return err
	}
	d := drawing{width: info.Width * 96 / 72, height: info.Height * 96 / 72}
	if err := d.tooFine(in.Path, p.DPI); err != nil {
		return err
	}
	digits := len(strconv.Itoa(info.Pages))
	suffix := tools.Suffix(p.Format)
	for n := 1; n <= info.Pages; n++ {
		out := tools.ScratchName(n, "page")
		if err := pdfTool(ctx, r, in.Path, tools.PDFPage(in.Name, out, p.Format, p.DPI, n, n), ""); err != nil {
			return err
		}
		if err := r.PlaceIn(ctx, dir, out+"."+suffix, fmt.Sprintf("%s %0*d.%s", stem, digits, n, suffix)); err != nil {
			return err
		}
	}
	return nil
}
