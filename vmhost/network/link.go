package network

import (
	"bufio"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/stack"

	"piwork/vmhost/network/frame"
)

// link is the cable: frames of the stack to a stream, and back. A stack that
// sends faster than the stream takes it waits, for patience: the stack answers
// some frames from the goroutine that reads them, so that two sides that both wait
// for the other to read would wait for ever. Then frames are lost, as a card loses
// them, until the stream takes one again.
type link struct {
	mtu     uint32
	mac     tcpip.LinkAddress
	out     chan []byte // in QEMU's framing
	stalled atomic.Bool // out has been full for patience

	done chan struct{}
	end  sync.Once

	mu         sync.RWMutex
	dispatcher stack.NetworkDispatcher
}

var _ stack.LinkEndpoint = (*link)(nil)

// queued frames are sent in one write, where the stream is slower than the stack.
const queued = 256

// patience is the time that a frame waits for a stream that takes none.
const patience = 250 * time.Millisecond

func newLink(mtu int, mac frame.MAC) *link {
	return &link{mtu: uint32(mtu), mac: tcpip.LinkAddress(mac[:]), out: make(chan []byte, queued), done: make(chan struct{})}
}

// read gives frames that pass to the stack until r ends.
func (l *link) read(r io.Reader, check func([]byte) bool) error {
	frames := frame.NewReader(bufio.NewReaderSize(r, 64<<10))
	for {
		f, err := frames.Next()
		if err != nil {
			return err
		}
		if !check(f) {
			continue
		}
		l.mu.RLock()
		d := l.dispatcher
		l.mu.RUnlock()
		if d == nil {
			continue
		}
		pkt := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(f)})
		d.DeliverNetworkPacket(0, pkt)
		pkt.DecRef()
	}
}

// write sends what the stack has to say until the link is closed or w fails.
func (l *link) write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	for {
		select {
		case f := <-l.out:
			l.stalled.Store(false)
			if _, err := b.Write(f); err != nil {
				return err
			}
			if len(l.out) > 0 {
				continue
			}
			if err := b.Flush(); err != nil {
				return err
			}
		case <-l.done:
			return nil
		}
	}
}

// close ends the link: what is sent from now on is lost.
func (l *link) close() { l.end.Do(func() { close(l.done) }) }

// WritePackets queues packets that have their headers.
func (l *link) WritePackets(pkts stack.PacketBufferList) (int, tcpip.Error) {
	for n, p := range pkts.AsSlice() {
		if err := l.queue(frame.Append(make([]byte, 0, 4+p.Size()), p.AsSlices()...)); err != nil {
			return n, err
		}
	}
	return pkts.Len(), nil
}

func (l *link) queue(f []byte) tcpip.Error {
	select {
	case l.out <- f:
		return nil
	case <-l.done:
		return &tcpip.ErrClosedForSend{}
	default:
	}
	if l.stalled.Load() {
		return &tcpip.ErrNoBufferSpace{}
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case l.out <- f:
		return nil
	case <-l.done:
		return &tcpip.ErrClosedForSend{}
	case <-wait.C:
		l.stalled.Store(true)
		return &tcpip.ErrNoBufferSpace{}
	}
}

// MTU has the header of Ethernet in it.
func (l *link) MTU() uint32 { return l.mtu + header.EthernetMinimumSize }

// Attach takes the stack that frames go to.
func (l *link) Attach(d stack.NetworkDispatcher) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dispatcher = d
}

// IsAttached reports whether there is a stack.
func (l *link) IsAttached() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.dispatcher != nil
}

// Capabilities: between two sides in memory nothing is damaged on its way, so the
// guest's checksums are not checked.
func (l *link) Capabilities() stack.LinkEndpointCapabilities {
	return stack.CapabilityRXChecksumOffload
}

// LinkAddress is the address of this side's card.
func (l *link) LinkAddress() tcpip.LinkAddress { return l.mac }

// What follows a cable has no use for.

// SetMTU does nothing.
func (*link) SetMTU(uint32) {}

// SetLinkAddress does nothing.
func (*link) SetLinkAddress(tcpip.LinkAddress) {}

// MaxHeaderLength is 0: the Ethernet header is made above.
func (*link) MaxHeaderLength() uint16 { return 0 }

// ARPHardwareType leaves the type to the layer above.
func (*link) ARPHardwareType() header.ARPHardwareType { return header.ARPHardwareNone }

// AddHeader does nothing.
func (*link) AddHeader(*stack.PacketBuffer) {}

// ParseHeader does nothing.
func (*link) ParseHeader(*stack.PacketBuffer) bool { return true }

// Wait does nothing: the goroutines are those of who called read and write.
func (*link) Wait() {}

// Close does nothing; the segment closes its link.
func (*link) Close() {}

// SetOnCloseAction does nothing.
func (*link) SetOnCloseAction(func()) {}
