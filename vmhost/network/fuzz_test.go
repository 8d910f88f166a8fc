package network

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip/header"

	"piwork/vmhost/network/frame"
)

// tape is a connection on which everything was said already; nobody listens.
type tape struct{ *bytes.Reader }

func (tape) Write(p []byte) (int, error)      { return len(p), nil }
func (tape) Close() error                     { return nil }
func (tape) LocalAddr() net.Addr              { return nil }
func (tape) RemoteAddr() net.Addr             { return nil }
func (tape) SetDeadline(time.Time) error      { return nil }
func (tape) SetReadDeadline(time.Time) error  { return nil }
func (tape) SetWriteDeadline(time.Time) error { return nil }

// FuzzSegments gives the stack segments of TCP and datagrams of UDP that pass the
// filter. The first byte of each says to whom, the second how long it is.
func FuzzSegments(f *testing.F) {
	syn := make(header.TCP, 24)
	syn.Encode(&header.TCPFields{SrcPort: 1000, DstPort: 7777, SeqNum: 1, DataOffset: 24, Flags: header.TCPFlagSyn, WindowSize: 1000})
	copy(syn[20:], []byte{2, 4, 0, 1}) // an MSS of 1
	ack := make(header.TCP, 20)
	ack.Encode(&header.TCPFields{SrcPort: 1000, DstPort: 7777, SeqNum: 2, DataOffset: 20, Flags: header.TCPFlagAck | header.TCPFlagFin, WindowSize: 0})
	f.Add(append(append([]byte{0, 24}, syn...), append([]byte{0, 20}, ack...)...))
	f.Add(append(append([]byte{1, 24}, syn...), append([]byte{2, 20}, ack...)...))
	f.Add(append([]byte{3, 12, 1, 2, 0, 53, 0, 12, 0, 0}, 0, 7, 1, 0))
	w := newWorld(f)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	f.Fuzz(func(t *testing.T, in []byte) {
		n := with(t, w, restricted(t, "good.example:7777", ""))
		good := n.names.address("good.example")
		var stream []byte
		for len(in) >= 2 && len(stream) < 64<<10 {
			to, size := in[0], min(int(in[1]), len(in)-2)
			body := in[2 : 2+size]
			in = in[2+size:]
			proto := uint8(6)
			if to&1 != 0 && to&2 != 0 {
				proto = 17
			}
			address := [...]netip.Addr{good, gatewayIP, netip.MustParseAddr("10.0.0.1"), gatewayIP}[to&3]
			stream = append(stream, frame.Append(nil, honestly(address).ip(proto, 0, body))...)
		}
		if err := n.Serve(context.Background(), tape{bytes.NewReader(stream)}); err != nil {
			t.Error(err)
		}
		n.Close()
	})
}
