package online

import (
	"errors"
	"io/fs"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const hasStubs = false

// Of says what the file at a path of this computer is, which its directory said is info, without
// reading it: file is that it is a regular one.
func Of(path string, info fs.FileInfo) (file, online bool) {
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	switch {
	case info.Mode().IsRegular():
		return true, ok && OfWindows(data.FileAttributes)
	case info.Mode().Type() != fs.ModeIrregular:
		return false, false
	}
	p, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false, false
	}
	// Asking for attributes of the name itself, which reads no content.
	h, err := windows.CreateFile(p, windows.FILE_READ_ATTRIBUTES, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return false, false
	}
	defer windows.CloseHandle(h)
	return Handle(h)
}

// Handle says what an open file is that package os takes for no regular one; file is that it is
// one of a service.
func Handle(h windows.Handle) (file, online bool) {
	var tag struct{ attributes, tag uint32 } // FILE_ATTRIBUTE_TAG_INFO
	err := windows.GetFileInformationByHandleEx(h, windows.FileAttributeTagInfo, (*byte)(unsafe.Pointer(&tag)), uint32(unsafe.Sizeof(tag)))
	if err != nil || tag.attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		return false, false
	}
	return CloudTag(tag.tag), OfWindows(tag.attributes)
}

// Failed reports whether an error of reading a file that is online-only says that it could not be
// downloaded.
func Failed(err error) bool {
	no, ok := errors.AsType[windows.Errno](err)
	return ok && failedOfWindows(uint32(no))
}
