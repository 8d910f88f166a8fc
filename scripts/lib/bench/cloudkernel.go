package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"piwork/pack/image/debian"
)

// What a start is compared with is the kernel that Debian makes for virtual
// machines, of the same release as the pack's, started without its boot loader.
const (
	cloudSuite   = "trixie"
	cloudPackage = "linux-image-cloud-amd64"
)

var (
	cloudImage = regexp.MustCompile(`^linux-image-[0-9].*-cloud-amd64$`)
	cloudFile  = regexp.MustCompile(`^(?:\./)?boot/vmlinuz-`)
)

// cloudKernel returns Debian's current kernel for virtual machines as an
// uncompressed file, and what it is. It is kept in the build cache; remove the
// directory cloud-kernel there for a newer one.
func cloudKernel(ctx context.Context, cache string) (file, version string, err error) {
	dir := filepath.Join(cache, "cloud-kernel")
	file, note := filepath.Join(dir, "vmlinux"), filepath.Join(dir, "version")
	if v, err := os.ReadFile(note); err == nil {
		return file, string(v), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	fail := func(err error) (string, string, error) {
		return "", "", fmt.Errorf("fetch Debian's kernel for virtual machines: %w", err)
	}
	found, store, err := fetchDebian(ctx, dir, cloudSuite, []string{cloudPackage}, func(p debian.Package) bool { return cloudImage.MatchString(p.Name) })
	if err != nil {
		return fail(err)
	}
	if len(found) == 0 {
		return fail(fmt.Errorf("%s brings no kernel", cloudPackage))
	}
	p := found[0]
	if err := unpackKernel(ctx, store.Path(p), file); err != nil {
		return fail(fmt.Errorf("%s %s: %w", p.Name, p.Version, err))
	}
	version = p.Name + " " + p.Version
	return file, version, os.WriteFile(note, []byte(version), 0o644) // last: the kernel is there
}

// unpackKernel writes the ELF file in the kernel of a package to file.
func unpackKernel(ctx context.Context, deb, file string) error {
	var image []byte
	if err := debian.Contents(ctx, deb, func(h *tar.Header, r io.Reader) (err error) {
		if image == nil && h.Typeflag == tar.TypeReg && cloudFile.MatchString(h.Name) {
			image, err = io.ReadAll(io.LimitReader(r, 64<<20))
		}
		return err
	}); err != nil {
		return err
	}
	elf, err := uncompressed(ctx, image)
	if err != nil {
		return err
	}
	return os.WriteFile(file, elf, 0o644)
}

// Offsets in the header of an x86 kernel
// (https://docs.kernel.org/arch/x86/boot.html, "The Real-Mode Kernel Header").
const (
	setupSects    = 0x1f1 // of 512 bytes, before the protected-mode code
	payloadOffset = 0x248 // from the start of that code
	payloadLength = 0x24c
)

// uncompressed returns the ELF file in a bzImage.
func uncompressed(ctx context.Context, image []byte) ([]byte, error) {
	if len(image) < 0x250 || string(image[0x202:0x206]) != "HdrS" {
		return nil, errors.New("no bzImage in the package")
	}
	from := (int(image[setupSects])+1)*512 + int(binary.LittleEndian.Uint32(image[payloadOffset:]))
	end := from + int(binary.LittleEndian.Uint32(image[payloadLength:])) - 4 // its size uncompressed follows
	if from < 0 || end > len(image) || end-from < 4 {
		return nil, errors.New("the bzImage names no payload in it")
	}
	payload := image[from:end]
	for magic, program := range map[string]string{"\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd"} {
		if !strings.HasPrefix(string(payload), magic) {
			continue
		}
		c := exec.CommandContext(ctx, program, "-dc")
		c.Stdin = bytes.NewReader(payload)
		var complaint strings.Builder
		c.Stderr = &complaint
		elf, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", program, err, complaint.String())
		}
		if !strings.HasPrefix(string(elf), "\x7fELF") {
			return nil, errors.New("the payload of the bzImage is no ELF file")
		}
		return elf, nil
	}
	return nil, fmt.Errorf("the bzImage is compressed in an unknown way (% x)", payload[:4])
}
