//go:build vm

package app

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rwcarlsen/goexif/exif"

	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// A chore at scale has as many files, or as many bytes.
const (
	scaleFiles = 200
	scaleBytes = 50_000_000
)

// scaledChore is a chore in a task of its own, over a folder that is not tiny.
type scaledChore struct {
	chore  string
	params map[string]any
	files  func(t *testing.T, dir string)
	made   int // results; of one that moves files 0
	check  func(t *testing.T, s scaledRun)
}

// scaledRun is a task that is over, before it is undone.
type scaledRun struct {
	c             *Controller
	dir           string
	task          task.Task
	before, after map[string]string // as exactly has them
}

// notScaled are chores that TestRealChoresAtScale does not do, with who does.
var notScaled = map[string]string{
	"unpack-archives": "TestRealUnpacking",
	"save-web-page":   "TestRealSavePage",
	"fill-table":      "TestRealFillTable",
	"voice-memo":      "TestAddOns in pack/image carries its operation out: it needs an add-on",
}

// Each chore goes through a task of its own in a machine with at least 200 files or 50
// MB: pictures with the metadata of 47 cameras, documents of four programs. What it
// made is read, and all is undone.
func TestRealChoresAtScale(t *testing.T) {
	var c *Controller
	var source map[string][]byte // documents, made once
	made := func(t *testing.T) map[string][]byte {
		if source == nil {
			source = documentsOf(t, c)
		}
		return source
	}
	photos := func(t *testing.T, dir string) { writeAll(t, dir, cameraPictures(t)) }
	documents := func(t *testing.T, dir string) { writeAll(t, dir, copies(made(t), "", scaleFiles)) }
	locked := func(t *testing.T, dir string) { writeAll(t, dir, copies(made(t), "locked-", scaleFiles)) }
	scans := func(t *testing.T, dir string) {
		writeAll(t, dir, map[string][]byte{"Scan 1.pdf": made(t)["scan.pdf"], "Scan 2.pdf": made(t)["scan.pdf"]})
	}
	rows := []scaledChore{
		{"sort-photos", nil, photos, 0, wasSorted},
		{"strip-metadata", nil, photos, cameraFiles, saysNothing},
		{"convert-pictures", map[string]any{"format": "png"}, photos, cameraFiles, arePNG},
		{"pictures-to-pdf", nil, photos, 1, havePages(cameraFiles)},
		{"merge-pdf", nil, documents, 1, havePages(2 * scaleFiles)},
		{"split-pdf", nil, documents, 2 * scaleFiles, havePages(2 * scaleFiles)},
		{"unlock-pdf", map[string]any{"password": scalePassword}, locked, scaleFiles, havePages(2 * scaleFiles)},
		{"receipts-to-table", nil, documents, 1, hasLines("2024-02-05,Muster GmbH,11.90,1.90,EUR", scaleFiles)},
		{"extract-text", nil, documents, scaleFiles, hasLines("Gesamtbetrag", scaleFiles)},
		{"compress-pdf", nil, scans, 2, func(t *testing.T, s scaledRun) {
			havePages(2)(t, s)
			for _, r := range s.task.Results {
				if r.Size > scaleBytes/10 {
					t.Errorf("%s has still %d bytes", r.Path, r.Size)
				}
			}
		}},
		{"searchable-scans", nil, scans, 4, hasLines("Muster GmbH", 2)},
		{"clean-table", nil, bigTable, 1, func(t *testing.T, s scaledRun) { hasRows(t, s, ';', bigTableRows+1) }},
		{"join-tables", nil, manyTables, 1, func(t *testing.T, s scaledRun) { hasRows(t, s, ',', 1+scaleFiles*10) }},
		{"folder-report", nil, mixedFiles, 1, func(t *testing.T, s scaledRun) {
			if page := resultData(t, s)[0]; !bytes.Contains(page, []byte("Datei 1 ü.PDF")) || !bytes.Contains(page, []byte("-rf 7.txt")) {
				t.Errorf("%.300q", page)
			}
		}},
		{"cleanup-downloads", nil, mixedFiles, 0, moved(scaleFiles * 9 / 10)},
		{"find-duplicates", nil, mixedFiles, 0, moved(scaleFiles / 3)},
		{"rename-files", map[string]any{"pattern": "{date} {n}{ext}"}, mixedFiles, 0, moved(scaleFiles * 8 / 10)},
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.chore)
	}
	everyChore(t, names, notScaled)
	tier.Rest(t, "TestRealChore")

	c = openReal(t, warmOptions(t))
	for _, row := range rows {
		t.Run(row.chore, func(t *testing.T) { row.run(t, c) })
	}
}

// run makes the files, does the chore, looks at what came of it and undoes it.
func (row scaledChore) run(t *testing.T, c *Controller) {
	s := scaledRun{c: c, dir: filepath.Join(t.TempDir(), "Downloads")}
	row.files(t, s.dir)
	files, size := weigh(t, s.dir)
	if files < scaleFiles && size < scaleBytes {
		t.Fatalf("only %d files of %d bytes", files, size)
	}
	s.before = exactly(t, s.dir)
	start := time.Now()
	s.task = scaledTask(t, c, tasks.StartRequest{Kind: task.KindChore, Chore: row.chore, Params: row.params}, s.dir)
	ran := time.Since(start).Round(time.Second)
	if len(s.task.Problems) > 0 || len(s.task.Results) != row.made {
		t.Errorf("%d results, want %d; %d problems, %+v", len(s.task.Results), row.made, len(s.task.Problems), s.task.Problems[:min(3, len(s.task.Problems))])
	}
	s.after = exactly(t, s.dir)
	row.check(t, s)
	start = time.Now()
	rep, err := c.Undo(t.Context(), s.task.ID, history.UndoRequest{})
	if err != nil || len(rep.Conflicts) > 0 {
		t.Fatalf("%d conflicts, %v", len(rep.Conflicts), err)
	}
	if d := differences(s.before, exactly(t, s.dir)); len(d) > 0 {
		t.Errorf("undone, there differs %q", d)
	}
	t.Logf("%d files, %d MB: %v, undone in %v", files, size/1_000_000, ran, time.Since(start).Round(time.Millisecond))
}

// scaledTask is a task that did what it was asked to.
func scaledTask(t *testing.T, c *Controller, r tasks.StartRequest, dir string) task.Task {
	t.Helper()
	r.Accept, r.Folders = true, []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
	began, err := c.StartTask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, began.ID)
	if got.State != task.StateDone {
		t.Fatalf("%s, %+v\n%s", got.State, got.Error, timelineText(t, c, began.ID))
	}
	return got
}

func writeAll(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// weigh counts the files in a folder and their bytes.
func weigh(t *testing.T, dir string) (files int, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, size = files+1, size+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, size
}

// resultData is what is in the files that were made.
func resultData(t *testing.T, s scaledRun) (out [][]byte) {
	t.Helper()
	for _, r := range s.task.Results {
		data, err := os.ReadFile(filepath.Join(s.dir, r.Path))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// Pictures of cameras: each has metadata as its camera wrote it, several times.
const (
	cameras     = 47
	cameraFiles = 5 * cameras
)

// cameraPictures are pictures with the metadata of the samples of goexif, which end
// where their pictures began. Half of them have names as other systems make them.
func cameraPictures(t *testing.T) map[string][]byte {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/rwcarlsen/goexif").Output()
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(module)), "exif", "samples", "*-sep-*.jpg"))
	if err != nil || len(samples) != cameras {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	out := map[string][]byte{}
	for i := range cameraFiles {
		sample, err := os.ReadFile(samples[i%cameras])
		if err != nil {
			t.Fatal(err)
		}
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
		for at := range 64 * 48 {
			img.Set(at%64, at/64, color.RGBA{uint8(i), uint8(at), uint8(at / 64), 255})
		}
		var body bytes.Buffer
		if err := jpeg.Encode(&body, img, nil); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("IMG_%04d.jpg", i)
		if i%2 == 1 {
			name = fmt.Sprintf("Bild %d – Köln.JPG", i)
		}
		out[name] = append(jpegHead(t, sample), body.Bytes()[2:]...)
	}
	return out
}

// jpegHead is the beginning of a JPEG with its metadata: the segments APPn and COM.
func jpegHead(t *testing.T, b []byte) []byte {
	t.Helper()
	at := 2
	for at+4 <= len(b) && b[at] == 0xFF && (b[at+1]&0xF0 == 0xE0 || b[at+1] == 0xFE) {
		next := at + 2 + int(b[at+2])<<8 + int(b[at+3])
		if next > len(b) {
			break
		}
		at = next
	}
	if at == 2 {
		t.Fatal("a sample has no metadata")
	}
	return bytes.Clone(b[:at])
}

// takenIn is the folder for a picture by what its camera says, "" where it says nothing.
func takenIn(data []byte) string {
	x, err := exif.Decode(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	when, err := x.DateTime()
	if err != nil {
		return ""
	}
	return when.Format("2006/2006-01")
}

// wasSorted holds each picture to the month that goexif reads in it.
func wasSorted(t *testing.T, s scaledRun) {
	right := 0
	for name := range s.before {
		if name == "." {
			continue
		}
		var at string
		for p := range s.after {
			if filepath.Base(p) == name {
				at = p
			}
		}
		data, err := os.ReadFile(filepath.Join(s.dir, at))
		if err != nil {
			t.Fatal(err)
		}
		if month := takenIn(data); month != "" && filepath.ToSlash(filepath.Dir(at)) != month {
			t.Errorf("%s of %s is at %s", name, month, at)
		} else if month != "" {
			right++
		}
	}
	if right < cameraFiles*9/10 {
		t.Errorf("only %d pictures say when they were taken", right)
	}
}

// saysNothing looks for what cameras say in the results.
func saysNothing(t *testing.T, s scaledRun) {
	for i, data := range resultData(t, s) {
		if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", s.task.Results[i].Path, err)
		}
		x, err := exif.Decode(bytes.NewReader(data))
		if err != nil {
			continue // it has none
		}
		for _, tag := range []exif.FieldName{exif.Make, exif.Model, exif.DateTimeOriginal, exif.MakerNote, exif.GPSLatitude, exif.Software} {
			if v, err := x.Get(tag); err == nil {
				t.Errorf("%s still says %s: %.80s", s.task.Results[i].Path, tag, v)
			}
		}
	}
}

func arePNG(t *testing.T, s scaledRun) {
	for i, data := range resultData(t, s) {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) != 64 || min(img.Bounds().Dx(), img.Bounds().Dy()) != 48 {
			t.Errorf("%s: %v", s.task.Results[i].Path, err)
		}
	}
}

// Documents: one invoice with a second page, as programs write it.
var invoice = []string{"Muster GmbH", "Rechnung Nr. 4711", "Rechnungsdatum 05.02.2024", "19% MwSt 1,90", "Gesamtbetrag 11,90 EUR"}

const scalePassword = "geheim ü"

// documentPrograms make documents in the machine: Ghostscript, cairo (of rsvg-convert)
// and Tesseract; and the picture of a page with 300 dots to the inch.
const documentPrograms = `cd "$1"
exec > words.txt 2>&1
set -x
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -o ghostscript.pdf page.ps
rsvg-convert -f pdf -o cairo.pdf page1.svg page2.svg
gs -q -dNOPAUSE -dBATCH -r150 -sDEVICE=pnggray -o seen%d.png page.ps
printf 'seen1.png\nseen2.png\n' > list.txt
tesseract list.txt tesseract -l eng pdf
gs -q -dNOPAUSE -dBATCH -r300 -dLastPage=1 -sDEVICE=png16m -o scan.png page.ps
for f in ghostscript cairo tesseract chromium; do qpdf --encrypt "$2" "$2" 256 -- $f.pdf locked-$f.pdf; done`

// documentsOf are documents of four programs by their names, each also with a password,
// and a scan.
func documentsOf(t *testing.T, c *Controller) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Made")
	files := map[string][]byte{}
	ps, page := "%!PS\n<< /PageSize [595 842] >> setpagedevice /Helvetica findfont 24 scalefont setfont\n", ""
	for i, line := range invoice {
		ps += fmt.Sprintf("72 %d moveto (%s) show\n", 700-40*i, line)
		page += fmt.Sprintf("<text x='72' y='%d' font-family='sans-serif' font-size='24'>%s</text>", 100+40*i, line)
	}
	files["page.ps"] = []byte(ps + "showpage\n72 700 moveto (Seite 2) show showpage\n")
	svg := "<svg xmlns='http://www.w3.org/2000/svg' width='595' height='842'>%s</svg>"
	files["page1.svg"] = fmt.Appendf(nil, svg, page)
	files["page2.svg"] = fmt.Appendf(nil, svg, "<text x='72' y='100' font-size='24'>Seite 2</text>")
	files["page.html"] = []byte("<meta charset=utf-8><p>" + strings.Join(invoice, "<p>") + "<p style='break-before:page'>Seite 2")
	writeAll(t, dir, files)
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(),
		"--no-pdf-header-footer", "--print-to-pdf="+filepath.Join(dir, "chromium.pdf"), filepath.Join(dir, "page.html"))
	if words, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, words)
	}
	t.Cleanup(func() {
		if words, err := os.ReadFile(filepath.Join(dir, "words.txt")); t.Failed() && err == nil {
			t.Logf("%s", words)
		}
	})
	scaledTask(t, c, tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-ec", documentPrograms, "sh", wire.FoldersDir + "/Made", scalePassword},
	}, dir)
	out := map[string][]byte{}
	for _, name := range []string{"ghostscript", "cairo", "tesseract", "chromium", "locked-ghostscript", "locked-cairo", "locked-tesseract", "locked-chromium"} {
		if out[name+".pdf"], err = os.ReadFile(filepath.Join(dir, name+".pdf")); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := os.ReadFile(filepath.Join(dir, "scan.png"))
	if err != nil {
		t.Fatal(err)
	}
	out["scan.pdf"] = scanOf(t, picture)
	return out
}

// scanOf is a page of A4 with a picture that nobody compressed, as scanners make them.
func scanOf(t *testing.T, picture []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	pixels := make([]byte, 0, 3*size.X*size.Y)
	for y := range size.Y {
		for x := range size.X {
			r, g, b, _ := img.At(x, y).RGBA()
			pixels = append(pixels, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	const page = "q 595 0 0 842 0 0 cm /I Do Q"
	return pdfOfObjects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(page), page),
		fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Length %d>>stream\n%s\nendstream",
			size.X, size.Y, len(pixels), pixels))
}

// copies are n files of the documents whose names begin so, in turn.
func copies(source map[string][]byte, prefix string, n int) map[string][]byte {
	out := map[string][]byte{}
	programs := []string{"ghostscript.pdf", "cairo.pdf", "tesseract.pdf", "chromium.pdf"}
	for i := range n {
		name := programs[i%len(programs)]
		out[fmt.Sprintf("Rechnung %d ü %s", i, name)] = source[prefix+name]
	}
	return out
}

// havePages asks the machine for the pages of all results that are PDFs.
func havePages(want int) func(*testing.T, scaledRun) {
	return func(t *testing.T, s scaledRun) {
		var in []string
		for _, r := range s.task.Results {
			in = append(in, wire.FoldersDir+"/Downloads/"+r.Path)
		}
		looked := scaledTask(t, s.c, tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "pdf.info", In: in}}, s.dir)
		pages := 0
		for _, i := range looked.Info {
			info, _ := i.(map[string]any)
			n, _ := info["pages"].(float64)
			pages += int(n)
			if info["encrypted"] == true {
				t.Errorf("%v has a password", info["path"])
			}
		}
		if pages != want || len(looked.Problems) > 0 {
			t.Errorf("%d pages, want %d; %+v", pages, want, looked.Problems)
		}
	}
}

// hasLines counts a text in all results that are one.
func hasLines(text string, want int) func(*testing.T, scaledRun) {
	return func(t *testing.T, s scaledRun) {
		n, some := 0, ""
		for i, data := range resultData(t, s) {
			if filepath.Ext(s.task.Results[i].Path) != ".pdf" {
				n += strings.Count(string(data), text)
				some = string(data[:min(len(data), 1000)])
			}
		}
		if n != want {
			t.Errorf("%q is there %d times, want %d; %q", text, n, want, some)
		}
	}
}

// Tables.
const bigTableRows = 440_000

// bigTable is a table of more than 50 MB; each row is there twice in a way that
// cleaning sees.
func bigTable(t *testing.T, dir string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("Nr;Name;Ort;Betrag\n")
	for i := range bigTableRows {
		fmt.Fprintf(&b, "%d;Müller, Hans %d;Straße des 17. Juni %d;%d,50\n", i, i, i%1000, i%977)
		fmt.Fprintf(&b, "%d; Müller, Hans %d  ;Straße des 17. Juni %d ;%d,50\n", i, i, i%1000, i%977)
	}
	writeAll(t, dir, map[string][]byte{"Kunden.csv": b.Bytes()})
}

// manyTables are tables whose columns are not in the same order.
func manyTables(t *testing.T, dir string) {
	t.Helper()
	files := map[string][]byte{}
	for i := range scaleFiles {
		var b bytes.Buffer
		head, row := "Nr,Name\n", "%d,\"Zeile, %d\"\n"
		if i%2 == 1 {
			head, row = "Name;Nr\n", "Zeile %[2]d;%[1]d\n"
		}
		b.WriteString(head)
		for j := range 10 {
			fmt.Fprintf(&b, row, i, j)
		}
		files[fmt.Sprintf("%d.csv", i)] = b.Bytes()
	}
	writeAll(t, dir, files)
}

func hasRows(t *testing.T, s scaledRun, delimiter rune, want int) {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(resultData(t, s)[0]))
	r.Comma = delimiter
	rows, err := r.ReadAll()
	if err != nil || len(rows) != want {
		t.Errorf("%d rows, want %d, %v", len(rows), want, err)
	}
}

// mixedFiles are files of many kinds and ages.
func mixedFiles(t *testing.T, dir string) {
	t.Helper()
	if err := os.Rename(mixed(t, tidied), dir); err != nil {
		t.Fatal(err)
	}
}

// moved holds what is there to the plan, of at least so many operations.
func moved(least int) func(*testing.T, scaledRun) {
	return func(t *testing.T, s scaledRun) {
		plan, err := s.c.Plan(t.Context(), s.task.ID)
		if err != nil || len(plan.Operations) < least {
			t.Fatalf("%d operations, %v", len(plan.Operations), err)
		}
		testAsPlanned(t, plan, maps.Clone(s.before), maps.Clone(s.after))
	}
}
