package at

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// KeepsOwner says that a new file can be given all that another one is.
const KeepsOwner = true

// Flags of ioctl_iflags(2): compression, synchronous, no dump, no access time,
// synchronous directory, no copy on write. A file with one of the others (immutable,
// append only) is none that a task can change.
const ownFlags = 0x4 | 0x8 | 0x40 | 0x80 | 0x10000 | 0x800000

// systemAttr reports whether an attribute is the system's and may be copied. Those of
// integrity measurement are about one content.
func systemAttr(name string) bool {
	return (strings.HasPrefix(name, "system.") || strings.HasPrefix(name, "security.")) &&
		name != "security.ima" && name != "security.evm"
}

// Owner returns whom the file belongs to, and what the system keeps with it.
func (a *Attrs) Owner() (*Owner, error) {
	var st unix.Stat_t
	err := again(func() error {
		if a.fd >= 0 {
			return unix.Fstat(a.fd, &st)
		}
		return unix.Stat(a.path, &st)
	})
	if err != nil {
		return nil, wrap("stat", a.name, err)
	}
	o := &Owner{UID: st.Uid, GID: st.Gid}
	if o.Flags, err = a.flags(); err != nil {
		return nil, err
	}
	o.Set, err = a.systemAttrs()
	return o, err
}

func (a *Attrs) systemAttrs() (AttrSet, error) {
	list, err := fill(maxAttrList, func(b []byte) (int, error) {
		if a.fd >= 0 {
			return unix.Flistxattr(a.fd, b)
		}
		return unix.Listxattr(a.path, b)
	})
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap("listxattr", a.name, err)
	}
	var set AttrSet
	for name := range strings.SplitSeq(string(list), "\x00") {
		if !systemAttr(name) {
			continue
		}
		value, err := fill(MaxAttrValue, func(b []byte) (int, error) {
			if a.fd >= 0 {
				return unix.Fgetxattr(a.fd, name, b)
			}
			return unix.Getxattr(a.path, name, b)
		})
		if err != nil {
			continue // not for this user, or removed in this moment
		}
		if set == nil {
			set = AttrSet{}
		}
		set[name] = value
	}
	return set, nil
}

// flags are none where the file system knows none or the file must not be read.
func (a *Attrs) flags() (uint32, error) {
	fd := a.fd
	if fd < 0 {
		var err error
		if fd, err = unix.Open(a.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0); err != nil {
			return 0, nil
		}
		defer unix.Close(fd)
	}
	n, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return 0, nil
	}
	return n & ownFlags, nil
}

// SetOwner gives the file all of that, as far as it can: the error says what it could
// not, and who may not.
func (a *Attrs) SetOwner(o *Owner) error {
	now, err := a.Owner()
	if err != nil {
		return err
	}
	return a.changeOwner(now, o)
}

func (a *Attrs) changeOwner(now, o *Owner) error {
	var errs []error
	failed := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	if now.GID != o.GID { // on its own: the owner may choose among their groups
		failed("group", a.chown(-1, int(o.GID)))
	}
	if now.UID != o.UID {
		failed("owner", a.chown(int(o.UID), -1))
	}
	for _, name := range slices.Sorted(maps.Keys(now.Set)) {
		if _, ok := o.Set[name]; !ok {
			failed(name, again(func() error {
				if a.fd >= 0 {
					return unix.Fremovexattr(a.fd, name)
				}
				return unix.Removexattr(a.path, name)
			}))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		if have, ok := now.Set[name]; !ok || !bytes.Equal(have, o.Set[name]) {
			failed(name, a.setSystem(name, o.Set[name]))
		}
	}
	if now.Flags != o.Flags {
		failed("flags", a.setFlags(o.Flags))
	}
	return wrap("owner", a.name, errors.Join(errs...))
}

// SetCapability gives a file that has none its capabilities.
func (a *Attrs) SetCapability(value []byte) error {
	return wrap("setxattr", a.name, a.setSystem(Capability, value))
}

func (a *Attrs) setSystem(name string, value []byte) error {
	return again(func() error {
		if a.fd >= 0 {
			return unix.Fsetxattr(a.fd, name, value, 0)
		}
		return unix.Setxattr(a.path, name, value, 0)
	})
}

func (a *Attrs) chown(uid, gid int) error {
	return again(func() error {
		if a.fd >= 0 {
			return unix.Fchown(a.fd, uid, gid)
		}
		return unix.Chown(a.path, uid, gid)
	})
}

func (a *Attrs) setFlags(want uint32) error {
	if a.fd < 0 {
		return ErrUnsupported
	}
	all, err := unix.IoctlGetUint32(a.fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(a.fd, unix.FS_IOC_SETFLAGS, int(all&^ownFlags|want))
}

// PlainOwner is what a new file of this process is by itself, as long as its directory gives
// it nothing: a default ACL, its group or its flags.
func PlainOwner() *Owner { return &Owner{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())} }

// Plain reports whether o is [PlainOwner].
func (o *Owner) Plain() bool {
	p := PlainOwner()
	return o.UID == p.UID && o.GID == p.GID && o.Flags == p.Flags && len(o.Set) == 0
}
