package tools

import "testing"

func TestFormatOf(t *testing.T) {
	for _, tt := range []struct{ op, name, param, value string }{
		{"image.resize", "x.png", "format", FormatPNG},
		{"image.resize", "a.png.JPG", "format", FormatJPEG},
		{"image.resize", "x.jpeg", "format", FormatJPEG},
		{"image.resize", "x.tif", "format", FormatTIFF},
		{"image.resize", "x.same", "", ""}, // no format, but to keep that of the input
		{"image.resize", "png", "", ""},
		{"image.resize", "x.heic", "", ""},
		{"image.resize", "", "", ""},
		{"image.convert", "x.pdf", "format", FormatPDF},
		{"audio.transcode", "x.flac", "to", "flac"},
		{"csound.perform", "x.FLAC", "to", "flac"},
		{"table.convert", "x.xlsx", "to", "xlsx"},
		{"text.convert", "x.htm", "to", "html"},
		{"archive.create", "x.tar.gz", "format", "tar.gz"},
		{"archive.create", "x.tgz", "format", "tar.gz"},
		{"archive.create", "x.tar", "format", "tar"},
		{"archive.create", "x.gz", "", ""},
		{"plist.convert", "x.json", "to", "json"},
		{"plist.convert", "x.plist", "", ""}, // three of them are called that
		{"pdf.images", "x.png", "", ""},      // makes a folder
	} {
		op, found := Find(tt.op)
		param, value, ok := op.FormatOf(tt.name)
		if !found || param != tt.param || value != tt.value || ok != (tt.param != "") {
			t.Errorf("%s %q: %q %q %v", tt.op, tt.name, param, value, ok)
		}
	}
}
