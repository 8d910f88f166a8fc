package tools

import "time"

// MaxTextSize bounds documents, in bytes.
const MaxTextSize = 256 << 20

var textOperations = []Operation{
	{
		Name: "text.convert", Min: 1, Max: 500, Out: OutEach, Accepts: []string{"md", "html", "htm", "rtf", "txt", "docx", "odt", "doc"},
		Programs: []string{ToolPandoc, ToolWeasy, ToolOffice, ToolQPDF},
		params:   func() Params { return &TextConvert{} },
		limits:   work{each: 10 * time.Minute, mega: 5 * time.Minute, most: 15 * time.Minute, growth: 20}.limits(),
	},
}

// TextConvert are the parameters of text.convert. Nothing is fetched that a
// document only names.
type TextConvert struct {
	To string `json:"to" schema:"enum=pdf|html|docx|odt|rtf|txt|md"`
	Each
}

// Check implements Params.
func (*TextConvert) Check() error { return nil }

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

// Pandoc converts between formats, without reading any other file (--sandbox);
// for DOCX and ODT it must read its own. in and out are scratch names.
func Pandoc(from, to, in, out string) []string {
	argv := []string{"pandoc", "--standalone", "--metadata", "pagetitle=", "--from", pandocNames[from], "--to", pandocNames[to]}
	if to != TextDOCX && to != TextODT {
		argv = append(argv, "--sandbox")
	}
	if to == TextHTML {
		argv = append(argv, "--embed-resources")
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
