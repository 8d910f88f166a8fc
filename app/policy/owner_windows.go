package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ManagedFile is where an administrator has rules. In ProgramData everybody can make a
// directory, and stop piwork for all with a file that is not trusted.
func ManagedFile() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramFiles, 0)
	if err != nil {
		dir = `C:\Program Files`
	}
	return filepath.Join(dir, "piwork", FileName)
}

// writes are the rights with which a file, or what is in a directory, becomes another one.
const writes = windows.GENERIC_WRITE | windows.GENERIC_ALL | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER |
	windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | 0x40 // FILE_DELETE_CHILD

// trusted says why others than an administrator could have written a file: it and its
// directory are of the administrators or of the system, and nobody else can write there.
func trusted(name string, _ *os.File) error {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	for _, at := range []string{real, filepath.Dir(real), filepath.Dir(name)} {
		if err := ofAdministrators(at); err != nil {
			return err
		}
	}
	return nil
}

func ofAdministrators(name string) error {
	sd, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return err
	}
	if !administrator(owner) {
		return fmt.Errorf("%s is owned by %s", name, owner)
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return err
	}
	if acl == nil {
		return errors.New(name + ": everybody can write it")
	}
	for i := range uint32(acl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(acl, i, &ace); err != nil {
			return err
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		if sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart)); ace.Mask&writes != 0 && !administrator(sid) {
			return fmt.Errorf("%s can write %s", sid, name)
		}
	}
	return nil
}

// administrator reports whether an account is one of those that keep the system.
func administrator(sid *windows.SID) bool {
	const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
	return sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) || sid.IsWellKnown(windows.WinLocalSystemSid) || sid.String() == trustedInstaller
}
