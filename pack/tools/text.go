package tools

import (
	"reflect"
	"time"
)

// MaxTextSize bounds documents, in bytes.
const MaxTextSize = 256 << 20

var textOperations = []Operation{
	{
		Name: "text.convert", Min: 1, Max: 500, Out: OutEach, Accepts: []string{"md", "html", "htm", "rtf", "txt", "docx", "odt", "doc"},
		Programs: []string{ToolPandoc, ToolWeasy, ToolOffice, ToolQPDF},
		params:   func() Params { return &TextConvert{} },
		work:     work{each: 10 * time.Minute, mega: 5 * time.Minute, most: 15 * time.Minute, growth: 20, memory: memoryPlenty},
	},
	{
		Name: "text.extract", Report: reflect.TypeFor[Extracted](), Min: 1, Max: maxPDFs, Out: OutEach, Accepts: wordyFiles, Programs: wordyPrograms,
		params: func() Params { return &TextExtract{} }, work: wordyWork,
	},
}

// What words are taken out of: documents, and pictures and scans by looking at
// them. A page of those takes seconds, in an emulated machine minutes, and how
// many there are is not known before.
var (
	wordyFiles = []string{
		"pdf", "txt", "md", "html", "htm", "rtf", "docx", "odt",
		"jpg", "jpeg", "png", "webp", "tiff", "tif", "gif", "bmp", "heic", "heif", "avif", "svg",
	}
	wordyPrograms = []string{ToolPoppler, ToolOCR, ToolQPDF, ToolMagick, ToolImg2PDF, ToolRSVG}
	wordyWork     = work{each: 2 * time.Hour, mega: 5 * time.Minute, most: 20 * time.Minute, extra: 4 << 30, memory: memoryPlenty}
)

// Reading says how pictures and scans are read.
type Reading struct {
	OCR string `json:"ocr" schema:"default=eng+deu,enum=off|eng|deu|eng+deu"` // languages; off leaves them unread
	DPI int    `json:"dpi" schema:"default=300,min=100,max=600"`              // at which their pages are looked at
}

// TextExtract are the parameters of text.extract: the words of any document as
// plain text in UTF-8. A PDF in which nearly nothing is written is a scan, and so is such a
// page among others when a picture covers it.
type TextExtract struct {
	Layout bool `json:"layout" schema:"default=true"` // lines of a PDF stay where they are on the page
	Reading
	Each
}

// Ways to the words of a document.
const (
	WordsWritten = "written" // they are in it
	WordsRead    = "read"    // they were read from pictures of its pages, or of some of them
)

// NoteEmpty is the note of a document without words.
const NoteEmpty = "empty"

// Extracted is what text.extract reports of each input.
type Extracted struct {
	Path   string `json:"path"`
	Out    string `json:"out"`
	Words  string `json:"words"`          // "written" or "read"
	Note   string `json:"note,omitempty"` // NoteEmpty: there are none
	Size   int64  `json:"size"`           // of the input, in bytes
	SHA256 string `json:"sha256"`         // likewise
}

// TextConvert are the parameters of text.convert. Nothing is fetched that a
// document only names.
type TextConvert struct {
	To string `json:"to" schema:"enum=pdf|html|docx|odt|rtf|txt|md,byName=true"`
	Each
}

// Kinds of documents that text.convert reads, by what is in them or, for plain
// text, by their suffix.
const (
	TextMarkdown = "md"
	TextHTML     = "html"
	TextRTF      = "rtf"
	TextPlain    = "txt"
	TextDOCX     = "docx"
	TextODT      = "odt"
	TextDOC      = "doc"
)

// pandocNames are the formats as pandoc names them.
var pandocNames = map[string]string{
	TextMarkdown: "gfm", TextHTML: "html", TextRTF: "rtf", TextDOCX: "docx", TextODT: "odt", TextPlain: "plain",
}

// PandocFilter is a script that drops what pandoc writes into Markdown for each
// bookmark of a document: empty elements of HTML. PandocFilterName is its scratch
// name.
const (
	PandocFilter     = "function Span(s) if #s.content == 0 then return {} end end\n"
	PandocFilterName = "anchors.lua"
)

// Pandoc converts between formats, without reading any other file (--sandbox);
// for DOCX and ODT it must read its own. A page is called title, since pandoc
// would call it after the scratch file. in and out are scratch names.
func Pandoc(from, to, title, in, out string) []string {
	argv := []string{"pandoc", "--standalone", "--from", pandocNames[from], "--to", pandocNames[to]}
	if to != TextDOCX && to != TextODT {
		argv = append(argv, "--sandbox")
	}
	switch to {
	case TextHTML:
		argv = append(argv, "--embed-resources", "--metadata", "pagetitle="+title)
	case TextMarkdown:
		argv = append(argv, "--lua-filter", PandocFilterName)
	}
	return append(argv, "--output", out, "--", in)
}

// Weasyprint draws HTML as a PDF. What the page names outside of itself is not
// there. in and out are scratch names.
func Weasyprint(in, out string) []string {
	return []string{"weasyprint", "-q", "--encoding", "utf-8", "--", in, out}
}

// Office has LibreOffice convert a document; the result has the name of the
// input with the suffix of the format. in is a scratch name, profile the path of
// a directory for its settings.
func Office(to, in, profile string) []string {
	return []string{
		"soffice", "--headless", "--invisible", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard",
		"-env:UserInstallation=file://" + profile, "--convert-to", to, in,
	}
}
