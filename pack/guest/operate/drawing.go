package operate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// Formats that are drawn before they are pictures.
const (
	formatSVG = "svg"
	formatPDF = "pdf"
)

// maxSVG bounds an SVG, in bytes.
const maxSVG = 64 << 20

// drawing is an SVG or PDF in scratch.
type drawing struct {
	*job.Taken
	format        string
	width, height float64 // px of 1/96 inch, 0 when it does not say
	seen          tools.ImageInfo
}

// openDrawing copies an SVG or PDF into scratch; without one in the file it returns
// nil.
func openDrawing(ctx context.Context, r *job.Job, n int, from *job.Source) (*drawing, error) {
	head, err := from.Head()
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	path, d := from.Path, &drawing{}
	var limit int64 = tools.MaxPDFSize
	switch {
	case job.IsPDF(head) && !pictureHead(head):
		d.format = formatPDF
	case isSVG(head):
		d.format, limit = formatSVG, maxSVG
	default:
		return nil, nil
	}
	d.Taken, err = r.Take(ctx, path, tools.ScratchName(n, d.format), limit, nil)
	if err != nil {
		return nil, err
	}
	d.seen = tools.ImageInfo{Path: path, Format: d.format, Orientation: 1, Alpha: d.format == formatSVG, Frames: 1, Size: d.Size, SHA256: d.SHA256}
	if d.format == formatPDF {
		info, err := lookAtPDF(ctx, r, d.Taken)
		if err != nil {
			return nil, err
		}
		d.width, d.height, d.seen.Frames = info.Width*96/72, info.Height*96/72, info.Pages
	} else if d.width, d.height, err = svgSize(r.Scratch(d.Name)); err != nil {
		return nil, job.Refuse(tools.InputBroken, path, err.Error())
	}
	d.seen.Width, d.seen.Height = int(d.width+0.5), int(d.height+0.5)
	return d, nil
}

// pictureHead reports the pictures in which "%PDF-" means nothing.
func pictureHead(head []byte) bool {
	for _, magic := range []string{"\xFF\xD8\xFF", "\x89PNG", "GIF8", "RIFF", "II*\x00", "MM\x00*"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// isSVG reports whether text begins as an SVG does: with its root element after
// what XML allows in front.
func isSVG(head []byte) bool {
	dec := xml.NewDecoder(bytes.NewReader(head))
	dec.Strict, dec.CharsetReader = false, job.SameBytes
	for {
		t, err := dec.RawToken()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case xml.StartElement:
			return t.Name.Local == "svg"
		case xml.CharData:
			if len(bytes.TrimSpace(bytes.TrimPrefix(t, []byte("\xEF\xBB\xBF")))) > 0 {
				return false
			}
		}
	}
}

// svgSize returns the size that an SVG says it has, in px, or 0.
func svgSize(file string) (width, height float64, err error) {
	f, _, err := job.OpenMade(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	dec := xml.NewDecoder(io.LimitReader(f, 1<<20))
	dec.Strict, dec.CharsetReader = false, job.SameBytes
	for {
		t, err := dec.RawToken()
		if err != nil {
			return 0, 0, fmt.Errorf("no root element: %w", err)
		}
		root, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		var box []string
		for _, a := range root.Attr {
			switch a.Name.Local {
			case "width":
				width = length(a.Value)
			case "height":
				height = length(a.Value)
			case "viewBox":
				box = strings.FieldsFunc(a.Value, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
			}
		}
		if len(box) == 4 {
			if width == 0 {
				width = length(box[2])
			}
			if height == 0 {
				height = length(box[3])
			}
		}
		return width, height, nil
	}
}

// length reads a CSS length in px; percentages and what is none are 0.
func length(s string) float64 {
	s = strings.TrimSpace(s)
	unit := strings.TrimLeft(s, "+-.0123456789eE")
	number, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, unit)), 64)
	if err != nil || number <= 0 || number > 1e9 {
		return 0
	}
	switch strings.TrimSpace(unit) {
	case "", "px":
		return number
	case "pt":
		return number * 96 / 72
	case "pc":
		return number * 16
	case "in":
		return number * 96
	case "cm":
		return number * 96 / 2.54
	case "mm":
		return number * 96 / 25.4
	}
	return 0
}

// tooFine reports a drawing that would have more pixels than a picture may.
func (d *drawing) tooFine(path string, dpi int) error {
	scale := float64(dpi) / 96
	return job.TooLarge(path, picture.Info{Width: int(d.width * scale), Height: int(d.height * scale)})
}

// vector makes a drawing a PDF in its place.
func vector(ctx context.Context, r *job.Job, d *drawing) error {
	if d.format == formatPDF {
		return nil
	}
	out := strings.TrimSuffix(d.Name, formatSVG) + "drawn.pdf"
	if err := r.Tool(ctx, d.Path, tools.InputBroken, tools.RSVG(d.Name, out, formatPDF, 96, 0)); err != nil {
		return err
	}
	d.Name = out
	return nil
}

// pixels copies a picture into scratch, and draws what is none: at dpi, or with
// a side, at most so many pixels wide and high.
func pixels(ctx context.Context, r *job.Job, n int, path string, dpi, side int) (*page, error) {
	from, err := job.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	d, err := openDrawing(ctx, r, n, from)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return copyIn(ctx, r, n, from)
	}
	stem := tools.ScratchName(n, "drawn")
	if d.format == formatSVG {
		if err = d.tooFine(path, dpi); err == nil || side > 0 {
			err = r.Tool(ctx, path, tools.InputBroken, tools.RSVG(d.Name, stem+".png", "png", dpi, side))
		}
	} else if err = d.tooFine(path, dpi); err == nil {
		err = r.Tool(ctx, path, tools.InputBroken, tools.PDFPage(d.Name, stem, "png", dpi, 1, 1))
	}
	if err != nil {
		return nil, err
	}
	return &page{
		n: n, path: path, original: stem + ".png", treat: treatment{coder: "png", suffix: "png"},
		info: picture.Info{Format: picture.PNG, Alpha: d.format == formatSVG, Orientation: 1, Frames: 1, Lossless: true}, seen: d.seen,
	}, nil
}
