package tools

import (
	"strings"
	"testing"
)

func TestAdapters(t *testing.T) {
	pdf := &ImageConvert{Format: "pdf", Page: "fit", Quality: 90, Background: "white"}
	a4 := &ImageConvert{Format: "pdf", Page: "a4", Quality: 90, Background: "black"}
	letter := &ImageConvert{Format: "pdf", Page: "letter", Background: "white"}
	rotate := &PDFRotate{Angle: 90, Pages: "1-3,r1"}
	scan := &PDFOCR{Language: "eng+deu", DPI: 300}
	tests := map[string]struct {
		argv []string
		want string
	}{
		"smaller": {
			MagickResize(&ImageResize{Width: 100, Fit: "inside", Quality: 85}, "000000.png", "png", "png", "000000.out.png"),
			"magick png:000000.png[0] -auto-orient -resize 100x> -define png:exclude-chunks=date,time png:000000.out.png",
		},
		"of an exact size": {
			MagickResize(&ImageResize{Width: 10, Height: 20, Fit: "exact", Quality: 85, Background: "white"}, "000000.gif", "gif", "gif", "000000.out.gif"),
			"magick gif:000000.gif[0] -auto-orient -resize 10x20! -background white -alpha remove -alpha off gif:000000.out.gif",
		},
		"cut to size": {
			MagickResize(&ImageResize{Width: 10, Height: 20, Fit: "cover", Quality: 85}, "000000.tiff", "tiff", "tiff", "000000.out.tiff"),
			"magick tiff:000000.tiff[0] -auto-orient -resize 10x20^ -gravity center -extent 10x20 -compress zip -define tiff:exif-properties=false tiff:000000.out.tiff",
		},
		"larger": {
			MagickResize(&ImageResize{Height: 20, Fit: "inside", Enlarge: true, Quality: 85}, "000000.webp", "webp", "webp", "000000.out.webp"),
			"magick webp:000000.webp[0] -auto-orient -resize x20 -quality 85 webp:000000.out.webp",
		},
		"what it looks like": {
			MagickPrint("000000.jpg", "jpeg", "000000.print.png"),
			"magick -define jpeg:size=64x64 jpeg:000000.jpg[0] -auto-orient -background white -alpha remove -alpha off -colorspace gray -resize 9x8! -depth 8 -strip png:000000.print.png",
		},
		"drawing": {RSVG("000000.svg", "000000.drawn.png", "png", 192, 0), "rsvg-convert --format png --output 000000.drawn.png --dpi-x 192 --dpi-y 192 --keep-aspect-ratio --zoom 2.0000 -- 000000.svg"},
		"drawing of a size": {
			RSVG("000000.svg", "000000.drawn.png", "png", 96, 500),
			"rsvg-convert --format png --output 000000.drawn.png --dpi-x 96 --dpi-y 96 --keep-aspect-ratio --width 500 --height 500 -- 000000.svg",
		},
		"pages at a resolution": {
			Img2PDFAt([]string{"000000.jpg"}, 300, "000000.scan.pdf"),
			"img2pdf --nodate --rotation=ifvalid --pillow-limit-break --output 000000.scan.pdf --imgsize 300dpi -- 000000.jpg",
		},
		"split":        {QPDFSplit(&PDFSplit{Every: 2}, "000000.pdf", "part-%d.pdf"), "qpdf --deterministic-id --object-streams=generate --split-pages=2 000000.pdf part-%d.pdf"},
		"some pages":   {QPDFPages("000000.pdf", "1-3,z", "000001.part.pdf"), "qpdf --deterministic-id --object-streams=generate --empty --pages 000000.pdf 1-3,z -- 000001.part.pdf"},
		"turn":         {QPDFRotate(rotate, "000000.pdf", "000000.out.pdf"), "qpdf --deterministic-id --object-streams=generate 000000.pdf --rotate=+90:1-3,r1 000000.out.pdf"},
		"lay over":     {QPDFOverlay("000000.pdf", "000000.text.pdf", "000000.out.pdf"), "qpdf --deterministic-id --object-streams=generate 000000.pdf --overlay 000000.text.pdf -- 000000.out.pdf"},
		"no password":  {QPDFArguments("000000.args"), "qpdf @000000.args"},
		"encrypt":      {QPDFProtect("-x y", "000000.pdf", "000000.out.pdf"), "--object-streams=generate --encrypt --user-password=-x y --owner-password=-x y --bits=256 -- 000000.pdf 000000.out.pdf"},
		"decrypt":      {QPDFUnlock("@x", "000000.pdf", "000000.out.pdf"), "--deterministic-id --object-streams=generate --password=@x --decrypt 000000.pdf 000000.out.pdf"},
		"text of PDF":  {PDFToText(&PDFText{Layout: true}, "000000.pdf", "000000.out.txt"), "pdftotext -q -enc UTF-8 -eol unix -layout 000000.pdf 000000.out.txt"},
		"about a PDF":  {PDFInfoOf("000000.pdf"), "pdfinfo -isodates -enc UTF-8 000000.pdf"},
		"its pages":    {PDFPageSizes("000000.pdf", 2, 9), "pdfinfo -enc UTF-8 -f 2 -l 9 000000.pdf"},
		"how many":     {QPDFPageCount("000000.pdf"), "qpdf --show-npages 000000.pdf"},
		"a list":       {PDFImageList("000000.pdf", 2, 9), "pdfimages -list -f 2 -l 9 000000.pdf"},
		"a page":       {PDFPage("000000.pdf", "000000.drawn", "png", 150, 2, 2), "pdftoppm -q -png -r 150 -f 2 -l 2 -singlefile 000000.pdf 000000.drawn"},
		"its pictures": {PDFImagesOf("000000.pdf", "image"), "pdfimages -q -j -jp2 -png 000000.pdf image"},
		"read a scan":  {Tesseract(scan, "000000.d00001.png", "000000.r00001", "pdf"), "tesseract 000000.d00001.png 000000.r00001 -l eng+deu --dpi 300 --psm 1 -c textonly_pdf=1 pdf"},
		"compress": {
			GSCompress(&PDFCompress{Quality: "reading"}, "000000.pdf", "000000.small.pdf"),
			"gs -dSAFER -dBATCH -dNOPAUSE -dQUIET -dNumRenderingThreads=1 -sDEVICE=pdfwrite -dPDFSETTINGS=/ebook -dOmitInfoDate=true -dOmitID=true -dOmitXMP=true " +
				"-dAutoRotatePages=/None -dDetectDuplicateImages=true -sOutputFile=000000.small.pdf -f 000000.pdf",
		},
		"tags": {
			ExifWrite(&MetadataWrite{Title: "-all=", Keywords: []string{"a", "b"}, Taken: "2020-01-02 03:04:05"}, []string{"kept/000000.jpg", "kept/000001.png"}, "kept/out/"),
			"exiftool -config  -q -q -m -codedcharacterset=utf8 -o kept/out/ -Title=-all= -Keywords=a -Subject=a -Keywords+=b -Subject+=b " +
				"-DateTimeOriginal=2020:01:02 03:04:05 -CreateDate=2020:01:02 03:04:05 -- kept/000000.jpg kept/000001.png",
		},
		"no tags, times neither": {
			ExifStrip(&MetadataStrip{}, []string{"kept/000000.mp4"}, "kept/out/"),
			"exiftool -config  -q -q -m -o kept/out/ -all= -trailer:all= -time:all= -tagsfromfile @ -Orientation -ICC_Profile:all -ColorSpaceTags -- kept/000000.mp4",
		},
		"no tags": {
			ExifStrip(&MetadataStrip{KeepDate: true}, []string{"kept/000000.jpg", "kept/000001.png"}, "kept/out/"),
			"exiftool -config  -q -q -m -o kept/out/ -all= -trailer:all= -tagsfromfile @ -Orientation -ICC_Profile:all -ColorSpaceTags -DateTimeOriginal -CreateDate -- kept/000000.jpg kept/000001.png",
		},
		"property list": {Plistutil("binary", "000000.in", "000000.out.plist"), "plistutil -s -i 000000.in -f bin -o 000000.out.plist"},
		"page of text":  {Pandoc("md", "html", "-a", "000000.md", "000000.out.html"), "pandoc --standalone --from gfm --to html --sandbox --embed-resources --metadata pagetitle=-a --output 000000.out.html -- 000000.md"},
		"text of one":   {Pandoc("odt", "md", "a", "000000.odt", "000000.out.md"), "pandoc --standalone --from odt --to gfm --sandbox --lua-filter anchors.lua --output 000000.out.md -- 000000.odt"},
		"document":      {Pandoc("html", "docx", "a", "000000.html", "000000.out.docx"), "pandoc --standalone --from html --to docx --output 000000.out.docx -- 000000.html"},
		"page as PDF":   {Weasyprint("000000.html", "000000.out.pdf"), "weasyprint -q --encoding utf-8 -- 000000.html 000000.out.pdf"},
		"office": {
			Office("pdf", "000000.docx", "/work/x/office"),
			"soffice --headless --invisible --norestore --nolockcheck --nodefault --nofirststartwizard -env:UserInstallation=file:///work/x/office --convert-to pdf 000000.docx",
		},
		"about sound": {
			FFprobe("000000.in"),
			"ffprobe -v error -hide_banner -of json -show_format -show_streams -select_streams a -protocol_whitelist file -format_whitelist " + demuxers + " -i file:000000.in",
		},
		"sound": {
			FFmpeg(&AudioTranscode{To: "mp3", Quality: "speech", Mono: true}, "000000.in", "000000.out.mp3"),
			"ffmpeg -v error -hide_banner -nostdin -y -protocol_whitelist file -format_whitelist " + demuxers + " -i file:000000.in -map 0:a:0 -map_chapters -1 -vn -sn -dn -threads 1 " +
				"-fflags +bitexact -flags:a +bitexact -ac 1 -c:a libmp3lame -b:a 64k -id3v2_version 3 -f mp3 file:000000.out.mp3",
		},
		"instrument": {
			Csound(&CsoundPerform{To: "wav", Rate: 44100}, "000000.csd", "000000.out.wav"),
			"csound --nodisplays --messagelevel=0 -+ignore_csopts=1 --sample-rate=44100 --format=wav:short --nopeaks --output=000000.out.wav 000000.csd",
		},
		"score": {
			LilyPond(&LilyPondRender{DPI: 100}, "png", "score.ly", "made"),
			"lilypond --silent --loglevel=ERROR -dno-point-and-click -dmidi-extension=midi --output=made -dresolution=100 --formats=png score.ly",
		},
		"page of a lossless picture": {
			MagickPage(pdf, "000001.png", "png", "000001.p0000.png", false, 0),
			"magick png:000001.png[0] -auto-orient -background white -alpha remove -alpha off -depth 8 +profile !icc,* " +
				"-define png:exclude-chunks=date,time,gama,chrm,srgb -define png:compression-level=6 png:000001.p0000.png",
		},
		"page of a lossy picture, third frame": {
			MagickPage(a4, "000007.heic", "heic", "000007.p0002.jpg", true, 2),
			"magick heic:000007.heic[2] -auto-orient -background black -alpha remove -alpha off -depth 8 +profile !icc,* -quality 92 jpeg:000007.p0002.jpg",
		},
		"to jpeg": {
			MagickConvert(&ImageConvert{Format: "jpeg", Quality: 80, Background: "white"}, "000000.webp", "webp", "000000.out.jpeg"),
			"magick webp:000000.webp[0] -auto-orient -background white -alpha remove -alpha off -quality 80 jpeg:000000.out.jpeg",
		},
		"to png": {
			MagickConvert(&ImageConvert{Format: "png", Quality: 80}, "000000.gif", "gif", "000000.out.png"),
			"magick gif:000000.gif[0] -auto-orient -define png:exclude-chunks=date,time png:000000.out.png",
		},
		"to webp": {
			MagickConvert(&ImageConvert{Format: "webp", Quality: 70}, "000000.png", "png", "000000.out.webp"),
			"magick png:000000.png[0] -auto-orient -quality 70 webp:000000.out.webp",
		},
		"pages as large as the pictures": {
			Img2PDF(pdf, []string{"000000.jpg", "000001.p0000.png"}, "000000.part.pdf"),
			"img2pdf --nodate --rotation=ifvalid --pillow-limit-break --output 000000.part.pdf -- 000000.jpg 000001.p0000.png",
		},
		"pages of paper": {
			Img2PDF(a4, []string{"000000.jpg"}, "p.pdf"),
			"img2pdf --nodate --rotation=ifvalid --pillow-limit-break --output p.pdf --pagesize A4 --auto-orient --fit into -- 000000.jpg",
		},
		"pages of other paper": {
			Img2PDF(letter, []string{"000000.jpg"}, "p.pdf"),
			"img2pdf --nodate --rotation=ifvalid --pillow-limit-break --output p.pdf --pagesize Letter --auto-orient --fit into -- 000000.jpg",
		},
		"merge": {
			QPDFMerge([]string{"000000.pdf", "000001.pdf"}, "result.pdf"),
			"qpdf --deterministic-id --object-streams=generate --empty --pages 000000.pdf 000001.pdf -- result.pdf",
		},
		"check": {QPDFCheck("000003.pdf"), "qpdf --check 000003.pdf"},
	}
	for name, tt := range tests {
		if got := strings.Join(tt.argv, " "); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}

// safeName reports whether a name means nothing to any program but a file.
func safeName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.") == "" && name[0] != '.'
}

func TestScratchNames(t *testing.T) {
	for _, name := range []string{ScratchName(0, "jpg"), ScratchName(999_999, "p0001.png"), ScratchName(12, "in"), ScratchName(3, "part.pdf")} {
		if !safeName(name) {
			t.Errorf("%q is not safe", name)
		}
	}
	for _, name := range []string{"", "-x.jpg", "a b", "msl:x", "@x", "a/b", "../x", ".x", "x%d", "a\n", "ü.jpg", "X.JPG", "x*", "x[0]", "x?"} {
		if safeName(name) {
			t.Errorf("%q is safe", name)
		}
	}
}
