package tools

import (
	"fmt"
	"strconv"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of pictures. The policy of ImageMagick in the guest holds the same.
const (
	MaxPixels      = 256_000_000 // of one picture: beyond what cameras make
	MaxSide        = 65_500      // px; JPEG ends there
	MaxPictureSize = 1 << 30     // bytes of a file
	maxPictures    = 1000        // in one call
)

// Tools of the pack by name, as in tools.json.
const (
	ToolMagick  = "imagemagick"
	ToolImg2PDF = "img2pdf"
	ToolQPDF    = "qpdf"
)

var imageInfo = Operation{
	Name: "image.info", Min: 1, Max: maxPictures, Out: OutNone,
	params: func() Params { return &NoParams{} },
	limits: func(_ Params, l Load) Limits {
		return Limits{Wall: baseWall + time.Duration(l.Inputs)*time.Second + perMegabyte(l, time.Second), FileSize: baseIO}
	},
}

var imageConvert = Operation{
	Name: "image.convert", Min: 1, Max: maxPictures, Out: OutFile,
	Programs: []string{ToolMagick, ToolImg2PDF, ToolQPDF},
	params:   func() Params { return &ImageConvert{} },
	limits: func(_ Params, l Load) Limits {
		return Limits{
			Wall:    baseWall + time.Duration(l.Inputs)*time.Minute + perMegabyte(l, 2*time.Second),
			Program: 10*time.Minute + perMegabyte(l, 2*time.Second),
			// Pictures become larger on the way: decoded pixels spill to disk.
			FileSize: 4<<30 + 4*l.Bytes,
		}
	},
}

// perMegabyte is d for every megabyte of a load.
func perMegabyte(l Load, d time.Duration) time.Duration {
	return time.Duration(min(l.Bytes>>20, 1<<20)) * d
}

// NoParams are the parameters of an operation without any.
type NoParams struct{}

// Check implements Params.
func (*NoParams) Check() error { return nil }

// ImageInfo is what image.info reports of each input, and image.convert of
// each that is in the result.
type ImageInfo struct {
	Path        string `json:"path"`
	Format      string `json:"format"` // "jpeg", "png", "gif", "webp", "bmp", "tiff", "heic", "avif"
	Width       int    `json:"width"`  // px, as stored
	Height      int    `json:"height"`
	Orientation int    `json:"orientation"` // Exif 1…8, 1 is upright
	Alpha       bool   `json:"alpha"`
	Frames      int    `json:"frames"`
	Taken       string `json:"taken,omitempty"` // RFC 3339, by the camera's clock
	Size        int64  `json:"size"`            // bytes
	SHA256      string `json:"sha256"`
}

// Formats of image.convert.
const (
	FormatPDF  = "pdf"
	FormatJPEG = "jpeg"
	FormatPNG  = "png"
	FormatWebP = "webp"
)

// Page sizes of a PDF.
const (
	PageFit    = "fit" // as large as the picture
	PageA4     = "a4"
	PageLetter = "letter"
)

// ImageConvert are the parameters of image.convert.
//
// With format pdf the result is one PDF with a page for each input in order (a
// TIFF has as many as it has itself); JPEG data and simple PNG data are taken
// over without loss. An input that cannot be used is a problem and the rest is
// done. Other formats take exactly one input, of which the first frame is used.
type ImageConvert struct {
	Format  string `json:"format" schema:"enum=pdf|jpeg|png|webp"`
	Page    string `json:"page" schema:"default=fit,enum=fit|a4|letter"`
	Quality int    `json:"quality" schema:"default=90,min=1,max=100"`
	// Background is what transparent pixels become where the format has none.
	Background string `json:"background" schema:"default=white,enum=white|black"`
	Replace    bool   `json:"replace" schema:"default=false"`
}

// Check implements Params.
func (p *ImageConvert) Check() error { return nil }

func (p *ImageConvert) checkCall(c wire.ToolParams) error {
	if p.Format != FormatPDF && len(c.In) != 1 {
		return &wire.InvalidError{Field: "in", Reason: fmt.Sprintf("%d inputs become one %s", len(c.In), p.Format)}
	}
	return nil
}

// magick begins every call of ImageMagick 7. What it may read, write and use
// stands in its policy file.
func magick(input, coder string, frame int) []string {
	return []string{"magick", fmt.Sprintf("%s:%s[%d]", coder, input, frame), "-auto-orient"}
}

// MagickPage prepares a picture for a page of a PDF: upright, opaque, 8 bits,
// as PNG, or as JPEG where it was lossy before. in and out are scratch names,
// frame counts from 0.
func MagickPage(p *ImageConvert, in, coder, out string, lossy bool, frame int) []string {
	argv := append(magick(in, coder, frame), flatten(p.Background)...)
	argv = append(argv, "-depth", "8", "+profile", "!icc,*")
	if lossy {
		return append(argv, "-quality", "92", "jpeg:"+out)
	}
	return append(argv, "-define", "png:exclude-chunks=date,time,gama,chrm,srgb", "-define", "png:compression-level=6", "png:"+out)
}

// MagickConvert makes one picture of another format. in and out are scratch
// names.
func MagickConvert(p *ImageConvert, in, coder, out string) []string {
	argv := magick(in, coder, 0)
	if p.Format == FormatJPEG {
		argv = append(argv, flatten(p.Background)...)
	}
	if p.Format == FormatPNG { // lossless: there is no quality to choose
		argv = append(argv, "-define", "png:exclude-chunks=date,time")
	} else {
		argv = append(argv, "-quality", strconv.Itoa(p.Quality))
	}
	return append(argv, p.Format+":"+out)
}

// flatten puts a background under transparent pixels.
func flatten(background string) []string {
	return []string{"-background", background, "-alpha", "remove", "-alpha", "off"}
}

// Img2PDF makes a PDF with a page for each input. The inputs are scratch names
// of upright or Exif-turned JPEG, PNG without alpha, or plain TIFF.
func Img2PDF(p *ImageConvert, inputs []string, out string) []string {
	argv := []string{"img2pdf", "--nodate", "--rotation=ifvalid", "--pillow-limit-break", "--output", out}
	switch p.Page {
	case PageA4, PageLetter:
		size := map[string]string{PageA4: "A4", PageLetter: "Letter"}[p.Page]
		argv = append(argv, "--pagesize", size, "--auto-orient", "--fit", "into")
	}
	return append(append(argv, "--"), inputs...)
}
