package picture

import (
	"bytes"
	"encoding/binary"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markSOI  = 0xD8
	markEOI  = 0xD9
	markSOS  = 0xDA
	markDNL  = 0xDC
	markAPP1 = 0xE1
	markAPP2 = 0xE2
)

// maxGarbage is how many bytes between segments are read over, as decoders do.
const maxGarbage = 64 << 10

// inspectJPEG follows the segments and scans up to EOI. A file that was cut
// off has none.
func inspectJPEG(in *input) (Info, error) {
	info := Info{Format: JPEG}
	if err := in.skip(2, "JPEG: start"); err != nil {
		return info, err
	}
	scans, pending := 0, byte(0)
	for {
		mark := pending
		pending = 0
		if mark == 0 {
			var err error
			if mark, err = nextMarker(in); err != nil {
				return info, err
			}
		}
		switch {
		case mark == markEOI:
			info.End = in.pos
			if info.Width == 0 {
				return info, broken("JPEG: no frame header")
			}
			if scans == 0 {
				return info, broken("JPEG: no picture data")
			}
			return info, nil
		case mark == 0x01 || mark >= 0xD0 && mark <= markSOI: // no parameters
			continue
		}
		if err := segment(in, mark, &info); err != nil {
			return info, err
		}
		if mark == markSOS {
			if info.Width == 0 {
				return info, broken("JPEG: picture data before the frame header")
			}
			scans++
			var err error
			if pending, err = entropy(in); err != nil {
				return info, err
			}
		}
	}
}

// nextMarker reads up to the next marker.
func nextMarker(in *input) (byte, error) {
	for range maxGarbage {
		b, err := in.byte("JPEG: a segment")
		if err != nil {
			return 0, err
		}
		if b != 0xFF {
			continue
		}
		for b == 0xFF { // fill bytes
			if b, err = in.byte("JPEG: a marker"); err != nil {
				return 0, err
			}
		}
		if b != 0 {
			return b, nil
		}
	}
	return 0, broken("JPEG: no marker where one is due")
}

// segment reads the parameters of a marker.
func segment(in *input, mark byte, info *Info) error {
	b, err := in.take(2, "JPEG: a segment")
	if err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint16(b)) - 2
	if n < 0 {
		return broken("JPEG: a segment of %d bytes", n+2)
	}
	start := in.pos
	if b, err = in.take(n, "JPEG: a segment"); err != nil {
		return err
	}
	switch {
	case isFrame(mark):
		if len(b) < 6 {
			return broken("JPEG: a frame header of %d bytes", len(b))
		}
		if info.Width != 0 {
			return unsupported("JPEG: hierarchical coding")
		}
		info.Coding, info.Depth = mark, int(b[0])
		info.Height, info.Width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
		info.Components = int(b[5])
		if info.Width == 0 {
			return broken("JPEG: width 0")
		}
	case mark == markDNL && len(b) >= 2 && info.Height == 0:
		info.Height = int(binary.BigEndian.Uint16(b))
	case mark == markAPP1 && bytes.HasPrefix(b, []byte("Exif\x00\x00")):
		readExif(b[6:]).put(info)
	case mark == markAPP2 && bytes.HasPrefix(b, []byte("MPF\x00")):
		info.MPFOffset = start
	}
	return nil
}

// isFrame reports the SOFn markers: C0 to CF but for DHT, JPG and DAC.
func isFrame(mark byte) bool {
	return mark >= 0xC0 && mark <= 0xCF && mark != 0xC4 && mark != 0xC8 && mark != 0xCC
}

// entropy reads over the coded data of a scan and returns the marker that ends
// it.
func entropy(in *input) (byte, error) {
	for {
		if err := in.past(0xFF, "the JPEG picture data"); err != nil {
			return 0, err
		}
		b := byte(0xFF)
		for b == 0xFF {
			var err error
			if b, err = in.byte("the JPEG picture data"); err != nil {
				return 0, err
			}
		}
		if b != 0 && (b < 0xD0 || b > 0xD7) { // neither a stuffed FF nor a restart
			return b, nil
		}
	}
}
