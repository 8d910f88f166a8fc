package tools

import (
	"fmt"
	"reflect"
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

// pictureFiles are the suffixes of what operations on pictures can use.
var pictureFiles = []string{"jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "svg", "pdf"}

var imageOperations = []Operation{
	{
		Name: "image.info", Report: reflect.TypeFor[ImageInfo](), Min: 1, Max: maxPictures, Out: OutNone, Accepts: pictureFiles,
		Programs: []string{ToolPoppler},
		params:   func() Params { return &NoParams{} },
		work:     work{each: time.Second, mega: time.Second, memory: memoryFew},
	},
	{
		Name: "image.convert", Report: reflect.TypeFor[ImageInfo](), Min: 1, Max: maxPictures, Out: OutEach, Accepts: pictureFiles,
		Programs: []string{ToolMagick, ToolRSVG, ToolImg2PDF, ToolQPDF, ToolPoppler},
		params:   func() Params { return &ImageConvert{} },
		// Pictures become larger on the way: decoded pixels spill to disk.
		work: work{each: time.Minute, mega: 2 * time.Second, extra: 4 << 30},
	},
	{
		Name: "image.resize", Report: reflect.TypeFor[ImageInfo](), Min: 1, Max: maxPictures, Out: OutEach, Accepts: pictureFiles,
		Programs: []string{ToolMagick, ToolRSVG, ToolPoppler},
		params:   func() Params { return &ImageResize{} },
		work:     work{each: time.Minute, mega: 2 * time.Second, extra: 4 << 30},
	},
}

// NoParams are the parameters of an operation without any.
type NoParams struct{}

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
	Out         string `json:"out,omitempty"` // what was made of it
}

// Formats that image.convert and image.resize make. HEIC, AVIF and SVG are
// read only.
const (
	FormatPDF  = "pdf"
	FormatJPEG = "jpeg"
	FormatPNG  = "png"
	FormatWebP = "webp"
	FormatTIFF = "tiff"
	FormatGIF  = "gif"
	FormatSame = "same" // image.resize: that of the input, or JPEG when nobody here writes it
)

// Suffix is the usual suffix of files of a format.
func Suffix(format string) string {
	switch format {
	case FormatJPEG:
		return "jpg"
	case FormatTIFF:
		return "tif"
	}
	return format
}

// Page sizes of a PDF.
const (
	PageFit    = "fit" // as large as the picture
	PageA4     = "a4"
	PageLetter = "letter"
)

// ImageConvert are the parameters of image.convert.
//
// With format pdf the result is one PDF, at ToolParams.Out, with a page for
// each input in order (a TIFF or PDF has as many as it has itself); JPEG data,
// simple PNG data, SVG and PDF are taken over without loss. An input that cannot
// be used is a problem and the rest is done. Other formats are made of the first
// frame or page of each input.
type ImageConvert struct {
	Format  string `json:"format" schema:"enum=pdf|jpeg|png|webp|tiff|gif,byName=true"`
	Page    string `json:"page" schema:"default=fit,enum=fit|a4|letter"`
	Quality int    `json:"quality" schema:"default=90,min=1,max=100"`
	// Background is what transparent pixels become where the format has none.
	Background string `json:"background" schema:"default=white,enum=white|black"`
	// DPI is how finely SVG and PDF are drawn.
	DPI int `json:"dpi" schema:"default=150,min=30,max=600"`
	Each
}

// Check implements Params.
func (p *ImageConvert) Check() error {
	if p.Format == FormatPDF && len(p.Names) > 0 {
		return &wire.InvalidError{Field: "params.names", Reason: "all inputs become one file"}
	}
	return nil
}

// ImageResize are the parameters of image.resize. A width or height of 0 follows
// from the other.
type ImageResize struct {
	Width  int `json:"width" schema:"default=0,min=0,max=30000"` // px
	Height int `json:"height" schema:"default=0,min=0,max=30000"`
	// Fit says what becomes of other proportions: inside keeps the whole picture,
	// cover cuts the edges off, exact distorts.
	Fit        string `json:"fit" schema:"default=inside,enum=inside|cover|exact"`
	Enlarge    bool   `json:"enlarge" schema:"default=false"` // smaller pictures become larger
	Format     string `json:"format" schema:"default=same,enum=same|jpeg|png|webp|tiff|gif,byName=true"`
	Quality    int    `json:"quality" schema:"default=85,min=1,max=100"`
	Background string `json:"background" schema:"default=white,enum=white|black"`
	Each
}

// Check implements Params.
func (p *ImageResize) Check() error {
	switch {
	case p.Width == 0 && p.Height == 0:
		return &wire.InvalidError{Field: "params.width", Reason: "neither a width nor a height"}
	case p.Fit != "inside" && (p.Width == 0 || p.Height == 0):
		return &wire.InvalidError{Field: "params.fit", Reason: p.Fit + " needs a width and a height"}
	case int64(p.Width)*int64(p.Height) > MaxPixels:
		return &wire.InvalidError{Field: "params.width", Reason: "more pixels than a picture may have"}
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
	return append(magick(in, coder, 0), finish(p.Format, p.Quality, p.Background, out)...)
}

// MagickResize makes one picture of another size in a format. in and out are
// scratch names.
func MagickResize(p *ImageResize, in, coder, format, out string) []string {
	size := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	geometry := size(p.Width) + "x" + size(p.Height)
	argv := magick(in, coder, 0)
	switch {
	case p.Fit == "exact":
		argv = append(argv, "-resize", geometry+"!")
	case p.Fit == "cover":
		argv = append(argv, "-resize", geometry+"^", "-gravity", "center", "-extent", geometry)
	case p.Enlarge:
		argv = append(argv, "-resize", geometry)
	default:
		argv = append(argv, "-resize", geometry+">")
	}
	return append(argv, finish(format, p.Quality, p.Background, out)...)
}

// MagickPrint is a small grey picture of what a picture looks like, as PNG.
// JPEG is decoded only as far as that needs.
func MagickPrint(in, coder, out string) []string {
	return []string{
		"magick", "-define", "jpeg:size=64x64", fmt.Sprintf("%s:%s[0]", coder, in), "-auto-orient", "-background", "white", "-alpha", "remove",
		"-alpha", "off", "-colorspace", "gray", "-resize", "9x8!", "-depth", "8", "-strip", "png:" + out,
	}
}

// finish ends a call that makes a picture of a format.
func finish(format string, quality int, background, out string) []string {
	var argv []string
	if format == FormatJPEG || format == FormatGIF {
		argv = flatten(background)
	}
	switch format {
	case FormatPNG: // lossless: there is no quality to choose
		argv = append(argv, "-define", "png:exclude-chunks=date,time")
	case FormatTIFF:
		argv = append(argv, "-compress", "zip", "-define", "tiff:exif-properties=false")
	case FormatGIF:
	default:
		argv = append(argv, "-quality", strconv.Itoa(quality))
	}
	return append(argv, format+":"+out)
}

// RSVG draws an SVG at a scale (dpi of its units) or, with a side, at most so
// many pixels wide and high. It reads no other file and nothing from a network:
// what a scratch directory does not have does not exist for it. in and out are
// scratch names; format is png or pdf.
func RSVG(in, out, format string, dpi, side int) []string {
	argv := []string{"rsvg-convert", "--format", format, "--output", out, "--dpi-x", strconv.Itoa(dpi), "--dpi-y", strconv.Itoa(dpi), "--keep-aspect-ratio"}
	if side > 0 {
		argv = append(argv, "--width", strconv.Itoa(side), "--height", strconv.Itoa(side))
	} else if format == "png" {
		argv = append(argv, "--zoom", strconv.FormatFloat(float64(dpi)/96, 'f', 4, 64))
	}
	return append(argv, "--", in)
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

// Img2PDFAt is Img2PDF with pages of the size that pictures have at a
// resolution.
func Img2PDFAt(inputs []string, dpi int, out string) []string {
	return append([]string{
		"img2pdf", "--nodate", "--rotation=ifvalid", "--pillow-limit-break", "--output", out, "--imgsize", strconv.Itoa(dpi) + "dpi", "--",
	}, inputs...)
}
