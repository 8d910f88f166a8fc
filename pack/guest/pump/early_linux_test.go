package pump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// message is a 9P message of a client.
func message(typ byte, tag uint16, parts ...any) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16([]byte{0, 0, 0, 0, typ}, tag)
	for _, p := range parts {
		switch p := p.(type) {
		case uint32:
			b = le.AppendUint32(b, p)
		case uint64:
			b = le.AppendUint64(b, p)
		case string:
			b = append(le.AppendUint16(b, uint16(len(p))), p...)
		}
	}
	le.PutUint32(b, uint32(len(b)))
	return b
}

// What Linux sends to mount and to unmount.
var (
	askVersion = message(tVersion, 0xffff, uint32(wire.MaxMSize), protocol)
	askAttach  = message(tAttach, 0, uint32(7), uint32(noRoot), "nobody", "", uint32(0))
	askGetattr = message(tGetattr, 0, uint32(7), uint64(0x3fff))
	askClunk   = message(tClunk, 3, uint32(7))
)

func mounted(t *testing.T) *early {
	t.Helper()
	e := &early{}
	for _, ask := range [][]byte{askVersion, askAttach, askGetattr} {
		if reply := e.answer(ask); reply[4] != ask[4]+1 || !bytes.Equal(reply[5:7], ask[5:7]) || int(binary.LittleEndian.Uint32(reply)) != len(reply) {
			t.Fatalf("% x answers % x", reply, ask)
		}
	}
	if e.odd {
		t.Fatal("a mount is odd")
	}
	return e
}

func TestEarlyAnswers(t *testing.T) {
	for name, frames := range map[string][][]byte{
		"attached without a version": {askAttach},
		"attached twice":             {askVersion, askAttach, askAttach},
		"another protocol":           {message(tVersion, 0xffff, uint32(wire.MaxMSize), "9P2000.u")},
		"tiny messages":              {message(tVersion, 0xffff, uint32(100), protocol)},
		"huge messages":              {message(tVersion, 0xffff, uint32(1<<30), protocol)},
		"a version cut short":        {message(tVersion, 0xffff)},
		"an attach cut short":        {askVersion, message(tAttach, 0, uint32(1))},
		"a getattr before the root":  {askVersion, askGetattr},
		"attributes of another fid":  {askVersion, askAttach, message(tGetattr, 0, uint32(8), uint64(1))},
		"a getattr cut short":        {askVersion, askAttach, message(tGetattr, 0, uint32(7))},
		"no fid":                     {askVersion, message(tGetattr, 0, uint32(noRoot), uint64(1))},
		"a walk":                     {askVersion, askAttach, askGetattr, message(110, 1, uint32(7), uint32(8))},
		"clunked twice":              {askVersion, askAttach, askGetattr, askClunk, askClunk},
		"nothing but a head":         {message(255, 1)},
	} {
		e := &early{fid: noRoot}
		var reply []byte
		for _, f := range frames {
			reply = e.answer(f)
		}
		last := frames[len(frames)-1]
		if len(reply) != frameHead+4 || reply[4] != rError || !bytes.Equal(reply[5:7], last[5:7]) || !e.odd {
			t.Errorf("%s: % x, odd %v", name, reply, e.odd)
		}
	}
	e := mounted(t)
	if reply := e.answer(askClunk); len(reply) != frameHead || reply[4] != tClunk+1 || !e.odd {
		t.Errorf("a clunk is answered % x", reply)
	}
	e.answer(askVersion) // begins anew
	if e.odd || e.asked[earlyAttach].request != nil {
		t.Errorf("after another version: %+v", e)
	}
}

func TestCutFrame(t *testing.T) {
	two := append(bytes.Clone(askVersion), askClunk...)
	for i := range two {
		frame, rest, err := cutFrame(two[:i])
		if whole := i >= len(askVersion); err != nil || (frame != nil) != whole || whole && (!bytes.Equal(frame, askVersion) || len(rest) != i-len(askVersion)) {
			t.Errorf("%d bytes: % x, % x, %v", i, frame, rest, err)
		}
	}
	for _, bad := range [][]byte{{0, 0, 0, 0}, {6, 0, 0, 0}, {1, 0x10, 0, 0}, {255, 255, 255, 255}} {
		if _, _, err := cutFrame(bad); !errors.Is(err, errFrame) {
			t.Errorf("% x: %v", bad, err)
		}
	}
}

// FuzzEarly has a client say anything.
func FuzzEarly(f *testing.F) {
	f.Add(bytes.Join([][]byte{askVersion, askAttach, askGetattr, askClunk}, nil))
	f.Add(askAttach[:9])
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &early{fid: noRoot}
		for frame, rest, err := cutFrame(data); frame != nil && err == nil; frame, rest, err = cutFrame(rest) {
			reply := e.answer(frame)
			if cut, rest, err := cutFrame(reply); cut == nil || len(rest) > 0 || err != nil || !bytes.Equal(reply[5:7], frame[5:7]) {
				t.Fatalf("% x answers % x", reply, frame)
			}
			for which := range e.asked {
				if x := e.asked[which]; x.request != nil && !e.same(which, x.reply) {
					t.Fatalf("% x is not itself", x.reply)
				}
			}
		}
	})
}

func TestEarlyServe(t *testing.T) {
	ours, client := socket(t)
	from, order := pipe(t)
	var e early
	done := make(chan error, 1)
	buf := make([]byte, 2*earlyFrame)
	go func() { done <- e.serve(ours, from, buf) }()
	ask := func(pieces ...[]byte) []byte {
		t.Helper()
		for _, p := range pieces {
			if _, err := client.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		return receive(t, client)
	}
	ask(askVersion[:3], askVersion[3:8], askVersion[8:])
	if got := ask(append(bytes.Clone(askAttach), askGetattr...)); got[4] != tAttach+1 {
		t.Errorf("% x", got)
	}
	if got := receive(t, client); got[4] != tGetattr+1 {
		t.Errorf("% x", got)
	}
	if _, err := order.WriteString("s"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || e.odd {
		t.Errorf("%v, odd %v", err, e.odd)
	}
}

func TestEarlyServeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		send []byte
		want error
	}{"the end": {nil, io.EOF}, "half a message and the end": {askVersion[:9], io.EOF}, "no messages": {[]byte("GET / HTTP/1.1\r\n"), errFrame}} {
		ours, client := socket(t)
		from, _ := pipe(t)
		done := make(chan error, 1)
		go func() { done <- new(early).serve(ours, from, make([]byte, 2*earlyFrame)) }()
		if _, err := client.Write(c.send); err != nil {
			t.Fatal(err)
		}
		if c.want == io.EOF {
			client.Close()
		}
		if err := <-done; !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// receive reads one message.
func receive(t *testing.T, from *os.File) []byte {
	t.Helper()
	b := make([]byte, 4)
	if _, err := io.ReadFull(from, b); err != nil {
		t.Error(err)
		return make([]byte, frameHead)
	}
	b = append(b, make([]byte, binary.LittleEndian.Uint32(b)-4)...)
	if _, err := io.ReadFull(from, b[4:]); err != nil {
		t.Error(err)
	}
	return b
}

// spoilt is what a host says that answers one question with some bytes from i on
// replaced.
func spoilt(which, i int, with ...byte) func(int, []byte) []byte {
	return func(n int, reply []byte) []byte {
		if n != which {
			return reply
		}
		return patched(reply, i, with...)
	}
}

// patched is b with some bytes from i on replaced.
func patched(b []byte, i int, with ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[i:], with)
	return b
}

func TestEarlyReplay(t *testing.T) {
	asked := [][]byte{askVersion, askAttach, askGetattr}
	qid, attr := frameHead, frameHead+validSize
	for name, c := range map[string]struct {
		change func(which int, reply []byte) []byte // nil: the host leaves
		ok     bool
		last   int // the last question
	}{
		"as expected":           {func(_ int, r []byte) []byte { return r }, true, 2},
		"another version of it": {spoilt(1, qid+1, 9), true, 2},
		"changed since":         {spoilt(2, attr+1, 9), true, 2},
		"other times":           {spoilt(2, attr+qidSize+modeSize+5*8, 1, 2, 3), true, 2},
		"smaller messages":      {spoilt(0, frameHead+1, 0x20), false, 0},
		"unknown":               {func(int, []byte) []byte { return message(tVersion+1, 0xffff, uint32(8192), "unknown") }, false, 0},
		"refused":               {func(int, []byte) []byte { return message(rError, 0xffff, uint32(unix.EIO)) }, false, 0},
		"another root":          {spoilt(1, qid+5, 2), false, 1},
		"not a directory":       {spoilt(1, qid, 0), false, 1},
		"another mode":          {spoilt(2, attr+qidSize, 0), false, 2},
		"another owner":         {spoilt(2, attr+qidSize+4, 1), false, 2},
		"another tag":           {spoilt(0, 5, 1, 1), false, 0},
		"two replies":           {func(_ int, r []byte) []byte { return append(bytes.Clone(r), r...) }, false, 0},
		"nonsense":              {func(int, []byte) []byte { return bytes.Repeat([]byte{0xff}, 100) }, false, 0},
		"too short":             {func(_ int, r []byte) []byte { return message(r[4], 0xffff) }, false, 0},
		"gone":                  {func(int, []byte) []byte { return nil }, false, 0},
		"gone later":            {func(i int, r []byte) []byte { return map[int][]byte{0: r}[i] }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := mounted(t)
			ours, host := socket(t)
			done := make(chan error, 1)
			go func() { done <- e.replay(ours, make([]byte, 2*earlyFrame)) }()
			for i := range c.last + 1 {
				if got := receive(t, host); !bytes.Equal(got, asked[i]) {
					t.Fatalf("the host is asked % x, not % x", got, asked[i])
				}
				reply := c.change(i, e.asked[i].reply)
				if reply == nil {
					host.Close()
					break
				}
				for _, b := range reply { // in pieces
					if _, err := host.Write([]byte{b}); err != nil {
						break // it had enough
					}
				}
			}
			if err := <-done; (err == nil) != c.ok {
				t.Error(err)
			}
		})
	}
	for name, e := range map[string]*early{"odd": {odd: true}, "never mounted": {}} {
		ours, _ := socket(t)
		if err := e.replay(ours, make([]byte, earlyFrame)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
