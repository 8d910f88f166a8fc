package kernel

import (
	"bytes"
	"debug/elf"
	"fmt"
)

// arm64Magic stands at arm64MagicAt of an Image (Linux,
// Documentation/arch/arm64/booting.rst).
const (
	arm64Magic   = "ARM\x64"
	arm64MagicAt = 56
)

// checkImage refuses what QEMU could not start directly.
func checkImage(guest string, image []byte) error {
	if guest == "aarch64" {
		if len(image) < arm64MagicAt+4 || string(image[arm64MagicAt:arm64MagicAt+4]) != arm64Magic {
			return fmt.Errorf("%w: no header of an Image", errNotBootable)
		}
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotBootable, err)
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || !hasPVH(f) {
		return fmt.Errorf("%w: no PVH entry (CONFIG_PVH)", errNotBootable)
	}
	return nil
}

// hasPVH looks for the note that names the 32-bit entry point which QEMU uses
// (XEN_ELFNOTE_PHYS32_ENTRY, xen/include/public/elfnote.h).
func hasPVH(f *elf.File) bool {
	const physEntry = 18
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<20 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			continue
		}
		for len(data) >= 12 {
			name, desc := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:])
			kind := f.ByteOrder.Uint32(data[8:])
			end := 12 + align4(int64(name)) + align4(int64(desc))
			if end > int64(len(data)) {
				break
			}
			if kind == physEntry && name == 4 && string(data[12:15]) == "Xen" {
				return true
			}
			data = data[end:]
		}
	}
	return false
}

func align4(n int64) int64 { return (n + 3) &^ 3 }
