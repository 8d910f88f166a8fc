//go:build vm && linux

package guestvm

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mholt/archives"

	"piwork/vmhost/wire"
)

// formatOperations are rows for formats that operations take and make, and that no
// other row has. They come last: they work on what others made.
var formatOperations = slices.Concat([]operation{
	{name: "table.receipts tsv", in: []string{"bill.html"}, out: "bills.tsv", params: map[string]any{"to": "tsv", "ocr": "off"}, once: true},
	{name: "table.receipts xlsx", in: []string{"bill.html"}, out: "bills.xlsx", params: map[string]any{"to": "xlsx", "ocr": "off"}},
	{name: "archive.create tar", in: []string{"tidy"}, out: "all.tar", params: map[string]any{"format": "tar"}, once: true},
	{name: "archive.create tar.gz", in: []string{"tidy"}, out: "all.tar.gz", params: map[string]any{"format": "tar.gz"}},
	{name: "archive.list formats", in: packedNames()},
	{name: "archive.info formats", in: packedNames(), once: true},
	{name: "archive.extract zip", in: []string{"/work/out/all.zip"}, out: "from-zip", once: true},
	{name: "archive.extract xz", in: []string{"other.tar.xz"}, out: "from-xz", once: true},
	{name: "table.read formats", in: []string{"table.tsv", "table.txt", "/work/out/table.xlsx", "/work/out/table.json"}},
	{name: "table.convert csv", in: []string{"table.tsv", "table.txt", "/work/out/table.json"}, out: "to-csv", params: map[string]any{"to": "csv"}, once: true},
	{name: "table.convert tsv", in: []string{"table.csv"}, out: "table.tsv", params: map[string]any{"to": "tsv"}, once: true},
	{name: "table.clean formats", in: []string{"table.tsv", "table.txt", "/work/out/table.xlsx", "/work/out/table.json"}, out: "clean-tsv", params: map[string]any{"to": "tsv"}, once: true},
	{name: "table.clean xlsx", in: []string{"table.csv"}, out: "clean.xlsx", params: map[string]any{"to": "xlsx"}},
	{name: "table.clean json", in: []string{"table.csv"}, out: "clean.json", params: map[string]any{"to": "json"}, once: true},
	{name: "table.merge formats", in: []string{"table.tsv", "table.txt", "/work/out/table.xlsx"}, out: "merged.tsv", params: map[string]any{"to": "tsv"}, once: true},
	{name: "table.merge xlsx", in: []string{"table.csv", "table.tsv"}, out: "merged.xlsx", params: map[string]any{"to": "xlsx"}},
	{name: "table.merge json", in: []string{"table.csv", "table.tsv"}, out: "merged.json", params: map[string]any{"to": "json"}, once: true},
	{name: "file.report md", in: []string{"tidy"}, out: "report.md", params: map[string]any{"to": "md"}, once: true},
	{name: "file.report xlsx", in: []string{"tidy"}, out: "report.xlsx", params: map[string]any{"to": "xlsx"}},
	{name: "plist.validate formats", in: []string{"list.json", "list.strings", "list.xml"}},
	{name: "plist.convert xml", in: []string{"list.json", "list.strings", "/work/out/a.bplist"}, out: "lists", params: map[string]any{"to": "xml"}, once: true},
	{name: "plist.convert openstep", in: []string{"list.strings"}, out: "again.strings", params: map[string]any{"to": "openstep"}},
	{name: "plist.convert binary", in: []string{"list.xml"}, out: "list.bplist", params: map[string]any{"to": "binary"}, once: true},
	{name: "pdf.ocr formats", in: append([]string{"slip.pdf"}, scanned...), out: "ocr", params: map[string]any{"to": "text", "language": "eng", "dpi": 200}, once: true, long: true},
	{name: "text.extract formats", in: append([]string{"total.md", "total.odt", "total.txt"}, scanned...), out: "extracts", params: map[string]any{"ocr": "eng", "dpi": 200}, info: true, once: true, long: true},
	{name: "table.receipts formats", in: slices.Concat([]string{"slip.pdf", "total.docx", "total.md", "total.odt", "total.rtf", "total.txt"}, slips, photographed), out: "bills.json", params: map[string]any{"to": "json", "ocr": "eng", "dpi": 200}, info: true, once: true, long: true},
	{name: "text.extract documents", in: []string{"total.md", "total.odt", "total.txt"}, out: "texts", params: map[string]any{"ocr": "off"}, info: true, once: true},
	{name: "table.receipts documents", in: []string{"total.docx", "total.md", "total.odt", "total.rtf", "total.txt"}, out: "noted.json", params: map[string]any{"to": "json", "ocr": "off"}, info: true, once: true},
	{name: "metadata.write formats", in: tagged, out: "titled", params: map[string]any{"title": "Tür"}, once: true},
	{name: "metadata.write told", in: []string{"lzw.tiff"}, out: "told.tif", params: map[string]any{"author": "A", "description": "B", "copyright": "C"}, once: true},
	{name: "metadata.strip told", in: []string{"/work/out/told.tif"}, out: "untold.tif", once: true},
	{name: "metadata.strip formats", in: append([]string{"/work/out/tagged/image.pdf"}, tagged...), out: "bare", once: true},
	{name: "image.convert pdf", in: []string{"progressive.jpg", "deep.png", "anim.gif", "lossy.webp", "a.bmp", "a.avif"}, out: "pictures.pdf", params: map[string]any{"format": "pdf", "page": "a4"}, once: true},
	{name: "image.resize formats", in: []string{"deep.png", "anim.gif", "lossy.webp", "a.bmp", "a.avif", "/work/out/image.pdf"}, out: "sizes", params: map[string]any{"height": 20}, once: true},
}, resizeRows(), extractRows())

// slips are pictures of a bill with few words, which [scanSlips] makes, and scanned
// those and pictures without a word.
var (
	slips   = []string{"slip.bmp", "slip.gif", "slip.jpg", "slip.png", "slip.tiff", "slip.webp"}
	scanned = append([]string{"a.avif", "a.heic"}, slips...)
)

// photographed are slips as cameras write them, which nothing in the base makes:
// libheif's encoder made them of a larger slip.
var photographed = []string{"slip.avif", "slip.heic"}

const slipSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="100"><rect width="320" height="100" fill="white"/><g font-family="DejaVu Sans" font-size="26">` +
	`<text x="20" y="40">Date: 2024-04-03</text><text x="20" y="80">Total GBP 12.00</text></g></svg>`

// scanSlips makes them, as scanners do.
func scanSlips(m *Machine) {
	m.T.Helper()
	tool(m, wire.ToolParams{Op: "image.convert", In: []string{"/work/in/slip.svg"}, Out: "/work/in/slip.png", Params: map[string]any{"format": "png"}})
	r := run(m, "slips", `cd /work/in && python3 -c '
from PIL import Image
for to in "bmp", "gif", "jpg", "tiff", "webp": Image.open("slip.png").convert("RGB").save("slip." + to)' &&
		img2pdf --nodate -o slip.pdf slip.jpg && touch -d 2024-05-06T07:08:09Z slip.*`)
	if r.ExitCode != 0 {
		m.T.Fatalf("%s", r.Stderr)
	}
}

// A bill as it is written down, as documents have it.
const (
	billText = "Corner Books Ltd\nInvoice No: 5568\nDate: 2024-04-04\nTotal GBP 13.00\n"
	totalODT = `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>Corner Books Ltd</text:p><text:p>Date: 2024-04-04</text:p><text:p>Total GBP 13.00</text:p></office:text></office:body></office:document-content>`
	totalDOC = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Corner Books Ltd</w:t></w:r></w:p><w:p><w:r><w:t>Date: 2024-04-04</w:t></w:r></w:p><w:p><w:r><w:t>Total GBP 13.00</w:t></w:r></w:p></w:body></w:document>`
	totalRTF = `{\rtf1\ansi Corner Books Ltd\par Date: 2024-04-04\par Total GBP 13.00\par}`
)

// tagged are files whose metadata can be written, besides JPEG and PDF.
var tagged = []string{"deep.png", "anim.gif", "lossy.webp", "lzw.tiff", "a.heic", "a.avif", "film.mp4", "film.mov", "sound.m4a"}

func resizeRows() (rows []operation) {
	for _, to := range []string{"jpeg", "png", "webp", "tiff", "gif"} {
		rows = append(rows, operation{name: "image.resize " + to, in: []string{"deep.png"}, out: "resized." + to, params: map[string]any{"width": 20, "format": to}, once: true})
	}
	return rows
}

// compressions of tar, by suffix.
var compressions = []struct {
	suffix string
	format archives.Compressor
}{
	{"gz", archives.Gz{}}, {"bz2", archives.Bz2{}}, {"zst", archives.Zstd{}}, {"lz4", archives.Lz4{}}, {"lz", archives.Lzip{}},
}

// packedNames are the archives of [packedFiles].
func packedNames() []string {
	out := []string{"packed.tar", "packed.rar"}
	for _, c := range compressions {
		out = append(out, "packed.tar."+c.suffix)
	}
	return out
}

func extractRows() (rows []operation) {
	for _, name := range packedNames() {
		rows = append(rows, operation{name: "archive.extract " + name, in: []string{name}, out: "from-" + name, once: true})
	}
	return rows
}

// formatInputs are what the rows work on, by name.
func formatInputs(t testing.TB) map[string][]byte {
	t.Helper()
	files := packedFiles(t)
	for name, text := range map[string]string{
		"table.tsv": "Name\tSum\nÄnna\t1,5\n", "table.txt": "Name;Sum\nBert;3\n",
		"total.md": "# Bill\n\n" + billText, "total.txt": billText, "total.rtf": totalRTF, "slip.svg": slipSVG,
		"list.json": `{"a":[1,"ü",true]}`, "list.strings": "{ \"a\" = \"b\"; list = (1, 2); }\n", "list.xml": plist,
	} {
		files[name] = []byte(text)
	}
	files["total.docx"], files["total.odt"] = zipped(t, "word/document.xml", totalDOC), zipped(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", totalODT)
	for name, brand := range map[string]string{"film.mp4": "isom", "film.mov": "qt  ", "sound.m4a": "M4A "} {
		files[name] = emptyFilm(brand)
	}
	return files
}

// tarred is a tar archive of files.
func tarred(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// emptyFilm is a film without a picture or a sound (ISO/IEC 14496-12), of May 2024.
func emptyFilm(brand string) []byte {
	box := func(kind string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
	}
	head := make([]byte, 100) // mvhd, version 0
	binary.BigEndian.PutUint32(head[4:], 3_800_000_000)
	binary.BigEndian.PutUint32(head[8:], 3_800_000_000)
	binary.BigEndian.PutUint32(head[12:], 1000) // units in a second
	binary.BigEndian.PutUint32(head[20:], 1<<16)
	binary.BigEndian.PutUint32(head[96:], 1)
	return slices.Concat(box("ftyp", []byte(brand+"\x00\x00\x02\x00"+brand)), box("moov", box("mvhd", head)), box("mdat", []byte("data")))
}

// packedFiles are archives of the same file.
func packedFiles(t testing.TB) map[string][]byte {
	t.Helper()
	const name, text = "a file.txt", "what is in it\n"
	plain := tarred(t, map[string][]byte{"ü/" + name: []byte(text)})
	out := map[string][]byte{"packed.tar": plain, "packed.rar": stored(name, text)}
	for _, c := range compressions {
		var b bytes.Buffer
		w, err := c.format.OpenWriter(&b)
		if err == nil {
			_, err = w.Write(plain)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(c.suffix, err)
		}
		out["packed.tar."+c.suffix] = b.Bytes()
	}
	return out
}

// stored is a RAR archive, version 4, of one file that is not compressed (technote.txt
// of RAR 4.20). The checksum of a block's head is the lower half of its CRC-32.
func stored(name, text string) []byte {
	block := func(kind byte, flags uint16, more []byte) []byte {
		b := []byte{kind}
		b = binary.LittleEndian.AppendUint16(b, flags)
		b = binary.LittleEndian.AppendUint16(b, uint16(7+len(more)))
		b = append(b, more...)
		return append(binary.LittleEndian.AppendUint16(nil, uint16(crc32.ChecksumIEEE(b))), b...)
	}
	size := uint32(len(text))
	file := binary.LittleEndian.AppendUint32(nil, size)
	file = binary.LittleEndian.AppendUint32(file, size)
	file = append(file, 3) // Unix
	file = binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE([]byte(text)))
	file = binary.LittleEndian.AppendUint32(file, (2024-1980)<<25|5<<21|6<<16|7<<11|8<<5|4) // as MS-DOS has times
	file = append(file, 20, 0x30)                                                           // version 2.0, stored
	file = binary.LittleEndian.AppendUint16(file, uint16(len(name)))
	file = binary.LittleEndian.AppendUint32(file, 0o100644)
	file = append(file, name...)
	return slices.Concat([]byte("Rar!\x1A\x07\x00"), block(0x73, 0, make([]byte, 6)), block(0x74, 0x8000, file), []byte(text), block(0x7B, 0x4000, nil))
}
