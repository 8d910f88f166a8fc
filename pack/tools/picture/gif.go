package picture

import (
	"encoding/binary"
	"errors"
	"io"
)

// inspectGIF follows the blocks up to the trailer (GIF89a, 15–27). A missing
// trailer is overlooked after a whole frame: several old programs forget it.
func inspectGIF(in *input) (Info, error) {
	info := Info{Format: GIF, Depth: 8}
	b, err := in.take(13, "GIF: the header")
	if err != nil {
		return info, err
	}
	info.Width, info.Height = int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
	if err := in.skip(colourTable(b[10]), "GIF: the colour table"); err != nil {
		return info, err
	}
	for {
		kind, err := in.r.ReadByte()
		if errors.Is(err, io.EOF) && info.Frames > 0 {
			return info, nil
		}
		if err != nil {
			return info, early(err, "GIF: a block")
		}
		in.pos++
		switch kind {
		case 0x3B:
			if info.Frames == 0 {
				return info, broken("GIF: no picture data")
			}
			return info, nil
		case 0x21:
			if err := gifExtension(in, &info); err != nil {
				return info, err
			}
		case 0x2C:
			if err := gifFrame(in, &info); err != nil {
				return info, err
			}
		case 0x00: // padding between blocks
		default:
			return info, broken("GIF: an unknown block %#02x", kind)
		}
	}
}

// colourTable returns the bytes of the table that a packed field announces.
func colourTable(packed byte) int64 {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

func gifExtension(in *input, info *Info) error {
	label, err := in.byte("GIF: an extension")
	if err != nil {
		return err
	}
	first, err := gifBlocks(in)
	if err != nil {
		return err
	}
	if label == 0xF9 && len(first) > 0 && first[0]&1 != 0 {
		info.Alpha = true
	}
	return nil
}

func gifFrame(in *input, info *Info) error {
	b, err := in.take(9, "GIF: a frame")
	if err != nil {
		return err
	}
	if info.Width == 0 || info.Height == 0 {
		info.Width, info.Height = int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint16(b[6:]))
	}
	if err := in.skip(colourTable(b[8])+1, "GIF: a frame"); err != nil { // and the code size
		return err
	}
	data, err := gifBlocks(in)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return broken("GIF: a frame without data")
	}
	info.Frames = min(info.Frames+1, 1<<20)
	return nil
}

// gifBlocks reads sub-blocks up to the empty one and returns the first.
func gifBlocks(in *input) ([]byte, error) {
	var first []byte
	for {
		n, err := in.byte("GIF: a block")
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return first, nil
		}
		if first == nil {
			if first, err = in.take(int64(n), "GIF: a block"); err != nil {
				return nil, err
			}
			continue
		}
		if err := in.skip(int64(n), "GIF: a block"); err != nil {
			return nil, err
		}
	}
}
