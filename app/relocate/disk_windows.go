package relocate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// kindOf says what a directory lies on (GetDriveTypeW).
func kindOf(dir string) (diskKind, error) {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return diskNetwork, nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return diskLocal, err
	}
	switch windows.GetDriveType(root) {
	case windows.DRIVE_REMOTE:
		return diskNetwork, nil
	case windows.DRIVE_RAMDISK:
		return diskMemory, nil
	}
	return diskLocal, nil
}

func syncFile(f *os.File) error { return f.Sync() }

// syncAll has nothing left to do: NTFS journals names itself.
func syncAll(string) error { return nil }

// makePrivate lets a directory be used by its user, the system and administrators
// only, as in the user's profile: elsewhere everybody may read. It fails where
// the file system keeps no rights, as FAT.
func makePrivate(dir string) error {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil {
		return err
	}
	var flags uint32
	if err := windows.GetVolumeInformation(root, nil, 0, nil, nil, &flags, nil, 0); err != nil {
		return fmt.Errorf("ask what the disk can: %w", err)
	}
	if flags&windows.FILE_PERSISTENT_ACLS == 0 {
		return fmt.Errorf("the disk keeps no rights")
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("ask who the user is: %w", err)
	}
	sd, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return fmt.Errorf("describe its rights: %w", err)
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return fmt.Errorf("describe its rights: %w", err)
	}
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, acl, nil)
}
