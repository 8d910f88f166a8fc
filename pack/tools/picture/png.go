package picture

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// inspectPNG follows the chunks up to IEND and checks each one's checksum
// (ISO/IEC 15948, 5.3).
func inspectPNG(in *input) (Info, error) {
	info := Info{Format: PNG, Frames: 1}
	if err := in.skip(int64(len(pngSignature)), "PNG: start"); err != nil {
		return info, err
	}
	data := false
	for first := true; ; first = false {
		head, err := in.take(8, "PNG: a chunk")
		if err != nil {
			return info, err
		}
		size, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if size > 1<<31-1 || size+4 > in.left() {
			return info, broken("PNG: the chunk %q of %d bytes goes beyond the end of the file", kind, size)
		}
		if first != (kind == "IHDR") {
			return info, broken("PNG: the chunk %q where the header is due", kind)
		}
		body, err := pngChunk(in, head[4:], size, wantedChunk(kind))
		if err != nil {
			return info, err
		}
		switch kind {
		case "IHDR":
			if err := pngHeader(body, &info); err != nil {
				return info, err
			}
		case "tRNS":
			info.Alpha = true
		case "acTL":
			if len(body) >= 4 {
				info.Frames = int(min(binary.BigEndian.Uint32(body), 1<<20))
			}
		case "eXIf":
			readExif(body).put(&info)
		case "IDAT":
			data = true
		case "IEND":
			if !data {
				return info, broken("PNG: no picture data")
			}
			return info, nil
		}
	}
}

// wantedChunk reports the chunks whose content is looked at.
func wantedChunk(kind string) bool {
	return kind == "IHDR" || kind == "acTL" || kind == "eXIf"
}

// pngChunk reads a chunk and checks its sum; it returns the content only when
// keep is set and it is of a sensible size.
func pngChunk(in *input, kind []byte, size int64, keep bool) ([]byte, error) {
	sum := crc32.NewIEEE()
	sum.Write(kind)
	var body []byte
	if keep && size <= maxSegment {
		b, err := in.take(size, "PNG: a chunk")
		if err != nil {
			return nil, err
		}
		sum.Write(b)
		body = b
	} else {
		n, err := io.CopyN(sum, in.r, size)
		in.pos += n
		if err != nil {
			return nil, early(err, "PNG: a chunk")
		}
	}
	want, err := in.take(4, "PNG: a chunk")
	if err != nil {
		return nil, err
	}
	if binary.BigEndian.Uint32(want) != sum.Sum32() {
		return nil, broken("PNG: the chunk %q is damaged (wrong checksum)", kind)
	}
	return body, nil
}

// pngHeader reads IHDR (11.2.2).
func pngHeader(b []byte, info *Info) error {
	if len(b) != 13 {
		return broken("PNG: a header of %d bytes", len(b))
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 {
		return broken("PNG: %d × %d pixels", w, h)
	}
	info.Width, info.Height, info.Depth = int(w), int(h), int(b[8])
	switch b[9] {
	case 0, 2, 3:
	case 4, 6:
		info.Alpha = true
	default:
		return broken("PNG: colour type %d", b[9])
	}
	return nil
}
