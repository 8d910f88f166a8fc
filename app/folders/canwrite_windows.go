package folders

import (
	"os"

	"golang.org/x/sys/windows"

	"piwork/app/chore"
)

// CanWrite returns an error for a directory that is not there, or on a disk that is
// read-only. Who may write into it only trying tells.
func CanWrite(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return err
	}
	h, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil //nolint:nilerr // trying tells
	}
	defer windows.CloseHandle(h)
	var flags uint32
	if windows.GetVolumeInformationByHandle(h, nil, 0, nil, nil, &flags, nil, 0) == nil && flags&windows.FILE_READ_ONLY_VOLUME != 0 {
		return &os.PathError{Op: "write to", Path: dir, Err: chore.ErrLocked}
	}
	return nil
}
