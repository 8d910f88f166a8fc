package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of looking for the owner of a connection: a task may have made as many
// processes and descriptors as it could.
const (
	maxSockets     = 1 << 16 // lines of one table of the kernel's
	maxProcesses   = 4096
	maxDescriptors = 1 << 16 // of all processes together
	maxCommandLine = 4 << 10 // bytes
	maxOwners      = 8       // looked for at a time
	ownerLimit     = 5 * time.Second
)

// owner finds the process whose a connection is. Where there is none any more, or
// too much to look at, it says nothing. The kernel may hold who looks at a process
// that is stuck, so that only a few may look.
func (a *Agent) owner(ctx context.Context, c wire.Connection) (wire.Owner, error) {
	select {
	case a.owners <- struct{}{}:
		defer func() { <-a.owners }()
	default:
		return wire.Owner{}, coded(wire.CodeBusy, errors.New("others are looked for already"))
	}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	return findOwner(ctx, "/proc", c)
}

// findOwner looks in proc. Of several processes that share the socket it takes the
// one with the lowest number, which is mostly the one that made it.
func findOwner(ctx context.Context, proc string, c wire.Connection) (wire.Owner, error) {
	local, err := netip.ParseAddrPort(c.Local)
	if err != nil {
		return wire.Owner{}, err
	}
	remote, err := netip.ParseAddrPort(c.Remote)
	if err != nil {
		return wire.Owner{}, err
	}
	inode, err := findSocket(proc, local, remote)
	if err != nil || inode == "" {
		return wire.Owner{}, err
	}
	pids, err := processes(proc)
	if err != nil {
		return wire.Owner{}, err
	}
	left := maxDescriptors
	for _, pid := range pids {
		if ctx.Err() != nil || left <= 0 {
			break
		}
		dir := filepath.Join(proc, strconv.Itoa(pid))
		var has bool
		if has, left = holds(filepath.Join(dir, "fd"), "socket:["+inode+"]", left); has {
			return describe(dir), nil
		}
	}
	return wire.Owner{}, nil
}

// findSocket is the inode of a connection in the kernel's tables (proc_net_tcp in
// the kernel's documentation; the fields are those of tcp4_seq_show): "" when it is
// not there, or nobody's. A socket for IPv6 may have it, too.
func findSocket(proc string, local, remote netip.AddrPort) (string, error) {
	for _, table := range []struct {
		name string
		at   func(netip.AddrPort) string
	}{{"tcp", socketAt}, {"tcp6", func(a netip.AddrPort) string { return mappedPrefix() + socketAt(a) }}} {
		f, err := os.Open(filepath.Join(proc, "net", table.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a kernel without IPv6
		}
		if err != nil {
			return "", fmt.Errorf("look for a connection: %w", err)
		}
		inode := socketIn(f, table.at(local), table.at(remote))
		f.Close()
		if inode != "" && inode != "0" {
			return inode, nil
		}
	}
	return "", nil
}

func socketIn(r io.Reader, local, remote string) string {
	lines := bufio.NewScanner(r)
	for n := 0; n < maxSockets && lines.Scan(); n++ {
		if f := strings.Fields(lines.Text()); len(f) > 9 && f[1] == local && f[2] == remote {
			return f[9]
		}
	}
	return ""
}

// socketAt writes an address as the tables do: the words of the address as this
// processor reads them, the port as a number.
func socketAt(a netip.AddrPort) string {
	b := a.Addr().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(b[:]), a.Port())
}

// mappedPrefix is what comes before an IPv4 address in a socket for IPv6
// (::ffff:0:0/96, RFC 4291).
func mappedPrefix() string {
	return strings.Repeat("0", 16) + fmt.Sprintf("%08X", binary.NativeEndian.Uint32([]byte{0, 0, 0xff, 0xff}))
}

// processes are the numbers of the first processes there are.
func processes(proc string) ([]int, error) {
	d, err := os.Open(proc)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(2 * maxProcesses)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids[:min(len(pids), maxProcesses)], nil
}

// holds reports whether one of the descriptors in dir leads to what, after at most
// left of them, and how many may be looked at then.
func holds(dir, what string, left int) (bool, int) {
	d, err := os.Open(dir)
	if err != nil {
		return false, left // it has ended
	}
	defer d.Close()
	names, _ := d.Readdirnames(left) // those that there were until it ended
	for _, name := range names {
		if to, err := os.Readlink(filepath.Join(dir, name)); err == nil && to == what {
			return true, left
		}
	}
	return false, left - len(names)
}

// describe reads what a process says about itself. It may end meanwhile.
func describe(dir string) wire.Owner {
	var o wire.Owner
	o.Exe, _ = os.Readlink(filepath.Join(dir, "exe"))
	o.Name = strings.TrimSuffix(string(head(filepath.Join(dir, "comm"))), "\n")
	for word := range bytes.SplitSeq(bytes.TrimRight(head(filepath.Join(dir, "cmdline")), "\x00"), []byte{0}) {
		o.Args = append(o.Args, string(word))
	}
	return o.Cut()
}

// head is the beginning of a file, nothing where it cannot be read.
func head(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxCommandLine))
	return b
}
