//go:build vm && long && linux

package suites_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/qemu"
)

// answerWithin is how long QEMU may take for what it does at once.
const answerWithin = 30 * time.Second

// A bare machine is QEMU without a guest: who speaks the protocol of qtest
// (docs/devel/testing/qtest.rst in QEMU's source) is its processor, and so is the driver
// of its one device, 9p with the server at the other end of a socket. What fails panics
// with a [bareFailure].
type bare struct {
	server string // the socket of the device
	cmd    *exec.Cmd
	said   bytes.Buffer // on standard error; to be read after the end
	conn   net.Conn
	lines  *bufio.Reader
	common uint64 // address of the common configuration (virtio 1.3, section 4.1.4.3)
	notify uint64
}

type bareFailure struct{ error }

func failBare(format string, args ...any) { panic(bareFailure{fmt.Errorf(format, args...)}) }

// tail keeps the last bytes of what is written.
type tail struct{ b *bytes.Buffer }

func (w tail) Write(p []byte) (int, error) {
	if w.b.Len() > 64<<10 {
		w.b.Next(w.b.Len() - 4<<10)
	}
	return w.b.Write(p)
}

// startBare starts one in a directory.
func startBare(ctx context.Context, image qemu.Image, dir string) (*bare, error) {
	b := &bare{server: filepath.Join(dir, "server")}
	at := filepath.Join(dir, "qtest")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	args := append(append([]string{}, image.Program...), "-L", image.DataDir, "-machine", "pc,usb=off", "-m", "64M", "-nodefaults", "-no-user-config", "-display", "none",
		"-accel", "qtest", "-qtest", "unix:"+at, "-qtest-log", "/dev/null",
		"-chardev", "socket,id=c,server=on,wait=off,path="+b.server,
		"-device", "virtio-9p-chardev-pci,chardev=c,mount_tag=tag,disable-legacy=on,addr="+strconv.Itoa(bareSlot))
	b.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	b.cmd.Env, b.cmd.Stderr = image.Env, tail{&b.said}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	if err := l.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		return nil, errors.Join(err, b.end())
	}
	if b.conn, err = l.Accept(); err != nil {
		return nil, errors.Join(err, b.end())
	}
	b.lines = bufio.NewReader(b.conn)
	return b, nil
}

// end ends the process; an error is that it had ended before, or of a wrong.
func (b *bare) end() error {
	if b.conn != nil {
		_ = b.conn.Close()
	}
	err := b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	if err != nil {
		return fmt.Errorf("QEMU ended: %s: %w\n%s", b.cmd.ProcessState, err, b.said.String())
	}
	return nil
}

// over ends the process with the test, which fails for what it recovered, and says where it was then.
func (b *bare) over(t *testing.T, wrong any, where string) {
	t.Helper()
	err := b.end()
	switch failure, is := wrong.(bareFailure); {
	case is:
		t.Fatalf("%s: %v\n%v\nQEMU said:\n%s", where, failure, err, b.said.String())
	case wrong != nil:
		panic(wrong)
	case err != nil:
		t.Errorf("%s: %v", where, err)
	}
}

// ask has the machine do something and returns what it answers after OK.
func (b *bare) ask(format string, args ...any) string {
	if err := b.conn.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		failBare("%w", err)
	}
	if _, err := fmt.Fprintf(b.conn, format+"\n", args...); err != nil {
		failBare("%w", err)
	}
	for {
		line, err := b.lines.ReadString('\n')
		if err != nil {
			failBare("QEMU does not answer "+format+": %w", append(args, err)...)
		}
		if rest, ok := strings.CutPrefix(line, "OK"); ok {
			return strings.TrimSpace(rest)
		}
		if !strings.HasPrefix(line, "IRQ ") {
			failBare("%q to %s", line, fmt.Sprintf(format, args...))
		}
	}
}

func (b *bare) number(format string, args ...any) uint64 {
	text := b.ask(format, args...)
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		failBare("%q to "+format, append([]any{text}, args...)...)
	}
	return n
}

func (b *bare) write(at uint64, data []byte) {
	if len(data) > 0 {
		b.ask("b64write %#x %#x %s", at, len(data), base64.StdEncoding.EncodeToString(data))
	}
}

func (b *bare) read(at uint64, n int) []byte {
	data, err := base64.StdEncoding.DecodeString(b.ask("b64read %#x %#x", at, n))
	if err != nil || len(data) != n {
		failBare("%d of %d bytes: %w", len(data), n, err)
	}
	return data
}

func (b *bare) fill(at uint64, n int, with byte) { b.ask("memset %#x %#x %#x", at, n, with) }

// Where the device is on the bus of a machine of the type pc, and where its memory is put.
const (
	bareSlot   = 4
	bareMemory = 0xe000_0000

	pciAddress, pciData          = 0xcf8, 0xcfc
	pciCommand, pciBase, pciCaps = 0x04, 0x10, 0x34 // PCI Local Bus 3.0, section 6.1
	pciVendorCap                 = 0x09
)

func (b *bare) pci(register int) uint32 {
	b.ask("outl %#x %#x", pciAddress, 1<<31|bareSlot<<11|register&^3)
	return uint32(b.number("inl %#x", pciData))
}

func (b *bare) setPCI(register int, v uint32) {
	b.ask("outl %#x %#x", pciAddress, 1<<31|bareSlot<<11|register)
	b.ask("outl %#x %#x", pciData, v)
}

// find finds the device and has the bus show its memory.
func (b *bare) find() {
	var bar, base, multiplier uint32
	found := map[uint32]uint32{} // offsets by type
	for at := int(b.pci(pciCaps) & 0xfc); at != 0; at = int(b.pci(at) >> 8 & 0xfc) {
		head := b.pci(at)
		if head&0xff != pciVendorCap {
			continue
		}
		kind := head >> 24
		found[kind], bar = b.pci(at+8), b.pci(at+4)&0xff
		if kind == 2 { // notifications
			multiplier = b.pci(at + 16)
		}
	}
	if len(found) < 4 || multiplier == 0 {
		failBare("the device has the capabilities %v", found)
	}
	for i := range 6 {
		if uint32(i) == bar {
			base = bareMemory
		} else if uint32(i) == bar+1 {
			base = 0
		} else {
			continue
		}
		b.setPCI(pciBase+4*i, base)
	}
	b.setPCI(pciCommand, 6) // memory, and it may use that of the machine
	b.common, b.notify = bareMemory+uint64(found[1]), bareMemory+uint64(found[2])
}

// Registers of the common configuration (virtio 1.3, section 4.1.4.3).
const (
	featureSelect, feature             = 0, 4
	driverFeatureSelect, driverFeature = 8, 12
	deviceStatus                       = 20
	queueSelect, queueSize             = 22, 24
	queueEnable, queueReset            = 28, 58
	queueDesc, queueAvail, queueUsed   = 32, 40, 48

	statusDriver, statusOK, statusFeatures, statusNeedsReset = 3, 4, 8, 64

	bitIndirect, bitEventIndex, bitVersion1, bitRingReset = 28, 29, 32, 40
)

func (b *bare) set8(register int, v uint8)   { b.ask("writeb %#x %#x", b.common+uint64(register), v) }
func (b *bare) set16(register int, v uint16) { b.ask("writew %#x %#x", b.common+uint64(register), v) }
func (b *bare) set32(register int, v uint32) { b.ask("writel %#x %#x", b.common+uint64(register), v) }
func (b *bare) set64(register int, v uint64) {
	b.set32(register, uint32(v))
	b.set32(register+4, uint32(v>>32))
}

func (b *bare) status() uint8 { return uint8(b.number("readb %#x", b.common+deviceStatus)) }

// Where the driver has its queue.
const (
	ringSize           = 128
	ringDesc           = 0x10_0000
	ringAvail          = 0x11_0000
	ringUsed           = 0x12_0000
	usedHead, usedElem = 4, 8
)

// drive resets the device and becomes its driver, with a queue of a size; more are features besides
// VERSION_1.
func (b *bare) drive(more uint64, size uint16) {
	b.set8(deviceStatus, 0)
	if s := b.status(); s != 0 {
		failBare("status %#x after a reset", s)
	}
	b.fill(ringDesc, 0x3_0000, 0)
	b.set8(deviceStatus, statusDriver)
	has := uint64(0)
	for i := range 2 {
		b.set32(featureSelect, uint32(i))
		has |= b.number("readl %#x", b.common+feature) << (32 * i)
	}
	want := has & (more | 1<<bitVersion1)
	for i := range 2 {
		b.set32(driverFeatureSelect, uint32(i))
		b.set32(driverFeature, uint32(want>>(32*i)))
	}
	b.set8(deviceStatus, statusDriver|statusFeatures)
	b.queue(size)
	b.set8(deviceStatus, statusDriver|statusFeatures|statusOK)
	if s := b.status(); s != statusDriver|statusFeatures|statusOK {
		failBare("status %#x of a new driver", s)
	}
}

// queue tells the device where the queue is.
func (b *bare) queue(size uint16) {
	b.set16(queueSelect, 0)
	b.set16(queueSize, size)
	b.set64(queueDesc, ringDesc)
	b.set64(queueAvail, ringAvail)
	b.set64(queueUsed, ringUsed)
	b.set16(queueEnable, 1)
}

// kick says that there is something in the queue.
func (b *bare) kick() { b.ask("writew %#x 0", b.notify) }

// A descriptor is a part of a request, or of a reply (virtio 1.3, section 2.7.5).
type descriptor struct {
	addr        uint64
	size        uint32
	flags, next uint16
}

const flagNext, flagWrite, flagIndirect = 1, 2, 4

func (d descriptor) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, d.addr)
	to = binary.LittleEndian.AppendUint32(to, d.size)
	to = binary.LittleEndian.AppendUint16(to, d.flags)
	return binary.LittleEndian.AppendUint16(to, d.next)
}

// uses is how many requests the device has given back.
func (b *bare) uses() uint16 { return binary.LittleEndian.Uint16(b.read(ringUsed+2, 2)) }

// used is what the device gave back: the head and how much it wrote.
func (b *bare) used(i uint16) (head, size uint32) {
	at := b.read(ringUsed+usedHead+usedElem*uint64(i%ringSize), usedElem)
	return binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
}
