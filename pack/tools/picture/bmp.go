package picture

import (
	"encoding/binary"
	"math"
)

// inspectBMP reads the headers and checks that uncompressed pixels are all
// there.
func inspectBMP(in *input) (Info, error) {
	info := Info{Format: BMP}
	b, err := in.take(18, "BMP: the header")
	if err != nil {
		return info, err
	}
	offset, size := int64(binary.LittleEndian.Uint32(b[10:])), int64(binary.LittleEndian.Uint32(b[14:]))
	var bits, compression int
	switch {
	case size == 12:
		if b, err = in.take(8, "BMP: the header"); err != nil {
			return info, err
		}
		info.Width, info.Height = int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
		bits = int(binary.LittleEndian.Uint16(b[6:]))
	case size >= 40 && size <= 256:
		if b, err = in.take(size-4, "BMP: the header"); err != nil {
			return info, err
		}
		w, h := int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
		if h < 0 && h != math.MinInt32 { // stored top-down
			h = -h
		}
		info.Width, info.Height = int(w), int(h)
		bits, compression = int(binary.LittleEndian.Uint16(b[10:])), int(binary.LittleEndian.Uint32(b[12:]))
	default:
		return info, unsupported("BMP: a header of %d bytes", size)
	}
	switch bits {
	case 1, 2, 4, 8, 16, 24, 32:
	default:
		return info, unsupported("BMP: %d bits per pixel", bits)
	}
	if info.Width <= 0 || info.Height <= 0 {
		return info, broken("BMP: %d × %d pixels", info.Width, info.Height)
	}
	info.Depth, info.Alpha = 8, bits == 32
	if compression == 0 || compression == 3 { // BI_RGB, BI_BITFIELDS
		row := (int64(info.Width)*int64(bits) + 31) / 32 * 4
		if row > in.size || row*int64(info.Height) > in.size-offset {
			return info, broken("BMP: the pixels are cut off")
		}
	}
	return info, nil
}
