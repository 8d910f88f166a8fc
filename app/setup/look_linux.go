package setup

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Look looks at this computer.
func Look() Facts {
	return linuxFacts(linuxSource{
		files: os.DirFS("/"), env: os.Getenv, cpu: askProcessor, device: tryKVM, owner: ownerOfKVM,
	})
}

// Requests of linux/kvm.h, _IO(0xAE, n), and the only version there ever was.
const (
	kvmGetAPIVersion = 0xAE00
	kvmCreateVM      = 0xAE01
	kvmAPIVersion    = 12
)

// tryKVM makes an empty machine and throws it away: that shows whether somebody
// else holds the processor's virtualization (EBUSY), but not that a guest runs.
func tryKVM() error {
	f, err := os.OpenFile("/"+kvmDevice, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	version, err := unix.IoctlRetInt(int(f.Fd()), kvmGetAPIVersion)
	if err != nil {
		return fmt.Errorf("ask /dev/kvm for its version: %w", err)
	}
	if version != kvmAPIVersion {
		return fmt.Errorf("/dev/kvm speaks version %d, not %d", version, kvmAPIVersion)
	}
	machine, err := unix.IoctlRetInt(int(f.Fd()), kvmCreateVM)
	if err != nil {
		return fmt.Errorf("make a machine with /dev/kvm: %w", err)
	}
	return unix.Close(machine)
}

// ownerOfKVM names the group that may read and write the device, unless it is
// root's own, and says whether the account belongs to it by the list of groups:
// the groups of a session are those of its log-in.
func ownerOfKVM() (group string, member Known) {
	info, err := os.Stat("/" + kvmDevice)
	if err != nil {
		return "", Unknown
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Gid == 0 || info.Mode().Perm()&0o060 != 0o060 {
		return "", Unknown
	}
	gid := strconv.FormatUint(uint64(stat.Gid), 10)
	g, err := user.LookupGroupId(gid)
	if err != nil {
		return "", Unknown
	}
	me, err := user.Current()
	if err != nil {
		return g.Name, Unknown
	}
	ids, err := me.GroupIds()
	if err != nil {
		return g.Name, Unknown
	}
	return g.Name, known(slices.Contains(ids, gid))
}
