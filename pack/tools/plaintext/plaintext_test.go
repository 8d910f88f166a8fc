package plaintext

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zip"
)

// packed makes a zip of pairs of names and contents.
func packed(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func docx(t testing.TB, body string) []byte {
	return packed(t, "[Content_Types].xml", "<Types/>", "word/document.xml", `<?xml version="1.0" encoding="UTF-8"?>`+
		`<w:document xmlns:w="w" xmlns:mc="mc"><w:body>`+body+`</w:body></w:document>`)
}

func odt(t testing.TB, body string) []byte {
	return packed(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
		`<?xml version="1.0"?><o:document-content xmlns:o="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:svg="s">`+body+`</o:document-content>`)
}

// read takes the words out of a document of a kind.
func read(kind string, data []byte) (string, error) {
	var b bytes.Buffer
	var err error
	switch kind {
	case "txt":
		err = Text(&b, bytes.NewReader(data))
	case "html":
		err = HTML(&b, bytes.NewReader(data))
	case "rtf":
		err = RTF(&b, bytes.NewReader(data))
	case "docx":
		err = DOCX(&b, bytes.NewReader(data), int64(len(data)))
	case "odt":
		err = ODT(&b, bytes.NewReader(data), int64(len(data)))
	}
	return b.String(), err
}

func TestDocuments(t *testing.T) {
	for name, tt := range map[string]struct {
		kind string
		data []byte
		want string
	}{
		"text":               {"txt", []byte("a\r\nb\rc\n\n  d"), "a\nb\nc\n\n  d\n"},
		"mark":               {"txt", []byte("\xEF\xBB\xBFä\x00\x07b\n"), "äb\n"},
		"UTF-16":             {"txt", []byte("\xFF\xFEK\x00\xF6\x00\n\x00"), "Kö\n"},
		"Windows-1252":       {"txt", []byte("K\xF6ln \x80\x84"), "Köln €„\n"},
		"page":               {"html", []byte("<!DOCTYPE html><html><head><meta charset=utf-8><title>T</title><style>p{}</style><script>if (a<b) x('<p>')</script></head><body><h1>Kopf &amp; Fuß</h1><p>Ein  <b>Satz</b>\n ist <br>zwei.</p><ul><li>eins<li>zwei</ul></body></html>"), "Kopf & Fuß\n\nEin Satz ist\nzwei.\n\n- eins\n- zwei\n"},
		"page, table":        {"html", []byte("<table><tr><td>Summe</td><td>12,00 &euro;</td></tr><tr><td>a<td>b</table>"), "Summe\t12,00 €\na\tb\n"},
		"page, pre":          {"html", []byte("<pre>a  b\n  c</pre>d"), "a  b\n  c\n\nd\n"},
		"page, Latin":        {"html", []byte("<meta charset=iso-8859-1><p>K\xF6ln"), "Köln\n"},
		"page, UTF-8 unsaid": {"html", []byte("<!DOCTYPE html><style>" + strings.Repeat("p { } ", 300) + "</style><p>Köln"), "Köln\n"},
		"page, Latin unsaid": {"html", []byte("<!DOCTYPE html><style>" + strings.Repeat("p { } ", 300) + "</style><p>K\xF6ln"), "Köln\n"},
		"page, Latin said":   {"html", []byte("<meta charset=iso-8859-1><style>" + strings.Repeat("p { } ", 300) + "</style><p>\xC3\xB6"), "Ã¶\n"},
		"page, names":        {"html", []byte(`<img src="file:///etc/passwd"><iframe src="http://127.0.0.1/">x</iframe><object data="file:///etc/passwd"></object>ok`), "ok\n"},
		"page, broken":       {"html", []byte("<p>a<b>b</p></div></div><p"), "ab\n"},
		"RTF": {"rtf", []byte(`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\*\generator X;}{\info{\author A}}` + "\n" +
			`\pard K\'f6ln \u8364? kostet\par {\b fett}\tab x\line y\\\{z\}{\field{\*\fldinst HYPERLINK "file:///etc/passwd"}{\fldrslt hier}}\par{\pict\wmetafile8 00ff}{\deleted weg}\emdash\par}trailing`), "Köln € kostet\nfett\tx\ny\\{z}hier\n—\n"},
		"RTF, data":         {"rtf", []byte("{\\rtf1 a{\\pict\\bin4 }}{{b}"), "ab\n"[:0]},
		"RTF, pairs":        {"rtf", []byte(`{\rtf1\uc1 \u-10179?\u-8704?.}`), "😀.\n"},
		"RTF, no stand-in":  {"rtf", []byte(`{\rtf1\uc0\u228 bc}`), "äbc\n"},
		"RTF, Cyrillic":     {"rtf", []byte(`{\rtf1\ansi\ansicpg1251 \'cf\'f0}`), "Пр\n"},
		"DOCX":              {"docx", docx(t, `<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">Ein </w:t></w:r><w:r><w:t>Satz</w:t><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p><w:p/><w:p><w:del><w:r><w:delText>weg</w:delText></w:r></w:del><w:ins><w:r><w:t>neu &amp; gut</w:t></w:r></w:ins><w:r><w:instrText>INCLUDETEXT</w:instrText></w:r></w:p>`), "Ein Satz\tx\ny\n\nneu & gut\n"},
		"DOCX, table":       {"docx", docx(t, `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Summe</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12</w:t></w:r></w:p><w:p><w:r><w:t>Euro</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>Ende</w:t></w:r></w:p>`), "Summe\t12 Euro\na\nEnde\n"},
		"DOCX, two ways":    {"docx", docx(t, `<w:p><mc:AlternateContent><mc:Choice><w:t>ein</w:t></mc:Choice><mc:Fallback><w:t>ein</w:t></mc:Fallback></mc:AlternateContent></w:p>`), "ein\n"},
		"DOCX, notes":       {"docx", packed(t, "word/document.xml", `<d><p><t>Text</t></p></d>`, "word/footnotes.xml", `<d><p><t>Note</t></p></d>`), "Text\n\nNote\n"},
		"ODT":               {"odt", odt(t, `<text:tracked-changes><text:p>weg</text:p></text:tracked-changes><text:h>Kopf</text:h><text:p>Ein <text:span>Satz</text:span><text:s text:c="2"/>x<text:tab/>y<text:line-break/>z<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Fuß</text:p></text:note-body></text:note></text:p>`), "Kopf\nEin Satz  x\ty\nz [Fuß]\n"},
		"ODT, table":        {"odt", odt(t, `<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`), "a\tb\n"},
		"ODT, many spaces":  {"odt", odt(t, `<text:p>a<text:s text:c="2000000000"/>b</text:p>`), "a" + strings.Repeat(" ", 200) + "b\n"},
		"nothing to read":   {"html", []byte("<script>x</script>"), ""},
		"DOCX, no words":    {"docx", docx(t, ""), ""},
		"page, long spaces": {"html", []byte("a" + strings.Repeat(" \n", 1<<16) + "b"), "a b\n"},
	} {
		got, err := read(tt.kind, tt.data)
		if name == "RTF, data" { // cut off within a group
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
}

// What is made to harm is an error by name, and tells nothing of this computer.
func TestHostileDocuments(t *testing.T) {
	entity := `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY a "aaaa">]>`
	deep := strings.Repeat("<w:p>", maxDepth+10)
	much := strings.Repeat("😀", Max/4) + "a" // a byte more than allowed, of few characters
	for name, tt := range map[string]struct {
		kind string
		data []byte
		want error // nil is any
	}{
		"entity of a file":        {"docx", packed(t, "word/document.xml", entity+`<d><p><t>&e;</t></p></d>`), nil},
		"entity that grows":       {"odt", packed(t, "content.xml", entity+`<d><p>&a;&a;</p></d>`), nil},
		"deep":                    {"docx", docx(t, deep), ErrTooLarge},
		"deep in what is skipped": {"docx", docx(t, "<w:del>"+deep), ErrTooLarge},
		"more words than allowed": {"docx", packed(t, "word/document.xml", "<d><t>"+much+"</t></d>"), ErrTooLarge},
		"no document":             {"docx", packed(t, "xl/workbook.xml", "<x/>"), ErrKind},
		"cut off":                 {"docx", docx(t, "<w:p/>")[:60], nil},
		"XML, cut off":            {"docx", packed(t, "word/document.xml", "<d><p><t>half"), nil},
		"mixed up":                {"docx", packed(t, "word/document.xml", "<d><p></d></p>"), nil},
		"RTF, deep":               {"rtf", []byte("{\\rtf1" + strings.Repeat("{", maxGroups+10)), ErrTooLarge},
		"RTF, cut off":            {"rtf", []byte(`{\rtf1 half`), io.ErrUnexpectedEOF},
		"RTF, half a character":   {"rtf", []byte(`{\rtf1 \'4`), io.ErrUnexpectedEOF},
		"RTF, endless data":       {"rtf", []byte(`{\rtf1{\bin2147483647 x}`), io.ErrUnexpectedEOF},
		"RTF, data before":        {"rtf", []byte(`{\rtf1{\bin-5 x}}`), nil},
		"no RTF":                  {"rtf", []byte("hello"), ErrKind},
		"text beyond the bound":   {"txt", []byte(much), ErrTooLarge},
		"page, one endless tag":   {"html", []byte("<a " + strings.Repeat("x", maxToken+1)), ErrTooLarge},
	} {
		got, err := read(tt.kind, tt.data)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || strings.Contains(got, "root:") {
			t.Errorf("%s: %.60q, %v, want %v", name, got, err, tt.want)
		}
	}
}

func TestBounded(t *testing.T) {
	for left, want := range map[int64]error{3: ErrTooLarge, 4: nil} {
		if _, err := io.Copy(io.Discard, &bounded{strings.NewReader("four"), left}); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add("html", []byte("<p>a<table><td>b<pre>\n&amp;&#x110000;"))
	f.Add("rtf", []byte(`{\rtf1\ansi\ansicpg1252 \'f6\u8364?{\*\x y}\bin3 abc\par}`))
	f.Add("docx", docx(f, "<w:p><w:t>a</w:t></w:p>"))
	f.Add("odt", odt(f, "<text:p>a</text:p>"))
	f.Add("txt", []byte("\xFF\xFEa\x00"))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		got, err := read(kind, data)
		if err == nil && (!utf8.ValidString(got) || got != "" && !strings.HasSuffix(got, "\n") || strings.ContainsAny(got, "\r\x00\x1b")) {
			t.Errorf("%q", got)
		}
	})
}
