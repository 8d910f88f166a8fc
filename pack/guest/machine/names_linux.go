package machine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Files of the ids below the directory of a [Names].
const (
	machineIDFile = "machine-id"
	bootIDFile    = "boot_id"
)

// bootID is where the kernel tells the id of the boot, which copies of a running
// machine share.
const bootID = "/proc/sys/kernel/random/boot_id"

// Names writes the files that name a guest, and remembers what it wrote: what
// was done before a machine was saved is not done again after. Its methods may
// not be called at the same time.
type Names struct {
	Root string // holds /etc and /usr; "/" but for tests
	Run  string // in memory, holds the ids: writing them touches no disk

	hostname, zone string
	placed         bool        // the links to the ids are there
	ids            [2]*os.File // machine-id and boot_id, open
}

// Moved says that the root is another one, in which nothing is written yet.
func (n *Names) Moved() { n.hostname, n.zone, n.placed = "", "", false }

// Fresh gives the guest new ids: machine-id(5) and what is read as the id of
// the boot. The files stay open: after a restore writing to them is all there is
// to do.
func (n *Names) Fresh() error {
	for i, name := range []string{machineIDFile, bootIDFile} {
		if n.ids[i] != nil {
			continue
		}
		f, err := os.OpenFile(filepath.Join(n.Run, name), os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		n.ids[i] = f
	}
	var id [32]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	// The lengths are always the same.
	for i, text := range []string{hex.EncodeToString(id[:16]), uuid([16]byte(id[16:]))} {
		if _, err := unix.Pwrite(int(n.ids[i].Fd()), []byte(text+"\n"), 0); err != nil {
			return fmt.Errorf("write %s: %w", n.ids[i].Name(), err)
		}
	}
	return n.place()
}

// place has the ids read from where [Names.Fresh] writes them.
func (n *Names) place() error {
	if n.placed {
		return nil
	}
	link := filepath.Join(n.Root, "etc/machine-id")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(filepath.Join(n.Run, machineIDFile), link); err != nil {
		return err
	}
	n.placed = true
	return nil
}

// CoverBootID has the id of the boot read from the file of [Names.Fresh], once
// for the life of the machine. It needs CAP_SYS_ADMIN.
func (n *Names) CoverBootID() error {
	if err := unix.Mount(filepath.Join(n.Run, bootIDFile), bootID, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("cover the id of the boot: %w", err)
	}
	return nil
}

// uuid writes random bytes as the kernel writes a UUID of version 4 (RFC 9562).
func uuid(b [16]byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Write writes the host name and the time zone. A zone that the image does not
// have is left to the variable TZ of programs. It needs CAP_SYS_ADMIN for
// another host name than before.
func (n *Names) Write(hostname, zone string) error {
	if hostname != "" && hostname != n.hostname {
		if err := n.writeHostname(hostname); err != nil {
			return err
		}
		n.hostname = hostname
	}
	if zone != "" && zone != n.zone {
		if err := n.writeZone(zone); err != nil {
			return err
		}
		n.zone = zone
	}
	return nil
}

func (n *Names) writeHostname(name string) error {
	if n.Root == "/" {
		if err := unix.Sethostname([]byte(name)); err != nil {
			return fmt.Errorf("set the host name: %w", err)
		}
	}
	hosts := "127.0.0.1 localhost\n127.0.1.1 " + name + "\n::1 localhost ip6-localhost ip6-loopback\n"
	return errors.Join(
		replace(filepath.Join(n.Root, "etc/hostname"), []byte(name+"\n")),
		replace(filepath.Join(n.Root, "etc/hosts"), []byte(hosts)),
	)
}

func (n *Names) writeZone(name string) error {
	zone := filepath.Join("/usr/share/zoneinfo", name)
	if _, err := os.Stat(filepath.Join(n.Root, zone)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	link := filepath.Join(n.Root, "etc/localtime")
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
