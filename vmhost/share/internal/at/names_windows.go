package at

import (
	"errors"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemName refuses what this system would read as something else than a plain
// name ("Naming Files, Paths, and Namespaces", learn.microsoft.com): separators,
// streams, wildcards, control characters, ends that it trims, names of devices
// with any extension, and bytes that have no form in UTF-16.
func systemName(name string) bool {
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || !filepath.IsLocal(name) {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`\:*?"<>|`, r) }) {
		return false
	}
	u, err := windows.UTF16FromString(name)
	return err == nil && windows.UTF16ToString(u) == name
}

// maxNormalized is what FILE_NAME_INFO may need, in UTF-16 units: a length and
// the longest path.
const maxNormalized = 2 + 32767

// ownName asks the system, which finds a file by other cases of its name and by a
// short one (8.3) too.
func ownName(d *Dir, name string) string {
	h, err := openHandle(d, name, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return name
	}
	defer windows.CloseHandle(h)
	const fileNormalizedNameInfo = 24 // minwinbase.h
	p, err := pathOf(h, fileNormalizedNameInfo)
	if err != nil { // not on every file system
		if p, err = pathOf(h, windows.FileNameInfo); err != nil {
			return name
		}
	}
	own := p[strings.LastIndexByte(p, '\\')+1:]
	if CheckName(own) != nil {
		return name
	}
	return own
}

// pathOf returns the path of a file on its volume.
func pathOf(h windows.Handle, class uint32) (string, error) {
	for size := 512; ; size = maxNormalized {
		buf := make([]uint16, size)
		err := windows.GetFileInformationByHandleEx(h, class, (*byte)(unsafe.Pointer(&buf[0])), uint32(size*2))
		if errors.Is(err, windows.ERROR_MORE_DATA) && size < maxNormalized {
			continue
		}
		if err != nil {
			return "", err
		}
		n := int(uint32(buf[0])|uint32(buf[1])<<16) / 2
		return windows.UTF16ToString(buf[2:min(2+n, size)]), nil
	}
}
