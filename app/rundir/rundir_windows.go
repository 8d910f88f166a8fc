package rundir

import (
	"crypto/rand"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Socket is the named pipe on which the API of this controller answers. Its name is another
// one each time: nobody else could have made a pipe of that name before.
func (r *Dirs) Socket(string) string { return `\\.\pipe\piwork-` + rand.Text() }

// ownerOnly is an access list for this user and the system, which what is made in a
// directory inherits, and which inherits nothing itself.
func ownerOnly() (*windows.SECURITY_DESCRIPTOR, *windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, nil, err
	}
	me := user.User.Sid.String()
	sd, err := windows.SecurityDescriptorFromString("O:" + me + "D:P(A;OICI;FA;;;" + me + ")(A;OICI;FA;;;SY)")
	return sd, user.User.Sid, err
}

// mkdirPrivate makes a directory that only this user may use.
func mkdirPrivate(dir string) error {
	sd, _, err := ownerOnly()
	if err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	p, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		sa := windows.SecurityAttributes{SecurityDescriptor: sd}
		sa.Length = uint32(unsafe.Sizeof(sa))
		err = windows.CreateDirectory(p, &sa)
	}
	if err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return nil
}

// private reports whether dir is a real directory of this user, and makes it one
// that only this user may use.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	now, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := now.Owner()
	if err != nil {
		return false
	}
	sd, me, err := ownerOnly()
	if err != nil || !owner.Equals(me) {
		return false
	}
	list, _, err := sd.DACL()
	if err != nil {
		return false
	}
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil) == nil
}
