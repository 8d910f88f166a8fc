package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Files that operations are measured with.
const (
	photo     = "photo.jpg" // about 1 MB
	document  = "document.pdf"
	document2 = "more.pdf"
	scan      = "scan.pdf"
	plist     = "list.plist"
	table     = "table.csv"
	archive   = "archive.zip"
	small     = "small" // a folder of small pictures
)

func smallNames(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%05d.jpg", i)
	}
	return out
}

// toolFiles makes them; the same bytes each time.
func toolFiles(dir string, pictures int) error {
	random := rand.New(rand.NewPCG(1, 2))
	large, err := noise(random, 2400, 1800, 60)
	if err != nil {
		return err
	}
	page, err := noise(random, 600, 800, 60)
	if err != nil {
		return err
	}
	var rows strings.Builder
	rows.WriteString("name,amount,date\n")
	for i := range 2000 {
		fmt.Fprintf(&rows, "customer %d,%d.%02d,2026-01-%02d\n", i, i, i%100, i%28+1)
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for i := range 50 {
		f, err := z.Create(fmt.Sprintf("folder/%d.csv", i))
		if err == nil {
			_, err = f.Write([]byte(rows.String()))
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	files := map[string][]byte{
		photo: large, document: pdfOf(page, 20, true), document2: pdfOf(page, 5, true), scan: pdfOf(page, 1, false),
		table: []byte(rows.String()), archive: packed.Bytes(),
		plist: []byte(`<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>a</key><string>b</string></dict></plist>`),
	}
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	err = errors.Join(err, os.Mkdir(filepath.Join(dir, small), 0o755))
	for _, name := range smallNames(pictures) {
		data, nerr := noise(random, 160, 120, 80)
		err = errors.Join(err, nerr, os.WriteFile(filepath.Join(dir, small, name), data, 0o644))
	}
	return err
}

// noise is a picture that is neither plain nor random, as photos are.
func noise(random *rand.Rand, w, h, quality int) ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			n := random.IntN(60)
			m.SetRGBA(x, y, color.RGBA{uint8(x*180/w + n), uint8(y*180/h + n), uint8((x+y)*90/(w+h) + n), 255})
		}
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, m, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// pdfOf is a PDF of pages with a picture each, and some text.
func pdfOf(picture []byte, pages int, text bool) []byte {
	var out bytes.Buffer
	var at []int
	out.WriteString("%PDF-1.4\n")
	object := func(dict string, stream []byte) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(at))
		if stream != nil {
			fmt.Fprintf(&out, "<< %s /Length %d >>\nstream\n", dict, len(stream))
			out.Write(stream)
			out.WriteString("\nendstream")
		} else {
			fmt.Fprintf(&out, "<< %s >>", dict)
		}
		out.WriteString("\nendobj\n")
	}
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	object("/Type /Catalog /Pages 2 0 R", nil)
	object(fmt.Sprintf("/Type /Pages /Count %d /Kids [%s]", pages, strings.Join(kids, " ")), nil)
	object("/Type /Font /Subtype /Type1 /BaseFont /Helvetica", nil)
	object("/Type /XObject /Subtype /Image /Width 600 /Height 800 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", picture)
	for i := range pages {
		content := "q 450 0 0 600 70 120 cm /P Do Q"
		if text {
			content += fmt.Sprintf(" BT /F 18 Tf 72 740 Td (Page %d of a document) Tj ET", i+1)
		}
		object(fmt.Sprintf("/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> /XObject << /P 4 0 R >> >>", 6+2*i), nil)
		object("", []byte(content))
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return out.Bytes()
}
