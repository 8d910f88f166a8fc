package picture

import "encoding/binary"

// inspectWebP follows the chunks of the RIFF container (RFC 9649).
func inspectWebP(in *input) (Info, error) {
	info := Info{Format: WebP, Depth: 8}
	b, err := in.take(12, "WebP: the header")
	if err != nil {
		return info, err
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	if size+8 > in.size {
		return info, broken("WebP: the file has %d of %d bytes", in.size, size+8)
	}
	end := size + 8
	data := false
	for in.pos+8 <= end {
		head, err := in.take(8, "WebP: a chunk")
		if err != nil {
			return info, err
		}
		kind, n := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if in.pos+n > end {
			return info, broken("WebP: the chunk %q goes beyond the end", kind)
		}
		start := in.pos
		switch kind {
		case "VP8X", "VP8 ", "VP8L":
			b, err := in.take(min(n, 10), "WebP: a chunk")
			if err != nil {
				return info, err
			}
			if err := webpChunk(kind, b, &info); err != nil {
				return info, err
			}
			data = data || kind != "VP8X"
		case "ANMF":
			info.Frames = min(info.Frames+1, 1<<20)
			data = true
		case "ALPH":
			info.Alpha = true
		case "EXIF":
			if n <= maxSegment {
				b, err := in.take(n, "WebP: a chunk")
				if err != nil {
					return info, err
				}
				if len(b) > 6 && string(b[:6]) == "Exif\x00\x00" { // as some programs write it
					b = b[6:]
				}
				readExif(b).put(&info)
			}
		}
		if err := in.skip(n+n&1-(in.pos-start), "WebP: a chunk"); err != nil {
			return info, err
		}
	}
	if !data {
		return info, broken("WebP: no picture data")
	}
	return info, nil
}

func webpChunk(kind string, b []byte, info *Info) error {
	switch {
	case kind == "VP8X" && len(b) == 10:
		info.Alpha = info.Alpha || b[0]&0x10 != 0
		info.Width, info.Height = 1+uint24(b[4:]), 1+uint24(b[7:])
	case kind == "VP8 " && len(b) == 10:
		if b[3] != 0x9D || b[4] != 0x01 || b[5] != 0x2A {
			return broken("WebP: no key frame")
		}
		if info.Width == 0 {
			info.Width = int(binary.LittleEndian.Uint16(b[6:]) & 0x3FFF)
			info.Height = int(binary.LittleEndian.Uint16(b[8:]) & 0x3FFF)
		}
	case kind == "VP8L" && len(b) >= 5:
		if b[0] != 0x2F {
			return broken("WebP: a wrong lossless signature")
		}
		info.Lossless = true
		bits := binary.LittleEndian.Uint32(b[1:])
		info.Alpha = info.Alpha || bits>>28&1 != 0
		if info.Width == 0 {
			info.Width, info.Height = 1+int(bits&0x3FFF), 1+int(bits>>14&0x3FFF)
		}
	default:
		return broken("WebP: a %q chunk of %d bytes", kind, len(b))
	}
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
