package tools

import (
	"strings"
	"testing"
)

func TestAdapters(t *testing.T) {
	pdf := &ImageConvert{Format: "pdf", Page: "fit", Quality: 90, Background: "white"}
	a4 := &ImageConvert{Format: "pdf", Page: "a4", Quality: 90, Background: "black"}
	letter := &ImageConvert{Format: "pdf", Page: "letter", Background: "white"}
	tests := map[string]struct {
		argv []string
		want string
	}{
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
