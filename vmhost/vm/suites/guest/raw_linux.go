//go:build vm || long

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/vm/suites/order"
)

// Messages of 9P2000.L: a reply is its request plus one.
const (
	rError, tLopen, tLcreate, tSymlink, tMknod, tGetattr, tSetattr, tReaddir, tLink = 7, 12, 14, 16, 18, 24, 26, 40, 70
	tRenameat, tUnlinkat, tVersion, tAttach, tFlush, tWalk, tRead, tWrite, tClunk   = 74, 76, 100, 104, 108, 110, 116, 118, 120

	noFid = uint32(1<<32 - 1)
)

// rawPort speaks 9P with the host's file server as no kernel would, on a port of its own:
// QEMU's device looks at every message before the server has it.
type rawPort struct {
	f     *os.File
	in    *bufio.Reader
	tag   uint16
	leaks int // replies with something secret in them
}

// attackRaw carries out the attacks that it is told and says which fell through.
func attackRaw(names []string) int {
	device, err := await(order.RawPort)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(device, os.O_RDWR, 0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r := &rawPort{f: f, in: bufio.NewReaderSize(f, 1<<20)}
	code := 0
	for _, name := range names {
		began := time.Now()
		if err := r.attack(name); err != nil {
			code = 1
			fmt.Fprintf(os.Stdout, "%s: %v\n", name, err)
			continue
		}
		fmt.Fprintf(os.Stdout, "%s: held (%v)\n", name, time.Since(began).Round(time.Millisecond))
	}
	return code
}

func (r *rawPort) attack(name string) error {
	attack := rawAttacks[name]
	if attack == nil {
		return errors.New("there is no such attack")
	}
	if last[name] {
		return attack(r)
	}
	if err := r.start(); err != nil {
		return err
	}
	err := attack(r)
	if err == nil { // it still answers
		_, err = r.call(tGetattr, uint32(0), uint64(0x7ff))
	}
	if r.leaks > 0 {
		err = errors.Join(err, fmt.Errorf("%d replies with a secret in them", r.leaks))
	}
	return err
}

// message builds a message of fields: numbers, strings and bytes.
func message(typ byte, tag uint16, fields ...any) []byte {
	var b bytes.Buffer
	b.Write([]byte{0, 0, 0, 0, typ, byte(tag), byte(tag >> 8)})
	for _, f := range fields {
		switch v := f.(type) {
		case string:
			b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(v))))
			b.WriteString(v)
		case []byte:
			b.Write(v)
		default:
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	binary.LittleEndian.PutUint32(b.Bytes(), uint32(b.Len()))
	return b.Bytes()
}

func (r *rawPort) send(b []byte) error { _, err := r.f.Write(b); return err }

func (r *rawPort) recv() (typ byte, tag uint16, body []byte, err error) {
	var head [7]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size < 7 || size > 2<<20 {
		return 0, 0, nil, fmt.Errorf("a reply of %d bytes", size)
	}
	body = make([]byte, size-7)
	_, err = io.ReadFull(r.in, body)
	if bytes.Contains(body, []byte(order.Secret)) {
		r.leaks++
	}
	return head[4], binary.LittleEndian.Uint16(head[5:]), body, err
}

// call sends a request and waits for its reply. The host's errors are numbers.
func (r *rawPort) call(typ byte, fields ...any) ([]byte, error) {
	r.tag = (r.tag + 1) % 60000
	if err := r.send(message(typ, r.tag, fields...)); err != nil {
		return nil, err
	}
	got, tag, body, err := r.recv()
	switch {
	case err != nil:
		return nil, err
	case tag != r.tag || got != typ+1 && got != rError:
		return nil, fmt.Errorf("a reply of type %d for %d to type %d with %d", got, tag, typ, r.tag)
	case got == rError && len(body) == 4:
		return nil, unix.Errno(binary.LittleEndian.Uint32(body))
	}
	return body, nil
}

// start begins a conversation, which forgets the one before.
func (r *rawPort) start() error {
	if err := r.send(message(tVersion, 0xffff, uint32(1<<20), "9P2000.L")); err != nil {
		return err
	}
	if typ, _, _, err := r.recv(); err != nil || typ != tVersion+1 {
		return fmt.Errorf("version: type %d, %w", typ, err)
	}
	_, err := r.call(tAttach, uint32(0), noFid, "", "", uint32(order.User))
	return err
}

func (r *rawPort) walk(from, to uint32, names ...string) error {
	fields := []any{from, to, uint16(len(names))}
	for _, n := range names {
		fields = append(fields, n)
	}
	_, err := r.call(tWalk, fields...)
	return err
}

// at makes a fid of a path.
func (r *rawPort) at(fid uint32, path string) error {
	return r.walk(0, fid, strings.Split(path, "/")...)
}

// refused makes of a refusal no error, and of none one.
func refused(what string, err error) error {
	if no, is := errors.AsType[unix.Errno](err); is && no != 0 {
		return nil
	}
	return fmt.Errorf("%s: not refused but %w", what, err)
}
