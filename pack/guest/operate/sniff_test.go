package operate

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

func TestKindsByContent(t *testing.T) {
	for in, want := range map[string]bool{
		`<svg/>`: true, `<?xml version="1.0" encoding="ISO-8859-1"?><!-- x --><svg width="1"/>`: true, "\xEF\xBB\xBF<svg>": true,
		`<!DOCTYPE svg PUBLIC "x" "http://127.0.0.1/x"><svg/>`: true, `<html><svg/></html>`: false, "text <svg/>": false, "": false, "\x89PNG": false,
	} {
		if got := isSVG([]byte(in)); got != want {
			t.Errorf("isSVG(%q) = %v", in, got)
		}
	}
	for in, want := range map[string]string{
		"bplist00x": "binary", "<?xml version=\"1.0\"?><plist>": "xml", "<plist>": "xml", `{"a":1}`: "json", "[1]": "json", "{ a = 1; }": "openstep",
		"// x\n{}": "openstep", "<?xml version=\"1.0\"?><html>": "", "hello": "", "\x00\x01": "", "": "",
	} {
		if got := plistFormat([]byte(in)); got != want {
			t.Errorf("plistFormat(%q) = %q, want %q", in, got, want)
		}
	}
	for _, tt := range []struct{ head, path, want string }{
		{"# x", "a.md", tools.TextMarkdown}, {"x", "a.txt", tools.TextPlain}, {"x", "a", tools.TextPlain}, {" <!DOCTYPE html>", "a.txt", tools.TextHTML},
		{"<p>", "a.html", tools.TextHTML}, {`{\rtf1`, "a.doc", tools.TextRTF}, {"\xD0\xCF\x11\xE0", "a.doc", tools.TextDOC}, {"\xD0\xCF\x11\xE0", "a.xls", ""},
		{"PK\x03\x04..word/", "a.zip", tools.TextDOCX}, {"PK\x03\x04..mimetypeapplication/vnd.oasis.opendocument.text", "a", tools.TextODT},
		{"PK\x03\x04", "a.zip", ""}, {"\x00\x01", "a.txt", ""},
		{"\xFF\xFEx\x00", "a.TXT", tools.TextPlain}, {"\xFF\xFEx\x00", "a.bin", ""},
	} {
		if got := textKind([]byte(tt.head), tt.path); got != tt.want {
			t.Errorf("textKind(%q, %s) = %q, want %q", tt.head, tt.path, got, tt.want)
		}
	}
	for in, want := range map[string]string{
		"\xFF\xD8\xFF": "jpg", "\x89PNG\r\n\x1A\n": "png", "GIF89a": "gif", "MM\x00*": "tif", "RIFF....WEBPVP8 ": "webp", "%PDF-1.4": "pdf",
		"\x00\x00\x00\x18ftypheic....": "heic", "\x00\x00\x00\x18ftypisom....": "mp4", "\x00\x00\x00\x18ftypqt  ....": "mov", "hello": "", "MZ": "",
	} {
		if got := writableKind([]byte(in)); got != want {
			t.Errorf("writableKind(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a.JPG": kindPicture, "x.tar.gz": kindArchive, "Setup.EXE": kindInstaller, "none": kindOther, ".bashrc": kindOther, "a.xlsx": kindTable,
	} {
		if got := fileKind(in); got != want {
			t.Errorf("fileKind(%q) = %q, want %q", in, got, want)
		}
	}
	for _, kinds := range folderNames {
		for kind := range suffixes {
			if kinds[kind] == "" {
				t.Errorf("%s has no folder", kind)
			}
		}
	}
}

func TestSVGSize(t *testing.T) {
	for in, want := range map[string][2]float64{
		`<svg width="10" height="20px"/>`: {10, 20}, `<svg width="1in" height="2.54cm"/>`: {96, 96}, `<svg viewBox="0 0 30,40"/>`: {30, 40},
		`<svg width="100%" height="1e3" viewBox="0 0 5 6"/>`: {5, 1000}, `<svg width="-5" height="x"/>`: {0, 0}, `<svg width="1e99"/>`: {0, 0},
	} {
		file := filepath.Join(t.TempDir(), "a.svg")
		if err := os.WriteFile(file, []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
		if w, h, err := svgSize(file); err != nil || [2]float64{w, h} != want {
			t.Errorf("%s: %g × %g, %v", in, w, h, err)
		}
	}
	huge := &drawing{width: 1e8, height: 1e8}
	if p := job.Refused(huge.tooFine("/x", 96)); p == nil || p.Code != tools.InputTooLarge {
		t.Errorf("%v", p)
	}
}

func TestBlankTrailer(t *testing.T) {
	body := "%PDF-1.7\nstream /ID [<aa><bb>] endstream\n"
	file := filepath.Join(t.TempDir(), "a.pdf")
	for trailer, want := range map[string]string{
		"\ntrailer << /ID [<0123><abcd>] /DocChecksum /0AF9 >>": "\ntrailer << /ID [<0000><0000>] /DocChecksum /0000 >>",
		"\ntrailer << /Size 1 >>":                               "\ntrailer << /Size 1 >>",
		"\nnothing":                                             "\nnothing",
	} {
		if err := os.WriteFile(file, []byte(body+trailer), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := blankTrailer(file); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != body+want {
			t.Errorf("%q, %v", b, err)
		}
	}
}
