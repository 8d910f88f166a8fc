package kernel

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Offsets in the x86 boot header (Linux, Documentation/arch/x86/boot.rst).
const (
	offSetupSects    = 0x1f1 // size of the real-mode code in sectors, less the boot sector
	offBootFlag      = 0x1fe // 0xAA55
	offMagic         = 0x202 // "HdrS"
	offVersion       = 0x206 // of the protocol
	offPayloadOffset = 0x248 // of the payload from the start of the protected-mode code
	offPayloadLength = 0x24c
	headerEnd        = 0x250

	sector            = 512
	payloadProtocol   = 0x0208 // first version with the payload fields
	maxKernelImage    = 256 << 20
	payloadSizeSuffix = 4 // the kernel's build appends the unpacked size, except to gzip, which ends in it
)

// errNotBzImage is wrapped by every refusal of a boot header.
var errNotBzImage = errors.New("not a bzImage")

// Vmlinux returns the ELF image inside of a bzImage. The payload may be
// compressed with zstd, xz or gzip.
func Vmlinux(bzImage []byte) ([]byte, error) {
	payload, err := payloadOf(bzImage)
	if err != nil {
		return nil, err
	}
	image, err := decompress(payload)
	if err != nil {
		return nil, fmt.Errorf("payload of the kernel: %w", err)
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, fmt.Errorf("payload of the kernel: %w", err)
	}
	defer f.Close()
	if !hasPVH(f) {
		return nil, errors.New("the kernel has no PVH entry (CONFIG_PVH)")
	}
	return image, nil
}

// payloadOf finds the compressed kernel in a bzImage.
func payloadOf(b []byte) ([]byte, error) {
	if len(b) < headerEnd || binary.LittleEndian.Uint16(b[offBootFlag:]) != 0xaa55 || string(b[offMagic:offMagic+4]) != "HdrS" {
		return nil, fmt.Errorf("%w: no boot header", errNotBzImage)
	}
	if v := binary.LittleEndian.Uint16(b[offVersion:]); v < payloadProtocol {
		return nil, fmt.Errorf("%w: boot protocol %d.%02d does not say where the kernel is", errNotBzImage, v>>8, v&0xff)
	}
	sectors := int64(b[offSetupSects])
	if sectors == 0 {
		sectors = 4 // by the protocol, for very old kernels
	}
	start := (sectors+1)*sector + int64(binary.LittleEndian.Uint32(b[offPayloadOffset:]))
	length := int64(binary.LittleEndian.Uint32(b[offPayloadLength:]))
	if length <= payloadSizeSuffix || start > int64(len(b)) || length > int64(len(b))-start {
		return nil, fmt.Errorf("%w: payload of %d bytes at %d in a file of %d", errNotBzImage, length, start, len(b))
	}
	return b[start : start+length], nil
}

// decompress unpacks a payload by its magic number.
func decompress(p []byte) ([]byte, error) {
	var r io.Reader
	switch {
	case bytes.HasPrefix(p, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(bytes.NewReader(p[:len(p)-payloadSizeSuffix]), zstd.WithDecoderMaxWindow(1<<28))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		r = d
	case bytes.HasPrefix(p, []byte("\xfd7zXZ\x00")):
		d, err := xz.NewReader(bytes.NewReader(p[:len(p)-payloadSizeSuffix]))
		if err != nil {
			return nil, err
		}
		r = d
	case bytes.HasPrefix(p, []byte{0x1f, 0x8b}):
		d, err := gzip.NewReader(bytes.NewReader(p))
		if err != nil {
			return nil, err
		}
		d.Multistream(false)
		r = d
	default:
		return nil, fmt.Errorf("compressed in an unknown way (% x)", p[:4])
	}
	image, err := io.ReadAll(io.LimitReader(r, maxKernelImage+1))
	if err != nil {
		return nil, err
	}
	if len(image) > maxKernelImage {
		return nil, fmt.Errorf("more than %d bytes", maxKernelImage)
	}
	return image, nil
}
