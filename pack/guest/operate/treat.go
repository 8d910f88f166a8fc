package operate

import (
	"piwork/pack/tools/picture"
)

// treatment says how a picture gets onto a page.
type treatment struct {
	keep   bool   // img2pdf takes the data over as it is
	coder  string // else ImageMagick reads it as this
	suffix string // of the scratch copy
	lossy  bool   // prepare it as JPEG: it was lossy before
	rare   bool   // whole, but few programs read this kind
}

// treat decides by what img2pdf can embed: JPEG of the common codings, turned
// by quarters at most (a PDF page cannot be mirrored), PNG and TIFF without
// transparency. Animations and other formats are converted first.
func treat(info picture.Info) treatment {
	t := treatment{coder: string(info.Format), suffix: string(info.Format)}
	switch info.Format {
	case picture.JPEG:
		common := info.Coding >= 0xC0 && info.Coding <= 0xC2 && info.Depth == 8 &&
			(info.Components == 1 || info.Components == 3 || info.Components == 4)
		t.keep = common && !mirrored(info.Orientation)
		t.lossy, t.rare = true, !common
		t.suffix = "jpg"
	case picture.PNG:
		t.keep = !info.Alpha && info.Frames == 1 && info.Orientation == 1
	case picture.TIFF:
		t.keep = !info.Alpha && info.Depth <= 8 && info.Orientation == 1
	case picture.WebP:
		t.lossy = !info.Lossless && !info.Alpha
	case picture.HEIC, picture.AVIF:
		t.lossy = true
	}
	return t
}

// mirrored reports the Exif orientations that a quarter turn does not undo.
func mirrored(orientation int) bool {
	return orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7
}

// pages returns how many pages a picture becomes: only TIFF means its frames as
// pages.
func pages(info picture.Info) int {
	if info.Format == picture.TIFF {
		return info.Frames
	}
	return 1
}
