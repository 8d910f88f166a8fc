package picture

import (
	"encoding/binary"
	"slices"
)

// Brands of still pictures in the ISO base media format (ISO/IEC 23008-12,
// AV1 Image File Format).
var (
	heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}
	avifBrands = []string{"avif", "avis"}
)

// inspectISO reads the boxes of a HEIC or AVIF file; other files of the same
// container are videos.
func inspectISO(in *input) (Info, error) {
	info := Info{Depth: 8}
	meta, data := false, false
	for in.left() > 0 {
		size, kind, err := boxHead(in)
		if err != nil {
			return info, err
		}
		if size > in.left() {
			return info, broken("HEIC/AVIF: the box %q goes beyond the end of the file", kind)
		}
		switch kind {
		case "ftyp":
			b, err := in.take(size, "the file type")
			if err != nil {
				return info, err
			}
			if info.Format = isoFormat(b); info.Format == "" {
				return info, unsupported("the file is a video or of an unknown brand %q", b[:min(len(b), 4)])
			}
			continue
		case "meta":
			if info.Format != "" && size <= maxSegment && size >= 4 {
				b, err := in.take(size, "HEIC/AVIF: the description")
				if err != nil {
					return info, err
				}
				data = isoMeta(b[4:], &info, 0) || data
				meta = true
				continue
			}
		case "moov":
			info.Frames = 2 // or more: a picture that moves
		case "mdat":
			data = data || size > 0
		}
		if err := in.skip(size, "HEIC/AVIF: a box"); err != nil {
			return info, err
		}
	}
	if !meta || info.Width == 0 {
		return info, broken("HEIC/AVIF: no picture is described")
	}
	if !data {
		return info, broken("HEIC/AVIF: no picture data")
	}
	return info, nil
}

// boxHead reads the head of a box and returns the bytes that follow.
func boxHead(in *input) (size int64, kind string, err error) {
	b, err := in.take(8, "HEIC/AVIF: a box")
	if err != nil {
		return 0, "", err
	}
	size, kind = int64(binary.BigEndian.Uint32(b)), string(b[4:])
	switch size {
	case 0: // up to the end of the file
		return in.left(), kind, nil
	case 1:
		if b, err = in.take(8, "HEIC/AVIF: a box"); err != nil {
			return 0, "", err
		}
		large := binary.BigEndian.Uint64(b)
		if large < 16 || large > 1<<62 {
			return 0, "", broken("HEIC/AVIF: a box of %d bytes", large)
		}
		return int64(large) - 16, kind, nil
	}
	if size < 8 {
		return 0, "", broken("HEIC/AVIF: a box of %d bytes", size)
	}
	return size - 8, kind, nil
}

// isoFormat tells by the brands of ftyp. mif1 alone says nothing of the codec.
func isoFormat(b []byte) Format {
	for i := 0; i+4 <= len(b); i += 4 {
		if i == 4 { // the minor version
			continue
		}
		if slices.Contains(avifBrands, string(b[i:i+4])) {
			return AVIF
		}
	}
	for i := 0; i+4 <= len(b); i += 4 {
		if i != 4 && slices.Contains(heicBrands, string(b[i:i+4])) {
			return HEIC
		}
	}
	return ""
}

// isoMeta looks for the largest picture size (ispe), for an alpha plane, and
// reports whether it holds picture data itself (idat).
func isoMeta(b []byte, info *Info, depth int) (data bool) {
	for len(b) >= 8 && depth < 4 {
		size := int64(binary.BigEndian.Uint32(b))
		if size < 8 || size > int64(len(b)) {
			return data
		}
		body := b[8:size]
		switch string(b[4:8]) {
		case "iprp", "ipco":
			data = isoMeta(body, info, depth+1) || data
		case "idat":
			data = data || len(body) > 0
		case "ispe":
			if len(body) >= 12 {
				w, h := int(binary.BigEndian.Uint32(body[4:])), int(binary.BigEndian.Uint32(body[8:]))
				if w < 1<<20 && h < 1<<20 && w*h > info.Width*info.Height {
					info.Width, info.Height = w, h
				}
			}
		case "auxC":
			if len(body) > 4 && containsAlpha(string(body[4:])) {
				info.Alpha = true
			}
		}
		b = b[size:]
	}
	return data
}

func containsAlpha(urn string) bool {
	return urn == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\x00" || urn == "urn:mpeg:hevc:2015:auxid:1\x00"
}
