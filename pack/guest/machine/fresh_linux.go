package machine

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

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

// urandom is open from its first use on.
var urandom = sync.OnceValues(func() (int, error) {
	return unix.Open("/dev/urandom", unix.O_WRONLY|unix.O_CLOEXEC, 0)
})

// OpenRandom opens what [AddEntropy] writes to, which it does otherwise.
func OpenRandom() error {
	_, err := urandom()
	return err
}

// AddEntropy adds bytes to the kernel's pool, counts them as random and makes
// /dev/urandom use them at once: without it two restored guests draw the same.
// It needs CAP_SYS_ADMIN.
func AddEntropy(entropy []byte) error {
	fd, err := urandom()
	if err != nil {
		return fmt.Errorf("add entropy: %w", err)
	}
	info := randPoolInfo{entropyCount: int32(len(entropy) * 8), size: int32(len(entropy))}
	if copy(info.buf[:], entropy) != len(entropy) {
		return fmt.Errorf("add entropy: %d bytes are too many", len(entropy))
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.RNDADDENTROPY, uintptr(unsafe.Pointer(&info))); errno != 0 {
		return fmt.Errorf("add entropy: RNDADDENTROPY: %w", errno)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.RNDRESEEDCRNG, 0); errno != 0 {
		return fmt.Errorf("add entropy: RNDRESEEDCRNG: %w", errno)
	}
	return nil
}
