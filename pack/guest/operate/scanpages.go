package operate

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// A page among others with words is a scan when it has fewer letters than a sentence (a
// stamp has some: "Scanned by CamScanner"), and pictures over much of it. A title page
// or an empty one has few letters too, and no such picture: it is not read, which would
// take seconds.
const (
	leastOfPage = 30
	covered     = 1.0 / 3       // of a page
	areaA4      = 595.0 * 842.0 // square points: a larger page needs no larger picture
	areaInch    = 72.0 * 72.0   // square points of a square inch
)

// readScans reads the scans among the pages of a PDF, of which at most so many are
// looked at (0 is all), and puts what it read in the place of what is written in them.
func readScans(ctx context.Context, r *job.Job, n int, in *job.Taken, text string, reading tools.Reading, most int) (all string, read bool, err error) {
	pages := strings.Split(strings.TrimSuffix(text, "\f"), "\f")
	var few []int // counted from 1
	for i, page := range pages {
		if letterCount(page) < leastOfPage && (most == 0 || i < most) {
			few = append(few, i+1)
		}
	}
	if len(few) == 0 {
		return text, false, nil
	}
	scans, err := scansAmong(ctx, r, n, in, few[0], few[len(few)-1])
	if err != nil {
		return "", false, err
	}
	p := &tools.PDFOCR{To: "text", Language: reading.OCR, DPI: reading.DPI}
	s := &scanned{n: n, path: in.Path, pdf: in.Name}
	for _, page := range few {
		d, is := scans[page]
		if !is || d.tooFine(in.Path, p.DPI) != nil { // the other pages have words
			continue
		}
		name, err := readPage(ctx, r, p, s, page)
		if err != nil {
			return "", false, err
		}
		b, err := job.ReadBounded(r.Scratch(name), maxPrinted)
		if err != nil {
			return "", false, err
		}
		seen := strings.ReplaceAll(string(b), "\f", "")
		if letterCount(seen) < letterCount(pages[page-1]) { // a stamp, over a picture of no words
			continue
		}
		pages[page-1], read = seen, true
	}
	if !read {
		return text, false, nil
	}
	return strings.Join(pages, "\f") + "\f", true, nil
}

// scansAmong are the pages from first to last that pictures cover, with their sizes.
func scansAmong(ctx context.Context, r *job.Job, n int, in *job.Taken, first, last int) (map[int]*drawing, error) {
	list, err := printed(ctx, r, in.Path, tools.PDFImageList(in.Name, first, last), tools.ScratchName(n, "images"))
	if err != nil {
		return nil, err
	}
	pictured := picturedAreas(list)
	if len(pictured) == 0 {
		return nil, nil
	}
	sizes, err := printed(ctx, r, in.Path, tools.PDFPageSizes(in.Name, first, last), tools.ScratchName(n, "sizes"))
	if err != nil {
		return nil, err
	}
	scans := map[int]*drawing{}
	for line := range strings.Lines(sizes) {
		var page int
		var width, height float64
		if _, err := fmt.Sscanf(line, "Page %d size: %g x %g pts", &page, &width, &height); err != nil {
			continue
		}
		if pictured[page] >= covered*min(width*height, areaA4) {
			scans[page] = &drawing{width: width * 96 / 72, height: height * 96 / 72}
		}
	}
	return scans, nil
}

// printed is the beginning of what a program prints, as much as is read of one.
func printed(ctx context.Context, r *job.Job, path string, argv []string, name string) (string, error) {
	if err := pdfTool(ctx, r, path, argv, name); err != nil {
		return "", err
	}
	text, err := job.ReadStart(r.Scratch(name), maxPrinted)
	return text, err
}

// picturedAreas is how much of its pages the pictures of a PDF have, in square points,
// as pdfimages lists them. Columns are counted from the end, where none is empty:
//
//	page num type  width height color comp bpc enc  interp object ID x-ppi y-ppi size ratio
//	   2   1 image  2480   3508 gray     1   8 jpeg no         5  0    300   300 500K  5.9%
func picturedAreas(list string) map[int]float64 {
	areas := map[int]float64{}
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 14 || strings.HasSuffix(f[2], "mask") { // the transparency of the one before
			continue
		}
		var v [5]float64
		var bad error
		for i, field := range []string{f[0], f[3], f[4], f[len(f)-4], f[len(f)-3]} {
			n, err := strconv.ParseFloat(field, 64)
			if v[i] = n; err != nil {
				bad = err
			}
		}
		if bad != nil || v[3] <= 0 || v[4] <= 0 {
			continue
		}
		areas[int(v[0])] += v[1] / v[3] * v[2] / v[4] * areaInch
	}
	return areas
}
