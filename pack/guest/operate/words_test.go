package operate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// readers is a bench with programs that read: of a PDF the words behind its
// header, of a page of a scan what stands in seen.
type readers struct {
	*bench
	seen  string
	calls []string
	// pictures is what pdfimages lists.
	pictures string
}

func (b *readers) program(_ context.Context, c job.Command) (tools.Ending, error) {
	b.calls = append(b.calls, c.Argv[0])
	in := func(i int) string {
		data, err := os.ReadFile(filepath.Join(b.scratch, c.Argv[i]))
		if err != nil {
			b.t.Errorf("%q: %v", c.Argv, err)
		}
		return string(data)
	}
	out, text := "", ""
	switch last := len(c.Argv) - 1; c.Argv[0] {
	case "pdftotext":
		if data := in(last - 1); strings.Contains(data, "locked") {
			return tools.Ending{ExitCode: 1, Stderr: "Command Line Error: Incorrect password"}, nil
		} else if _, words, ok := strings.Cut(data, "\n"); ok {
			out, text = c.Argv[last], words+"\f"
		}
	case "pdfinfo":
		out, text = c.Stdout, "Pages: 12\nPage size: 595 x 842 pts\n"
		if slices.Contains(c.Argv, "-f") {
			text = "Pages: 12\nPage    1 size: 595.276 x 841.89 pts (A4)\nPage    2 size: 595.276 x 841.89 pts (A4)\nPage    2 rot:  0\nPage    3 size: 595.276 x 841.89 pts (A4)\n"
		}
	case "pdfimages":
		out, text = c.Stdout, b.pictures
	case "pdftoppm":
		out = c.Argv[last] + ".png"
	case "img2pdf":
		out, text = c.Argv[4], "%PDF-1.7\n"
	case "tesseract":
		out, text = c.Argv[2]+".txt", b.seen
	default:
		b.t.Errorf("%q", c.Argv)
	}
	return tools.Ending{}, os.WriteFile(filepath.Join(b.scratch, out), []byte(text), 0o600)
}

func newReaders(t *testing.T) *readers { return &readers{bench: newBench(t)} }

func (b *readers) read(op string, in []string, out string, params map[string]any) wire.ToolResult {
	b.t.Helper()
	b.calls = nil
	p := wire.ToolParams{ID: "x", Op: op, In: in, Out: out, Params: params}
	r, err := Run(b.t.Context(), job.Order{Tool: p, Scratch: b.scratch}, b.program, func(job.Event) {})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := (&job.Job{Order: job.Order{Scratch: b.scratch}}).Sweep(); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func TestTextExtract(t *testing.T) {
	docx := zipOf(t, packed{name: "word/document.xml", body: `<d><p><t>Ein Brief</t></p></d>`})
	for name, tt := range map[string]struct {
		file string
		data []byte
		set  map[string]any
		want string // "words: text", or the code of a problem
	}{
		"text":                   {"a.txt", []byte("K\xF6ln\r\n"), nil, "written: Köln\n"},
		"no suffix":              {"README", []byte("x"), nil, "written: x\n"},
		"Markdown":               {"a.md", []byte("# Kopf\n"), nil, "written: # Kopf\n"},
		"page":                   {"a.html", []byte("<p>a<script>b</script>"), nil, "written: a\n"},
		"RTF":                    {"a.rtf", []byte(`{\rtf1 a\par}`), nil, "written: a\n"},
		"DOCX":                   {"a.docx", docx, nil, "written: Ein Brief\n"},
		"PDF":                    {"a.pdf", []byte("%PDF-1.7\nEin langer Satz"), nil, "written: Ein langer Satz\n"},
		"scan":                   {"a.pdf", []byte("%PDF-1.7\n 12 "), nil, "read: gesehen\n" + strings.Repeat("\ngesehen\n", 11)},
		"scan that stays unread": {"a.pdf", []byte("%PDF-1.7\n 12 "), map[string]any{"ocr": "off"}, "written:  12 \n"},
		"picture":                {"a.jpg", jpegBytes(t), nil, "read: gesehen\n" + strings.Repeat("\ngesehen\n", 11)},
		"picture, unread":        {"a.jpg", jpegBytes(t), map[string]any{"ocr": "off"}, tools.InputUnsupported},
		"text that names a PDF":  {"a.txt", []byte("see %PDF-1.7"), nil, "written: see %PDF-1.7\n"},
		"locked":                 {"a.pdf", []byte("%PDF-1.7\nlocked"), nil, tools.InputLocked},
		"workbook":               {"a.xlsx", zipOf(t, packed{name: "xl/workbook.xml", body: "<x/>"}), nil, tools.InputUnsupported},
		"old document":           {"a.doc", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), nil, tools.InputUnsupported},
		"not what it says":       {"a.docx", zipOf(t, packed{name: "a.txt", body: "x"}), nil, tools.InputUnsupported},
		"empty":                  {"a.txt", nil, nil, tools.InputBroken},
		"DOCX, cut off":          {"a.docx", docx[:60], nil, tools.InputBroken},
		"RTF, cut off":           {"a.rtf", []byte(`{\rtf1 half`), nil, tools.InputBroken},
		"entity of a file":       {"a.docx", zipOf(t, packed{name: "word/document.xml", body: `<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]><d><p><t>&e;</t></p></d>`}), nil, tools.InputBroken},
		"program":                {"a.bin", []byte("\x7FELF\x00"), nil, tools.InputUnsupported},
		"page without words":     {"a.html", []byte("<p> </p>"), nil, "written: "},
		"folder":                 {".", nil, nil, tools.InputUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			b := newReaders(t)
			b.seen = "gesehen\n\f"
			in := b.dir
			if tt.file != "." {
				in = b.file(tt.file, tt.data)
			}
			out := filepath.Join(t.TempDir(), "out.txt")
			r := b.read("text.extract", []string{in}, out, tt.set)
			got := ""
			if len(r.Problems) > 0 {
				got = r.Problems[0].Code
			} else if info, ok := r.Info[0].(tools.Extracted); ok && len(info.SHA256) == 64 && info.Size == int64(len(tt.data)) && info.Path == in && info.Out == out {
				made, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				got = info.Words + ": " + string(made)
				if (info.Note == "empty") != (strings.TrimSpace(string(made)) == "") {
					t.Errorf("note %q of %q", info.Note, made)
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q (%+v)", got, tt.want, r)
			}
		})
	}
}

// A scan among pages with words is read, and one that a scanner stamped; a title page
// or an empty page is not.
func TestTextExtractOfScansAmongPages(t *testing.T) {
	const (
		head    = "page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio\n------\n"
		scanOf  = "   %d     0 image    2480  3508  gray    1   8  jpeg   no         5  0   300   300  500K 5.9%%\n"
		strips  = "   %[1]d     0 image    2480  1200  gray    1   1  ccitt  no  [inline]   300   300    - -\n   %[1]d     1 stencil    2480  1200  gray    1   1  ccitt  no  [inline]   300   300    - -\n"
		logo    = "   %d     0 image     300   300  rgb     3   8  jpeg   no         5  0   300   300  9.5K  12%%\n"
		unseen  = "   %d     1 smask    2480  3508  gray    1   8  jpeg   no         6  0   300   300  500K 5.9%%\n"
		stamp   = "Scanned by CamScanner"
		written = "Sehr geehrte Damen und Herren, anbei die Unterlagen, um die Sie im Schreiben vom 5. Mai gebeten hatten; mit freundlichen Grüßen"
	)
	on := func(line string, page int) string { return fmt.Sprintf(line, page) }
	for name, tt := range map[string]struct {
		pages    []string
		pictures string
		set      map[string]any
		want     string
	}{
		"a scan after a letter":    {[]string{written, "", ""}, head + on(scanOf, 2) + on(strips, 3), nil, "read: " + written + "\ngesehen, was hier steht\n\ngesehen, was hier steht\n\n"},
		"stamped":                  {[]string{stamp, stamp}, head + on(scanOf, 1) + on(scanOf, 2), nil, "read: gesehen, was hier steht\n\ngesehen, was hier steht\n\n"},
		"an empty page":            {[]string{written, "", written}, "", nil, "written: " + written + "\n\n" + written + "\n"},
		"a title with a logo":      {[]string{"Bericht 2024", written}, head + on(logo, 1) + on(unseen, 1), nil, "written: Bericht 2024\n" + written + "\n"},
		"a picture under words":    {[]string{written, written}, head + on(scanOf, 1), nil, "written: " + written + "\n" + written + "\n"},
		"a scan that stays unread": {[]string{written, ""}, head + on(scanOf, 2), map[string]any{"ocr": "off"}, "written: " + written + "\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newReaders(t)
			b.seen, b.pictures = "gesehen, was hier steht\n\f", tt.pictures
			out := filepath.Join(t.TempDir(), "out.txt")
			in := b.file("a.pdf", []byte("%PDF-1.7\n"+strings.Join(tt.pages, "\f")))
			r := b.read("text.extract", []string{in}, out, tt.set)
			wantProblems(t, r, map[string]string{})
			made, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Info[0].(tools.Extracted).Words + ": " + string(made); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			reads := strings.Count(tt.want, "gesehen")
			if n := strings.Count(fmt.Sprint(b.calls), "tesseract"); n != reads {
				t.Errorf("%d pages were read, want %d: %v", n, reads, b.calls)
			}
		})
	}
}

func TestTableReceipts(t *testing.T) {
	b := newReaders(t)
	b.seen = "=Bazar Ltd\n2024-04-01\nTotal £5.00\n"
	in := []string{
		b.file("Rechnung.pdf", []byte("%PDF-1.7\nMuster GmbH\nRechnungsnummer: R-7\nRechnungsdatum 05.02.2024\n19% MwSt 1,90\nGesamtbetrag 11,90 €\n")),
		b.file("-scan.jpg", jpegBytes(t)), b.file("bad.bin", []byte("\x00\x01")), b.file("brief.txt", []byte("Liebe Anna,\nkomm bald.")),
		b.file("dated.txt", []byte("Liebe Anna,\nam 05.02.2024 komme ich.")),
	}
	out := filepath.Join(b.dir, "r.csv")
	r := b.read("table.receipts", in, out, map[string]any{"to": "csv", "language": "de"})
	wantProblems(t, r, map[string]string{"bad.bin": tools.InputUnsupported, "brief.txt": tools.InputNoReceipt})
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := `Datum,Verkäufer,Gesamt,Steuer,Währung,Nummer,Datei,Sicherheit,Bitte prüfen
2024-02-05,Muster GmbH,11.90,1.90,EUR,R-7,Rechnung.pdf,0.99,
2024-04-01,Bazar Ltd,5.00,,GBP,,'-scan.jpg,0.78,
2024-02-05,Liebe Anna,,,,,dated.txt,0.20,"Gesamt, Währung"
`
	if string(made) != want {
		t.Errorf("got\n%swant\n%s", made, want)
	}
	if n := strings.Count(fmt.Sprint(b.calls), "tesseract"); n != receiptPages {
		t.Errorf("%d pages of a scan were read, want %d", n, receiptPages)
	}
	if info, ok := r.Info[1].(tools.ReceiptInfo); !ok || info.Words != tools.WordsRead || len(info.SHA256) != 64 {
		t.Errorf("%+v", r.Info[1])
	}
	if r := b.read("table.receipts", in[2:3], filepath.Join(b.dir, "none.csv"), map[string]any{"to": "csv"}); len(r.Out) != 0 || len(r.Problems) != 1 {
		t.Errorf("of nothing: %+v", r)
	}
	b.seen = "~~ ,. :\n" // what is read in a photo of a tree
	tree := filepath.Join(b.dir, "tree.csv")
	wantProblems(t, b.read("table.receipts", in[1:2], tree, map[string]any{"to": "csv"}), map[string]string{"-scan.jpg": tools.InputNoReceipt})
	if _, err := os.Lstat(tree); err == nil {
		t.Error("a table of nothing was made")
	}
	for _, to := range []string{"xlsx", "json", "tsv"} {
		if r := b.read("table.receipts", in[:1], filepath.Join(b.dir, "one."+to), map[string]any{"to": to}); len(r.Out) != 1 {
			t.Errorf("%s: %+v", to, r)
		}
	}
}
