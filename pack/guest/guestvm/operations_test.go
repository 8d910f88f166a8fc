//go:build vm && linux

package guestvm

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

var update = flag.Bool("update", false, "write what operations make into testdata")

// made is what an operation made, as it is kept in testdata: the same inputs
// give the same bytes with the programs of the same lock.
type made struct {
	Out  map[string]string `json:"out,omitempty"`  // SHA-256 by name
	Info []any             `json:"info,omitempty"` // of operations that only report

	programs map[string]string // that did it, with their versions
}

// operation is a call whose result is kept. Its name is that of the operation,
// with a word behind a space for a further one.
type operation struct {
	name   string
	in     []string
	out    string
	params map[string]any
	random bool // the bytes are others each time
	info   bool // what it reports is kept, too
	once   bool // it is not run again: another row of the operation is
	long   bool // it takes minutes in slow mode: only with PIWORK_TEST_OPERATIONS=all
}

const letter = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="120"><rect width="400" height="120" fill="white"/><text x="20" y="70" font-family="DejaVu Sans" font-size="40">Invoice 4711</text></svg>`

// A bill as a picture, as a page, as a document and as RTF.
const (
	billSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="700" height="400"><rect width="700" height="400" fill="white"/><g font-family="DejaVu Sans" font-size="30">` +
		`<text x="20" y="60">Corner Books Ltd</text><text x="20" y="120">Invoice No: 5567</text><text x="20" y="180">Date: 2024-04-03</text>` +
		`<text x="20" y="240">VAT 20% 2.00</text><text x="20" y="300">Total GBP 12.00</text></g></svg>`
	billHTML = `<html><body><h1>Muster GmbH</h1><p>Rechnungsnummer: R-7<p>Rechnungsdatum 05.02.2024<table><tr><td>19% MwSt<td>1,90<tr><td>Gesamtbetrag<td>11,90 &euro;</table></body></html>`
	billDOCX = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Köln &amp; Söhne</w:t></w:r></w:p></w:body></w:document>`
	billRTF  = `{\rtf1\ansi\ansicpg1252 K\'f6ln \u8364? 5\par}`
)

const plist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>b</key><integer>1</integer><key>a</key><array><string>ü</string><true/></array></dict></plist>
`

var pictures = []string{"a.heic", "a.avif", "progressive.jpg", "deep.png", "lossy.webp", "anim.gif", "a.bmp", "lzw.tiff", "letter.svg"}

// golden is what operations made, as another machine wrote it.
const golden = "testdata/operations.json"

// operations are in an order in which one can use what another made.
var operations = slices.Concat(commonOperations, formatOperations)

// commonOperations are at least one row of each operation.
var commonOperations = []operation{
	{name: "image.info", in: append([]string{"/work/out/image.pdf"}, pictures...)},
	{name: "image.convert png", in: pictures, out: "png", params: map[string]any{"format": "png"}},
	{name: "image.convert jpeg", in: []string{"a.heic", "alpha.webp", "letter.svg"}, out: "jpeg", params: map[string]any{"format": "jpeg"}, once: true},
	{name: "image.convert webp", in: []string{"a.heic", "deep.png"}, out: "webp", params: map[string]any{"format": "webp", "quality": 60}, once: true},
	{name: "image.convert tiff", in: []string{"/work/out/image.pdf"}, out: "page.tif", params: map[string]any{"format": "tiff", "dpi": 72}},
	{name: "image.convert gif", in: []string{"deep.png"}, out: "deep.gif", params: map[string]any{"format": "gif"}, once: true},
	{name: "image.resize", in: []string{"a.heic", "lzw.tiff", "letter.svg"}, out: "small", params: map[string]any{"width": 50}},
	{name: "image.resize cover", in: []string{"progressive.jpg"}, out: "cover.jpg", params: map[string]any{"width": 20, "height": 20, "fit": "cover"}},
	{name: "pdf.info", in: []string{"/work/out/image.pdf"}},
	{name: "pdf.merge", in: []string{"/work/out/image.pdf", "/work/out/image.pdf"}, out: "merged.pdf"},
	{name: "pdf.split", in: []string{"/work/out/merged.pdf"}, out: "split", params: map[string]any{"every": 7}},
	{name: "pdf.split ranges", in: []string{"/work/out/merged.pdf"}, out: "ranges", params: map[string]any{"ranges": []string{"2-3", "1,z"}}, once: true},
	{name: "pdf.rotate", in: []string{"/work/out/image.pdf"}, out: "turned.pdf", params: map[string]any{"angle": 270, "pages": "1"}},
	{name: "pdf.compress", in: []string{"/work/out/merged.pdf"}, out: "compressed.pdf", params: map[string]any{"quality": "screen"}},
	{name: "pdf.images", in: []string{"/work/out/image.pdf"}, out: "images"},
	{name: "pdf.images pages", in: []string{"/work/out/turned.pdf"}, out: "pages", params: map[string]any{"from": "pages", "dpi": 40, "format": "png"}, once: true},
	{name: "pdf.ocr", in: []string{"letter.svg"}, out: "read.pdf", params: map[string]any{"language": "eng", "dpi": 200}},
	{name: "pdf.ocr text", in: []string{"letter.svg"}, out: "read.txt", params: map[string]any{"to": "text", "language": "eng", "dpi": 200}, once: true},
	{name: "pdf.text", in: []string{"/work/out/read.pdf"}, out: "text.txt"},
	{name: "pdf.protect", in: []string{"/work/out/image.pdf"}, out: "locked.pdf", params: map[string]any{"password": "-p @ü"}, random: true},
	{name: "pdf.unlock", in: []string{"/work/out/locked.pdf"}, out: "unlocked.pdf", params: map[string]any{"password": "-p @ü"}, random: true},
	{name: "archive.create", in: []string{"tidy", "table.csv"}, out: "all.zip"},
	{name: "archive.create tar.zst", in: []string{"tidy"}, out: "all.tar.zst", params: map[string]any{"format": "tar.zst"}},
	{name: "archive.list", in: []string{"/work/out/all.zip", "/work/out/all.tar.zst", "other.7z", "other.tar.xz"}},
	{name: "archive.info", in: []string{"/work/out/all.zip", "other.7z", "other.tar.xz"}},
	{name: "archive.extract", in: []string{"/work/out/all.tar.zst"}, out: "extracted"},
	{name: "archive.extract 7z", in: []string{"other.7z"}, out: "seven"},
	{name: "table.read", in: []string{"table.csv"}},
	{name: "table.convert xlsx", in: []string{"table.csv"}, out: "table.xlsx", params: map[string]any{"to": "xlsx"}},
	{name: "table.convert json", in: []string{"/work/out/table.xlsx"}, out: "table.json", params: map[string]any{"to": "json"}},
	{name: "table.clean", in: []string{"table.csv"}, out: "clean.csv", params: map[string]any{"to": "csv"}},
	{name: "table.merge", in: []string{"table.csv", "/work/out/table.json"}, out: "merged.csv", params: map[string]any{"to": "csv", "source": "file"}},
	{name: "table.receipts", in: []string{"bill.svg", "bill.html"}, out: "receipts.csv", params: map[string]any{"to": "csv", "ocr": "eng", "dpi": 200}, info: true},
	{name: "text.extract", in: []string{"bill.html", "bill.docx", "bill.rtf", "table.csv", "/work/out/read.pdf", "letter.svg"}, out: "words", params: map[string]any{"ocr": "eng", "dpi": 200}, info: true},
	{name: "file.report", in: []string{"tidy"}, out: "report.html", info: true},
	{name: "file.report csv", in: []string{"tidy"}, out: "report.csv", params: map[string]any{"to": "csv", "language": "de", "top": 2}},
	{name: "file.hash", in: []string{"tidy"}, params: map[string]any{"recursive": true}},
	{name: "file.duplicates", in: []string{"tidy"}, params: map[string]any{"similar": true}},
	{name: "file.organize", in: []string{"tidy"}, params: map[string]any{"by": "taken-month"}},
	{name: "file.rename", in: []string{"tidy"}, params: map[string]any{"pattern": "{taken} {n}{ext}"}},
	{name: "file.cleanup", in: []string{"tidy"}, params: map[string]any{"now": "2026-01-01T00:00:00Z"}},
	{name: "metadata.write", in: []string{"progressive.jpg", "/work/out/image.pdf"}, out: "tagged", params: map[string]any{"title": "Tür -x", "author": "A", "keywords": []string{"a", "b"}}},
	{name: "metadata.read", in: []string{"/work/out/tagged/progressive.jpg", "/work/out/tagged/image.pdf", "a.heic"}},
	{name: "metadata.strip", in: []string{"/work/out/tagged/progressive.jpg"}, out: "bare.jpg"},
	{name: "plist.validate", in: []string{"a.plist"}},
	{name: "plist.convert", in: []string{"a.plist"}, out: "a.bplist", params: map[string]any{"to": "binary"}},
	{name: "plist.convert json", in: []string{"/work/out/a.bplist"}, out: "a.json", params: map[string]any{"to": "json"}},
}

// everyProgram are the rows of an ordinary run: one for each program that operations use,
// and what these rows work on.
var everyProgram = []string{
	"image.convert jpeg", "image.resize", "pdf.merge", "pdf.compress", "pdf.images", "pdf.ocr text", "archive.extract 7z", "table.convert xlsx",
	"metadata.write", "plist.convert",
}

// TestOperations runs every operation of the base on real files, and compares what
// it made with testdata, which another machine made. Then it moves and removes.
func TestOperations(t *testing.T) {
	m := bootOperations(t, Options{})
	inputs(m)
	tool(m, wire.ToolParams{Op: "image.convert", In: []string{"/work/in/a.heic", "/work/in/letter.svg"}, Out: "/work/out/image.pdf", Params: map[string]any{"format": "pdf"}})
	if tier.All || *update { // no other rows have them
		scanSlips(m)
	}
	var want map[string]made // nil until -update wrote it
	got, used, played := map[string]made{}, map[string]string{}, 0
	if b, err := os.ReadFile(golden); err == nil {
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
	}
	for _, op := range operations {
		if op.long && !*update && !allOperations() {
			continue
		}
		if !tier.All && !*update && !slices.Contains(everyProgram, op.name) {
			continue
		}
		t.Run(op.name, func(t *testing.T) {
			first := op.run(m, t, "")
			maps.Copy(used, first.programs)
			played++
			if op.random {
				for name := range first.Out {
					first.Out[name] = "random"
				}
			}
			if got[op.name] = first; *update {
				keep(t, got, want)
			}
			if !*update && want != nil && !same(first, want[op.name]) {
				t.Errorf("made %+v\nwant %+v", first, want[op.name])
			}
			if *update && !op.once && !op.random { // what is written down is the same anywhere
				if again := op.run(m, t, "again-"); !same(first, again) {
					t.Errorf("the same inputs gave %+v\nand then %+v", first, again)
				}
			}
		})
	}
	for name, p := range tools.Programs() {
		if p.AddOn == "" && used[name] == "" && played >= len(everyProgram) {
			t.Errorf("no row has %s at work", name)
		}
	}
	t.Run("unlocked", func(t *testing.T) {
		tier.Rest(t, "")
		if r := run(m, "unlocked", "pdftotext /work/out/unlocked.pdf - && qpdf --show-npages /work/out/unlocked.pdf; qpdf --requires-password /work/out/locked.pdf; cat /work/out/text.txt /work/out/read.txt"); !strings.Contains(string(r.Stdout), "\f2\n") || strings.Count(string(r.Stdout), "Invoice 4711") != 3 {
			t.Errorf("%s%s", r.Stdout, r.Stderr)
		}
	})
	t.Run("move", func(t *testing.T) {
		r := tool(m, wire.ToolParams{Op: "file.move", In: []string{"/work/in/tidy/b.txt"}, Params: map[string]any{"to": []string{"/work/in/tidy/Texts/2026/b.txt"}}})
		if len(r.Problems) != 0 || len(r.Info) != 1 {
			t.Errorf("%+v", r)
		}
		r = tool(m, wire.ToolParams{Op: "file.remove", In: []string{"/work/in/tidy/empty", "/work/in/tidy/a.jpg"}})
		if fmt.Sprint(codes(r)) != fmt.Sprint(map[string]string{"a.jpg": tools.InputUnsupported}) {
			t.Errorf("%+v", r)
		}
		if got := run(m, "moved", "cd /work/in/tidy && find . | sort"); string(got.Stdout) != ".\n./Texts\n./Texts/2026\n./Texts/2026/b.txt\n./a copy.jpg\n./a.jpg\n" {
			t.Errorf("%s", got.Stdout)
		}
	})
	t.Run("confined", func(t *testing.T) { confined(t, m) })
	t.Run("hostile", func(t *testing.T) { OfferHostile(t, m, "", pictureOf(t, "progressive.jpg"), allOperations()) })
	if left := run(m, "left", scratchLeft+"; find /work/in /work/out /folders -name '.piwork*' 2>/dev/null"); len(left.Stdout) != 0 {
		t.Errorf("left: %s", left.Stdout)
	}
}

// scratchLeft is a line of sh that says so when the directory of a run stays: programs
// may not look into the one above it, but its count of links has one for each. It is
// removed after the answer.
const scratchLeft = `for i in $(seq 50); do dirs=$(stat -c %h /scratch) && [ "$dirs" = 2 ] && break; sleep 0.1; done; [ "$dirs" = 2 ] || echo "scratch: $dirs"`

// allOperations reports whether what takes minutes in slow mode is played, too: as
// ./scripts/test all does.
func allOperations() bool { return os.Getenv("PIWORK_TEST_OPERATIONS") == "all" }

// keep writes what was made, and of rows that were not played what was kept
// before: -run may choose some.
func keep(t *testing.T, got, before map[string]made) {
	t.Helper()
	all := maps.Clone(got)
	for name, row := range before {
		if _, played := got[name]; !played {
			all[name] = row
		}
	}
	b, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(golden, append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// inputs makes the files of the table, all changed at the same time.
func inputs(m *Machine) {
	m.T.Helper()
	files := formatInputs(m.T)
	for _, name := range slices.Concat(pictures, photographed, []string{"alpha.webp"}) {
		if !strings.HasSuffix(name, ".svg") {
			files[name] = pictureOf(m.T, name)
		}
	}
	for name, text := range map[string]string{
		"letter.svg": letter, "bill.svg": billSVG, "bill.html": billHTML, "bill.rtf": billRTF, "a.plist": plist, "table.csv": " Name ;Sum;\nÄnna;12,50;\n=1+1;-7;\n;;\nÄnna;12,50;\n", "tidy/b.txt": "text",
	} {
		files[name] = []byte(text)
	}
	files["bill.docx"] = zipped(m.T, "word/document.xml", billDOCX)
	put(m, "/work/in/all", tarred(m.T, files)) // at once: each call takes a while in slow mode
	r := run(m, "inputs", `cd /work/in && tar -xf all && rm all && cp progressive.jpg tidy/a.jpg && cp progressive.jpg 'tidy/a copy.jpg' && mkdir -p tidy/empty /work/out &&
		touch -d 2024-05-06T07:08:09Z table.csv && 7z a -bso0 -bsp0 other.7z table.csv && tar -cJf other.tar.xz table.csv && find . -exec touch -d 2024-05-06T07:08:09Z {} +`)
	if r.ExitCode != 0 {
		m.T.Fatalf("%s", r.Stderr)
	}
}

// run carries an operation out and returns what it made.
func (o operation) run(m *Machine, t *testing.T, prefix string) made {
	t.Helper()
	op, _, _ := strings.Cut(o.name, " ")
	p := wire.ToolParams{Op: op, Params: o.params}
	for _, name := range o.in {
		if !strings.HasPrefix(name, "/") {
			name = "/work/in/" + name
		}
		p.In = append(p.In, name)
	}
	if o.out != "" {
		p.Out = "/work/out/" + prefix + o.out
	}
	r := tool(m, p)
	t.Logf("%d ms", r.WallMS)
	if len(r.Problems) != 0 || o.out != "" && len(r.Out) == 0 {
		t.Errorf("problems %v, made %v", r.Problems, r.Out)
	}
	out := made{Out: map[string]string{}, programs: r.Versions}
	for _, f := range r.Out {
		out.Out[strings.TrimPrefix(strings.TrimPrefix(f.Path, "/work/out/"), prefix)] = f.SHA256
	}
	if o.out == "" || o.info {
		b, err := json.Marshal(r.Info)
		if err != nil {
			t.Fatal(err)
		}
		if o.out != "" { // where it is now is not what it is
			b = bytes.ReplaceAll(b, []byte(p.Out), []byte("/work/out/"+o.out))
		}
		if err := json.Unmarshal(b, &out.Info); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// same compares as JSON: what is kept was.
func same(a, b made) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

func pictureOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../tools/picture/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// confined shows what a program can do that a document took over: in the place
// of pdfinfo stands a script that tries.
func confined(t *testing.T, m *Machine) {
	const script = `#!/bin/bash
exec >&2
for f in /work/canary.txt /work/in/letter.svg; do cat "$f" >/dev/null 2>&1 && echo "HARM reads $f"; done
ls /work/in /folders /tmp >/dev/null 2>&1 && echo "HARM lists"
for f in /work/escaped /tmp/escaped /home/piwork/escaped /work/in/letter.svg /dev/shm/escaped; do (echo x >> "$f") 2>/dev/null && echo "HARM writes $f"; done
rm /work/in/letter.svg 2>/dev/null && echo HARM removes
(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -q refused && echo HARM connects
kill -0 $PPID 2>/dev/null && echo HARM signals
echo x > own && cat own >/dev/null && rm own && test -r /usr/bin/qpdf && echo it works
exit 9
`
	put(m, "/work/confined/scratch/pdfinfo", []byte(script))
	put(m, "/work/confined/order.json", []byte(`{"tool":{"id":"c","op":"pdf.info","in":["/work/out/image.pdf"]},"scratch":"/work/confined/scratch"}`))
	r := run(m, "confined", "cd /work/confined && chmod +x scratch/pdfinfo && PATH=$PWD/scratch:$PATH "+order.Program+" < order.json; rm -rf /work/confined")
	out := string(r.Stdout)
	if !strings.Contains(out, "it works") || strings.Contains(out, "HARM") {
		t.Errorf("%s%s", out, r.Stderr)
	}
}
