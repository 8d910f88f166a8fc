package machine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// Prepare sets the clock, the random pool and the names of the running guest.
// root is the directory that holds /etc and /usr, "/" but for tests of
// [Identify]. It needs CAP_SYS_ADMIN and CAP_SYS_TIME.
func Prepare(root string, p wire.PrepareParams) error {
	if err := SetClock(p.UnixNano); err != nil {
		return err
	}
	if err := addEntropy(p.Entropy); err != nil {
		return fmt.Errorf("add entropy: %w", err)
	}
	if p.Hostname != "" {
		if err := unix.Sethostname([]byte(p.Hostname)); err != nil {
			return fmt.Errorf("set the host name: %w", err)
		}
	}
	return Identify(root, p)
}

// SetClock sets the time of day, UTC. It needs CAP_SYS_TIME.
func SetClock(unixNano int64) error {
	tv := unix.NsecToTimeval(unixNano)
	if err := unix.Settimeofday(&tv); err != nil {
		return fmt.Errorf("set the time: %w", err)
	}
	return nil
}

// randPoolInfo is struct rand_pool_info of random(4) with room for the largest
// message.
type randPoolInfo struct {
	entropyCount int32 // bits
	size         int32 // bytes of buf
	buf          [wire.MaxEntropy]byte
}

// addEntropy adds bytes to the kernel's pool, counts them as random and makes
// /dev/urandom use them at once: without it two restored guests draw the same.
func addEntropy(entropy []byte) error {
	fd, err := unix.Open("/dev/urandom", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	info := randPoolInfo{entropyCount: int32(len(entropy) * 8), size: int32(len(entropy))}
	if copy(info.buf[:], entropy) != len(entropy) {
		return fmt.Errorf("%d bytes are too many", len(entropy))
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.RNDADDENTROPY, uintptr(unsafe.Pointer(&info))); errno != 0 {
		return fmt.Errorf("RNDADDENTROPY: %w", errno)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.RNDRESEEDCRNG, 0); errno != 0 {
		return fmt.Errorf("RNDRESEEDCRNG: %w", errno)
	}
	return nil
}

// Identify writes the files that name this guest: a machine-id(5) of its own,
// its host name and its time zone. A zone that the image does not have is left
// to the variable TZ of programs.
func Identify(root string, p wire.PrepareParams) error {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	etc := filepath.Join(root, "etc")
	if err := replace(filepath.Join(etc, "machine-id"), []byte(hex.EncodeToString(id[:])+"\n")); err != nil {
		return err
	}
	if p.Hostname != "" {
		hosts := "127.0.0.1 localhost\n127.0.1.1 " + p.Hostname + "\n::1 localhost ip6-localhost ip6-loopback\n"
		if err := errors.Join(
			replace(filepath.Join(etc, "hostname"), []byte(p.Hostname+"\n")),
			replace(filepath.Join(etc, "hosts"), []byte(hosts)),
		); err != nil {
			return err
		}
	}
	if p.TimeZone == "" {
		return nil
	}
	zone := filepath.Join("/usr/share/zoneinfo", p.TimeZone)
	if _, err := os.Stat(filepath.Join(root, zone)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	link := filepath.Join(etc, "localtime")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(zone, link)
}

// replace writes a file of the image as a new one: the old may be a link.
func replace(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
