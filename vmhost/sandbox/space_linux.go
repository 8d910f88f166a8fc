package sandbox

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost"
)

// What programs write in a sandbox's scratch is on this computer's disk, and nothing of the
// kernel's bounds it. As for a machine (vmhost/qemu), less than spaceReserve left ends the
// sandbox, once spaceStep of it went while it ran.
const (
	spaceReserve = vmhost.SpaceReserve
	spaceStep    = vmhost.SpaceStep
)

// How often the space is looked at: as soon as a fast disk may have lost what is left of it.
const (
	spaceSpeed = 4 << 30 // bytes a second
	spaceSoon  = 50 * time.Millisecond
	spaceLate  = 5 * time.Second
)

// nextLook is when the space is looked at again.
func nextLook(left uint64) time.Duration {
	if left <= spaceReserve {
		return spaceSoon
	}
	const most = uint64(spaceLate/time.Second) * spaceSpeed
	return max(spaceSoon, time.Duration(float64(min(left-spaceReserve, most))/spaceSpeed*float64(time.Second)))
}

// freeSpace is how many bytes this user may still write below dir.
func freeSpace(dir string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// watchSpace ends the place before its programs fill this computer's disk.
func (p *place) watchSpace(work string, free func(string) (uint64, error)) {
	if free == nil {
		free = freeSpace
	}
	first, err := free(work)
	if err != nil {
		return // a file system that does not say it
	}
	for left := first; ; {
		select {
		case <-p.done:
			return
		case <-time.After(nextLook(left)):
		}
		if left, err = free(work); err != nil {
			return // the scratch is gone
		}
		if left < spaceReserve && left+spaceStep <= first {
			p.lose(&vmhost.FailedError{
				Runtime: runtimeName, Reason: vmhost.ReasonDiskFull, Err: fmt.Errorf("%d MiB are left on this computer's disk", left>>20),
			})
			return
		}
	}
}
