// Package card sets up the network card that the host has plugged into the
// machine: one address, one way out and one name server, IPv4 only. Without it a
// guest has no interface but loopback.
package card

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/boot"
	"piwork/vmhost/wire"
)

// wait is how long the card may take to be there. The host plugs it before it
// asks, or does so meanwhile.
const wait = 10 * time.Second

// Places of the system, in a root that tests choose.
const (
	classDir = "sys/class/net"          // interfaces
	ipv6Dir  = "proc/sys/net/ipv6/conf" // has a directory for each
	resolver = "etc/resolv.conf"
)

// SetUp waits for the card and sets it up. It can be done again. p is valid.
func SetUp(ctx context.Context, p wire.NetworkParams) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errors.New("the host does not plug it"))
	defer cancel()
	mac, err := net.ParseMAC(p.MAC)
	if err != nil {
		return err
	}
	var name string
	if err := boot.Await(ctx, "the network card "+p.MAC, func() bool {
		name = find("/", mac)
		return name != ""
	}); err != nil {
		return err
	}
	if err := prepare("/", p.DNS); err != nil {
		return err
	}
	return configure(name, p)
}

// find returns the name of the interface with an address, "" without one.
func find(root string, mac net.HardwareAddr) string {
	list, _ := os.ReadDir(filepath.Join(root, classDir))
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(root, classDir, e.Name(), "address"))
		if err == nil && strings.TrimSpace(string(b)) == mac.String() {
			return e.Name()
		}
	}
	return ""
}

// withoutIPv6 has a card get no address of IPv6 by itself. It is called before the card is
// up, and after a call that waits for the kernel's lock of network devices: a card that is
// new has its directory in /sys for a while before it has its file here.
func withoutIPv6(root, name string) error {
	if _, err := os.Stat(filepath.Join(root, ipv6Dir)); errors.Is(err, fs.ErrNotExist) {
		return nil // a kernel without
	}
	if err := os.WriteFile(filepath.Join(root, ipv6Dir, name, "disable_ipv6"), []byte("1"), 0); err != nil {
		return fmt.Errorf("network without IPv6: %w", err)
	}
	return nil
}

// prepare names the name server.
func prepare(root, dns string) error {
	path := filepath.Join(root, resolver)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be a link
		return err
	}
	return os.WriteFile(path, []byte("nameserver "+dns+"\n"), 0o644)
}

// configure does what system calls do (netdevice(7)).
func configure(name string, p wire.NetworkParams) error {
	network, err := netip.ParsePrefix(p.Address)
	if err != nil {
		return err
	}
	gateway, err := netip.ParseAddr(p.Gateway)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	set := func(what string, call uint, fill func(*unix.Ifreq) error) error {
		r, err := unix.NewIfreq(name)
		if err == nil {
			err = fill(r)
		}
		if err == nil {
			err = unix.IoctlIfreq(fd, call, r)
		}
		if err != nil {
			return fmt.Errorf("network card %s: %s: %w", name, what, err)
		}
		return nil
	}
	mask := net.CIDRMask(network.Bits(), 32)
	for _, err := range []error{
		set("MTU", unix.SIOCSIFMTU, func(r *unix.Ifreq) error { r.SetUint32(uint32(p.MTU)); return nil }), // waits for the lock
		withoutIPv6("/", name),
		set("address", unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(network.Addr().AsSlice()) }),
		set("mask", unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr(mask) }),
		set("up", unix.SIOCSIFFLAGS, func(r *unix.Ifreq) error {
			if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, r); err != nil {
				return err
			}
			r.SetUint16(r.Uint16() | unix.IFF_UP)
			return nil
		}),
	} {
		if err != nil {
			return err
		}
	}
	return defaultRoute(fd, gateway)
}

// rtentry is struct rtentry of <linux/route.h> on 64 bits.
type rtentry struct {
	_                     uint64
	dst, gateway, genmask sockaddr
	flags                 uint16
	_                     int16
	_                     uint64
	_                     uintptr
	metric                int16
	dev                   uintptr
	mtu, window           uint64
	irtt                  uint16
}

// sockaddr is struct sockaddr_in.
type sockaddr struct {
	family, port uint16
	addr         [4]byte
	_            [8]byte
}

// defaultRoute has everything else go to an address (SIOCADDRT, route(8)).
func defaultRoute(fd int, gateway netip.Addr) error {
	r := rtentry{
		dst: sockaddr{family: unix.AF_INET}, genmask: sockaddr{family: unix.AF_INET},
		gateway: sockaddr{family: unix.AF_INET, addr: gateway.As4()},
		flags:   unix.RTF_UP | unix.RTF_GATEWAY,
	}
	_, _, no := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCADDRT, uintptr(unsafe.Pointer(&r)))
	if no != 0 && no != unix.EEXIST {
		return fmt.Errorf("network: the way to %s: %w", gateway, no)
	}
	return nil
}
