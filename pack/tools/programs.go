package tools

import (
	"maps"
	"slices"
)

// Tools of the pack by name, as in tools.json.
const (
	ToolMagick   = "imagemagick"
	ToolRSVG     = "rsvg-convert"
	ToolImg2PDF  = "img2pdf"
	ToolQPDF     = "qpdf"
	ToolPoppler  = "pdftotext" // with pdftoppm, pdfimages and pdfinfo
	ToolGS       = "gs"
	ToolOCR      = "tesseract"
	ToolExif     = "exiftool"
	ToolPlist    = "plistutil"
	ToolPandoc   = "pandoc"
	ToolWeasy    = "weasyprint"
	ToolOffice   = "soffice"
	ToolFFmpeg   = "ffmpeg"
	ToolFFprobe  = "ffprobe"
	ToolCsound   = "csound"
	ToolLilyPond = "lilypond"
)

// Program is what is known of a program that operations use.
type Program struct {
	Package string // of Debian, whose version is the program's
	AddOn   string // of the pack that has it; "" is the base
	Licence string // SPDX expression; its text and the offer of its source are in the pack
}

// programs by the name of their tool.
var programs = map[string]Program{
	ToolMagick:   {"imagemagick", "", "ImageMagick"},
	ToolRSVG:     {"librsvg2-bin", "", "LGPL-2.1-or-later"},
	ToolImg2PDF:  {"img2pdf", "", "LGPL-3.0-or-later"},
	ToolQPDF:     {"qpdf", "", "Apache-2.0"},
	ToolPoppler:  {"poppler-utils", "", "GPL-2.0-or-later"},
	ToolGS:       {"ghostscript", "", "AGPL-3.0-or-later"},
	ToolOCR:      {"tesseract-ocr", "", "Apache-2.0"},
	ToolExif:     {"libimage-exiftool-perl", "", "Artistic-1.0-Perl OR GPL-1.0-or-later"},
	ToolPlist:    {"libplist-utils", "", "LGPL-2.1-or-later"},
	ToolPandoc:   {"pandoc", "office", "GPL-2.0-or-later"},
	ToolWeasy:    {"weasyprint", "office", "BSD-3-Clause"},
	ToolOffice:   {"libreoffice-core-nogui", "office", "MPL-2.0"},
	ToolFFmpeg:   {"ffmpeg", "media", "GPL-2.0-or-later"},
	ToolFFprobe:  {"ffmpeg", "media", "GPL-2.0-or-later"},
	ToolCsound:   {"csound", "music", "LGPL-2.1-or-later"},
	ToolLilyPond: {"lilypond", "music", "GPL-3.0-or-later"},
}

// Programs returns what is known of all programs, by the name of their tool.
func Programs() map[string]Program { return maps.Clone(programs) }

// Packages are the tools by the package that brings them, one for each.
func Packages() map[string]string {
	out := map[string]string{}
	for name, p := range programs {
		if old, taken := out[p.Package]; !taken || name < old {
			out[p.Package] = name
		}
	}
	return out
}

// AddOns are those of the pack that the operation needs, sorted.
func (o Operation) AddOns() []string {
	return o.each(func(p Program) string { return p.AddOn })
}

// Licences are the terms of the programs that the operation uses, sorted.
func (o Operation) Licences() []string {
	return o.each(func(p Program) string { return p.Licence })
}

// each collects what is not empty of the operation's programs, each once.
func (o Operation) each(f func(Program) string) []string {
	out := []string{}
	for _, name := range o.Programs {
		if s := f(programs[name]); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}
