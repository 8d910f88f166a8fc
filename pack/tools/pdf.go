package tools

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
	"piwork/vmhost/wire"
)

// Bounds of PDFs.
const (
	maxPDFs    = 1000
	MaxPDFSize = 4 << 30 // bytes of a file
)

var pdfFiles = []string{"pdf"}

var pdfOperations = []Operation{
	{
		Name: "pdf.info", Report: reflect.TypeFor[PDFInfo](), Min: 1, Max: maxPDFs, Out: OutNone, Accepts: pdfFiles, Programs: []string{ToolPoppler},
		params: func() Params { return &PDFUnlock{} },
		work:   work{each: 10 * time.Second, mega: time.Second, most: 5 * time.Minute},
	},
	{
		Name: "pdf.merge", Min: 1, Max: maxPDFs, Out: OutFile, Accepts: pdfFiles, Programs: []string{ToolQPDF},
		params: func() Params { return &PDFMerge{} },
		work:   work{each: 10 * time.Second, mega: time.Second, most: 5 * time.Minute, step: 5 * time.Second},
	},
	{
		Name: "pdf.split", Min: 1, Max: 1, Out: OutFolder, Accepts: pdfFiles, Programs: []string{ToolQPDF, ToolPoppler},
		params: func() Params { return &PDFSplit{} },
		work:   work{each: time.Hour, mega: 10 * time.Second},
	},
	{
		Name: "pdf.rotate", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pdfFiles, Programs: []string{ToolQPDF},
		params: func() Params { return &PDFRotate{} },
		work:   work{each: 30 * time.Second, mega: 2 * time.Second},
	},
	{
		Name: "pdf.compress", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pdfFiles, Programs: []string{ToolGS, ToolQPDF},
		params: func() Params { return &PDFCompress{} },
		work:   work{each: 5 * time.Minute, mega: 20 * time.Second, extra: 1 << 30},
	},
	{
		Name: "pdf.text", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pdfFiles, Programs: []string{ToolPoppler},
		params: func() Params { return &PDFText{} },
		work:   work{each: time.Minute, mega: 5 * time.Second},
	},
	{
		Name: "pdf.ocr", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pictureFiles,
		Programs: []string{ToolOCR, ToolPoppler, ToolQPDF, ToolMagick, ToolImg2PDF, ToolRSVG},
		params:   func() Params { return &PDFOCR{} },
		// A page takes seconds, in an emulated machine minutes; how many there are
		// is not known before.
		work: work{each: 2 * time.Hour, mega: 5 * time.Minute, most: 20 * time.Minute, extra: 4 << 30, memory: memoryPlenty},
	},
	{
		Name: "pdf.images", Min: 1, Max: 1, Out: OutFolder, Accepts: pdfFiles, Programs: []string{ToolPoppler},
		params: func() Params { return &PDFImages{} },
		work:   work{each: time.Hour, mega: time.Minute, most: time.Hour, extra: 4 << 30},
	},
	{
		// Encryption is made of random numbers.
		Name: "pdf.protect", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pdfFiles, Programs: []string{ToolQPDF}, Random: true,
		params: func() Params { return &PDFProtect{} },
		work:   work{each: 30 * time.Second, mega: 2 * time.Second},
	},
	{
		Name: "pdf.unlock", Min: 1, Max: maxPDFs, Out: OutEach, Accepts: pdfFiles, Programs: []string{ToolQPDF},
		params: func() Params { return &PDFUnlockTo{} },
		work:   work{each: 30 * time.Second, mega: 2 * time.Second},
	},
}

// PDFMerge are the parameters of pdf.merge: the pages of all inputs in order
// become one PDF. An input that cannot be used is a problem and the rest is
// merged.
type PDFMerge struct {
	Replace bool `json:"replace" schema:"default=false"`
}

// PDFUnlock are the parameters of pdf.info.
type PDFUnlock struct {
	Password string `json:"password" schema:"maxLength=120,secret=true"`
}

// Check implements Params.
func (p *PDFUnlock) Check() error { return checkPassword(p.Password) }

// PDFInfo is what pdf.info reports of each input.
type PDFInfo struct {
	Path      string  `json:"path"`
	Pages     int     `json:"pages"`
	Width     float64 `json:"width"` // of the first page, in points of 1/72 inch
	Height    float64 `json:"height"`
	Encrypted bool    `json:"encrypted"`
	Title     string  `json:"title,omitempty"`
	Version   string  `json:"version,omitempty"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256"`
}

// PDFSplit are the parameters of pdf.split: parts of so many pages, or one part
// for each of the ranges ("3", "1-5", "7-z": to the end; "r1" is the last).
type PDFSplit struct {
	Every   int      `json:"every" schema:"default=1,min=1,max=100000"` // pages
	Ranges  []string `json:"ranges" schema:"maxItems=1000,maxLength=200"`
	Replace bool     `json:"replace" schema:"default=false"`
}

// Check implements Params.
func (p *PDFSplit) Check() error {
	for _, r := range p.Ranges {
		if !pageRange().MatchString(r) {
			return &wire.InvalidError{Field: "params.ranges", Reason: strconv.Quote(wire.Short(r)) + " is not a range of pages"}
		}
	}
	return nil
}

// PDFRotate are the parameters of pdf.rotate: pages turn clockwise.
type PDFRotate struct {
	Angle int    `json:"angle" schema:"default=90,min=90,max=270"` // 90, 180 or 270
	Pages string `json:"pages" schema:"default=1-z,maxLength=200"`
	Each
}

// Check implements Params.
func (p *PDFRotate) Check() error {
	if p.Angle%90 != 0 {
		return &wire.InvalidError{Field: "params.angle", Reason: "neither 90, 180 nor 270"}
	}
	return checkPages(p.Pages)
}

// PDFCompress are the parameters of pdf.compress. A file that does not become
// smaller stays as it is.
type PDFCompress struct {
	// Quality of the pictures in it: for a screen (72 dpi), for reading (150) or
	// for printing (300).
	Quality string `json:"quality" schema:"default=reading,enum=screen|reading|printing"`
	Each
}

// PDFText are the parameters of pdf.text.
type PDFText struct {
	Layout bool `json:"layout" schema:"default=true"` // lines stay where they are on the page
	Each
}

// PDFOCR are the parameters of pdf.ocr: scans, as PDF or pictures, become PDFs
// that can be searched, or text.
type PDFOCR struct {
	To       string `json:"to" schema:"default=pdf,enum=pdf|text"`
	Language string `json:"language" schema:"default=eng+deu,enum=eng|deu|eng+deu"`
	DPI      int    `json:"dpi" schema:"default=300,min=100,max=600"` // at which pages are looked at
	Force    bool   `json:"force" schema:"default=false"`             // read PDFs again that have words already
	Each
}

// PDFImages are the parameters of pdf.images: the pictures in a PDF as they
// are, or a picture of each page.
type PDFImages struct {
	From    string `json:"from" schema:"default=embedded,enum=embedded|pages"`
	Format  string `json:"format" schema:"default=jpeg,enum=jpeg|png"` // of pages
	DPI     int    `json:"dpi" schema:"default=150,min=30,max=600"`    // of pages
	Replace bool   `json:"replace" schema:"default=false"`
}

// PDFProtect are the parameters of pdf.protect: AES with 256 bits.
type PDFProtect struct {
	Password string `json:"password" schema:"maxLength=120,required=true,secret=true"` // to open it
	Each
}

// Check implements Params.
func (p *PDFProtect) Check() error { return checkPassword(p.Password) }

// PDFUnlockTo are the parameters of pdf.unlock: the result needs no password.
type PDFUnlockTo struct {
	Password string `json:"password" schema:"maxLength=120,required=true,secret=true"`
	Each
}

// Check implements Params.
func (p *PDFUnlockTo) Check() error { return checkPassword(p.Password) }

// checkPassword refuses what would end the line of an argument file.
func checkPassword(s string) error {
	if strings.ContainsAny(s, "\r\n") {
		return &wire.InvalidError{Field: "params.password", Reason: "has a line end"}
	}
	return nil
}

// pageRange is a range as qpdf has it, without its modifiers.
var pageRange = lazyregexp.New(`^(r?[1-9][0-9]{0,6}|z)(-(r?[1-9][0-9]{0,6}|z))?(,(r?[1-9][0-9]{0,6}|z)(-(r?[1-9][0-9]{0,6}|z))?)*$`)

func checkPages(s string) error {
	if !pageRange().MatchString(s) {
		return &wire.InvalidError{Field: "params.pages", Reason: strconv.Quote(wire.Short(s)) + " is not a range of pages"}
	}
	return nil
}

// Exit codes of qpdf (its manual, "Exit Status").
const (
	QPDFWarnings = 3 // it did what it was asked for and found something odd
)

// qpdf begins every call that writes: the same inputs give the same bytes.
func qpdf(more ...string) []string {
	return append([]string{"qpdf", "--deterministic-id", "--object-streams=generate"}, more...)
}

// QPDFMerge joins PDFs. inputs and out are scratch names.
func QPDFMerge(inputs []string, out string) []string {
	return append(append(qpdf("--empty", "--pages"), inputs...), "--", out)
}

// QPDFCheck reads one PDF to its end. in is a scratch name.
func QPDFCheck(in string) []string { return []string{"qpdf", "--check", in} }

// QPDFPages takes a range of pages out of a PDF. in and out are scratch names.
func QPDFPages(in, pages, out string) []string {
	return qpdf("--empty", "--pages", in, pages, "--", out)
}

// QPDFSplit makes a PDF of every so many pages. in is a scratch name, out one in
// which %d stands for the pages, with as many digits as the last has.
func QPDFSplit(p *PDFSplit, in, out string) []string {
	return qpdf("--split-pages="+strconv.Itoa(p.Every), in, out)
}

// QPDFRotate turns pages. in and out are scratch names.
func QPDFRotate(p *PDFRotate, in, out string) []string {
	return qpdf(in, "--rotate=+"+strconv.Itoa(p.Angle)+":"+p.Pages, out)
}

// QPDFRewrite writes a PDF anew, without what is in it and not used. in and out
// are scratch names.
func QPDFRewrite(in, out string) []string { return qpdf(in, out) }

// QPDFNeutral writes a PDF anew without what it says of how and when it was made.
// Its trailer is the last thing in it, as text. in and out are scratch names.
func QPDFNeutral(in, out string) []string {
	return []string{"qpdf", "--static-id", "--object-streams=disable", "--remove-info", "--remove-metadata", in, out}
}

// QPDFOverlay lays the pages of one PDF over those of another. All are scratch
// names.
func QPDFOverlay(in, over, out string) []string {
	return qpdf(in, "--overlay", over, "--", out)
}

// QPDFArguments calls qpdf with what stands in a scratch file, a line for each
// argument, so that a password is in no list of processes.
func QPDFArguments(file string) []string { return []string{"qpdf", "@" + file} }

// QPDFProtect are the arguments that encrypt. in and out are scratch names.
func QPDFProtect(password, in, out string) []string {
	return []string{
		"--object-streams=generate", "--encrypt", "--user-password=" + password, "--owner-password=" + password, "--bits=256", "--", in, out,
	}
}

// QPDFUnlock are the arguments that decrypt. in and out are scratch names.
func QPDFUnlock(password, in, out string) []string {
	return []string{"--deterministic-id", "--object-streams=generate", "--password=" + password, "--decrypt", in, out}
}

// GSCompress writes a PDF with smaller pictures. The same input gives the same
// bytes once qpdf has written it anew. in and out are scratch names.
func GSCompress(p *PDFCompress, in, out string) []string {
	setting := map[string]string{"screen": "/screen", "reading": "/ebook", "printing": "/printer"}[p.Quality]
	return []string{
		"gs", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-dNumRenderingThreads=1", "-sDEVICE=pdfwrite", "-dPDFSETTINGS=" + setting,
		"-dOmitInfoDate=true", "-dOmitID=true", "-dOmitXMP=true", "-dAutoRotatePages=/None", "-dDetectDuplicateImages=true",
		"-sOutputFile=" + out, "-f", in,
	}
}

// PDFToText writes the text of a PDF. in and out are scratch names.
func PDFToText(p *PDFText, in, out string) []string {
	argv := []string{"pdftotext", "-q", "-enc", "UTF-8", "-eol", "unix"}
	if p.Layout {
		argv = append(argv, "-layout")
	}
	return append(argv, in, out)
}

// PDFInfoOf writes what a PDF says of itself to stdout. in is a scratch name.
func PDFInfoOf(in string) []string { return []string{"pdfinfo", "-isodates", "-enc", "UTF-8", in} }

// QPDFPageCount writes how many pages a PDF has to stdout. in is a scratch name.
func QPDFPageCount(in string) []string { return []string{"qpdf", "--show-npages", in} }

// PDFPageSizes writes what PDFInfoOf does, with the size of each page from first to
// last. in is a scratch name.
func PDFPageSizes(in string, first, last int) []string {
	return []string{"pdfinfo", "-enc", "UTF-8", "-f", strconv.Itoa(first), "-l", strconv.Itoa(last), in}
}

// PDFImageList writes a list of the pictures on pages from first to last to stdout. in
// is a scratch name.
func PDFImageList(in string, first, last int) []string {
	return []string{"pdfimages", "-list", "-f", strconv.Itoa(first), "-l", strconv.Itoa(last), in}
}

// PDFPage draws pages from first to last (0 is all), each as out-N.png, or, of
// a single page, as out.png. in is a scratch name, out one without its suffix.
func PDFPage(in, out, format string, dpi, first, last int) []string {
	argv := []string{"pdftoppm", "-q", "-" + format, "-r", strconv.Itoa(dpi)}
	if format == FormatJPEG {
		argv = append(argv, "-jpegopt", "quality=90")
	}
	if first > 0 {
		argv = append(argv, "-f", strconv.Itoa(first), "-l", strconv.Itoa(last))
	}
	if first > 0 && first == last {
		argv = append(argv, "-singlefile")
	}
	return append(argv, in, out)
}

// PDFImagesOf takes the pictures out of a PDF as they are: out-000.jpg and so
// on; what is neither JPEG nor JPEG 2000 becomes PNG. in is a scratch name, out
// one without its suffix.
func PDFImagesOf(in, out string) []string {
	return []string{"pdfimages", "-q", "-j", "-jp2", "-png", in, out}
}

// Tesseract reads a picture. out is a scratch name without its suffix; made is
// pdf (the text only, invisible, on a page of the picture's size) or txt.
func Tesseract(p *PDFOCR, in, out, made string) []string {
	argv := []string{"tesseract", in, out, "-l", p.Language, "--dpi", strconv.Itoa(p.DPI), "--psm", "1"}
	if made == "pdf" {
		argv = append(argv, "-c", "textonly_pdf=1")
	}
	return append(argv, made)
}
