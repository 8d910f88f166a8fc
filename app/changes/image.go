package changes

import (
	"encoding/binary"
	"image"
	_ "image/gif"  // headers of pictures
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"net/http"
)

// What a browser is given to show: a small file can hold a huge picture.
const (
	maxImageBytes  = 24 << 20
	maxImagePixels = 60_000_000
	maxImageHeader = 1 << 20 // of a JPEG with a long profile before its size
)

// imageTypes are the kinds that browsers show everywhere, and that cannot run
// anything: SVG is none of them.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// ImageType returns the media type of a picture that a browser can show, by how
// its content begins; "" is anything else.
func ImageType(head []byte) string {
	if t := http.DetectContentType(head); imageTypes[t] {
		return t
	}
	return ""
}

// describeImage fills in what a picture is. One whose header makes no sense is
// none.
func describeImage(s *Side, head []byte, content io.ReaderAt) {
	kind := ImageType(head)
	if kind == "" {
		return
	}
	var width, height int
	if kind == "image/webp" {
		width, height = webpSize(head)
	} else if config, _, err := image.DecodeConfig(io.NewSectionReader(content, 0, min(s.Size, maxImageHeader))); err == nil {
		width, height = config.Width, config.Height
	}
	if width <= 0 || height <= 0 {
		return
	}
	s.Type, s.Width, s.Height = kind, width, height
	s.Show = s.Size <= maxImageBytes && int64(width)*int64(height) <= maxImagePixels
}

// webpSize reads the size of a picture from the first chunk of a WebP file (RFC
// 9649, sections 2.5 to 2.7); zeros where there is none.
func webpSize(head []byte) (width, height int) {
	if len(head) < 30 {
		return 0, 0
	}
	body := head[20:]
	switch string(head[12:16]) {
	case "VP8 ": // RFC 6386, section 9.1: a start code behind the frame's tag
		if body[3] != 0x9d || body[4] != 0x01 || body[5] != 0x2a {
			return 0, 0
		}
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case "VP8L":
		if body[0] != 0x2f {
			return 0, 0
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return three(body[4:]) + 1, three(body[7:]) + 1
	}
	return 0, 0
}

// ReadAt lets a side be read as a file.
func (o *opened) ReadAt(b []byte, offset int64) (int, error) {
	if o.content == nil {
		return 0, io.EOF
	}
	return o.content.ReadAt(b, offset)
}
