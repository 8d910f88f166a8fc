//go:build vm && long && linux

package suites_test

import (
	"encoding/binary"
	"io"
	"math"
	"net"
	"os"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/vmhost/qemu/qemutest"
)

// A driver may give the queue another size than the device asked for. More requests at once than it
// has room for break the device, until it is reset, and nothing else.
func TestDeviceWithALargeQueue(t *testing.T) {
	packtest.Needs9P(t)
	image := qemutest.PackImage(t)
	if program := os.Getenv(envDeviceQEMU); program != "" {
		image.Program = []string{program}
	}
	b, err := startBare(t.Context(), image, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { b.over(t, recover(), "") }()
	b.find()
	const size, apart = 256, 64
	put := func(i uint16, m []byte) { // the driver's i-th request
		at, table := slotMemory+apart*uint64(i), slotIndirect+apart*uint64(i)
		b.write(at, m)
		chain := descriptor{at + apart/2, apart / 2, flagWrite, 0}.append(descriptor{at, uint32(len(m)), flagNext, 1}.append(nil))
		b.write(table, chain)
		b.write(ringDesc+16*uint64(i), descriptor{table, uint32(len(chain)), flagIndirect, 0}.append(nil))
		b.write(ringAvail+4+2*uint64(i), binary.LittleEndian.AppendUint16(nil, i))
		b.write(ringAvail+2, binary.LittleEndian.AppendUint16(nil, i+1))
	}
	for _, requests := range []uint16{ringSize, ringSize + 1} {
		server, err := net.DialTimeout("unix", b.server, answerWithin)
		if err != nil {
			t.Fatal(err)
		}
		b.drive(1<<bitIndirect, size)
		version := message(100, math.MaxUint16, 21)
		put(0, version)
		b.kick()
		if err := server.SetDeadline(time.Now().Add(answerWithin)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(server, version); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Write(version); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); b.uses() == 0; {
			if time.Since(began) > answerWithin {
				t.Fatal("no answer to the version")
			}
		}
		for i := range requests {
			put(1+i, message(116, i, 7))
		}
		b.kick()
		if broken := b.status()&statusNeedsReset != 0; broken != (requests > ringSize) {
			t.Errorf("%d requests at once: broken is %t", requests, broken)
		}
		_ = server.Close()
	}
	b.drive(0, ringSize)
}
