package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// pipe is a reader and a writer that are not connected.
type pipe struct {
	io.Reader
	io.Writer
}

func TestChannelSend(t *testing.T) {
	var b bytes.Buffer
	ch := Channel(pipe{nil, &b}, nil)
	if err := ch.Send([]byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := ch.Send(nil); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "\x18\n{\"a\":1}\n\n" {
		t.Errorf("sent %q", got)
	}
	if err := ch.Send([]byte("a\nb")); err == nil {
		t.Error("a line feed within a message is sent")
	}
	if err := ch.Send(bytes.Repeat([]byte("x"), MaxLine-1)); err != nil {
		t.Errorf("the longest message: %v", err)
	}
	if err := ch.Send(bytes.Repeat([]byte("x"), MaxLine)); !errors.Is(err, ErrLineTooLong) {
		t.Errorf("a longer message: %v", err)
	}
	if err := ch.Close(); err != nil {
		t.Error(err)
	}
}

func TestChannelRecv(t *testing.T) {
	long := strings.Repeat("x", MaxLine-1)
	tests := map[string]struct {
		in   string
		want []string
		err  error
	}{
		"lines":                {"a\nb\n", []string{"a", "b"}, io.EOF},
		"empty lines":          {"\n\r\n\na\n\n", []string{"a"}, io.EOF},
		"CR LF":                {"a\r\nb\r\n", []string{"a", "b"}, io.EOF},
		"a partial line":       {"a\n{\"jsonrpc\":", []string{"a"}, io.EOF},
		"only a partial line":  {"a", nil, io.EOF},
		"the longest line":     {long + "\nb\n", []string{long, "b"}, io.EOF},
		"a longer line":        {long + "x\nb\n", nil, ErrLineTooLong},
		"a line without end":   {strings.Repeat("x", 3*MaxLine), nil, ErrLineTooLong},
		"a beginning":          {"\x18\na\nb\n", []string{"a", "b"}, io.EOF},
		"after half a line":    {"{\"jsonrpc\x18\na\n", []string{"a"}, io.EOF},
		"twice":                {"\x18\n\x18\na\n", []string{"a"}, io.EOF},
		"another begins":       {"\x18\na\n{\"half\x18\nb\n", []string{"a", "b"}, io.EOF},
		"longer than a buffer": {strings.Repeat("y", 200_000) + "\n", []string{strings.Repeat("y", 200_000)}, io.EOF},
	}
	for name, tt := range tests {
		for how, r := range map[string]io.Reader{
			"whole": strings.NewReader(tt.in), "halved": iotest.HalfReader(strings.NewReader(tt.in)), "with the end": iotest.DataErrReader(strings.NewReader(tt.in)),
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				ch := Channel(pipe{r, nil}, nil)
				for _, want := range tt.want {
					got, err := ch.Recv()
					if err != nil || string(got) != want {
						t.Fatalf("got %.40q, %v, want %.40q", got, err, want)
					}
				}
				if got, err := ch.Recv(); !errors.Is(err, tt.err) {
					t.Errorf("got %.40q, %v, want %v", got, err, tt.err)
				}
			})
		}
	}
}

// A received message stays as it is while later ones come.
func TestChannelRecvKeeps(t *testing.T) {
	ch := Channel(pipe{strings.NewReader("first\nother\n"), nil}, nil)
	first, err := ch.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ch.Recv(); err != nil {
		t.Fatal(err)
	}
	if string(first) != "first" {
		t.Errorf("the first message became %q", first)
	}
}

func TestChannelClose(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	ch := Channel(a, a)
	if err := ch.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ch.Recv(); err == nil {
		t.Error("receives after Close")
	}
}

// What was read too much by one conversation is there for the next.
func TestAccept(t *testing.T) {
	var b bytes.Buffer
	for _, who := range []string{"first", "second", "third"} {
		ch := Channel(pipe{nil, &b}, nil)
		for range 2 {
			if err := ch.Send([]byte(who)); err != nil {
				t.Fatal(err)
			}
		}
		b.WriteString("{half a mess") // it goes away
	}
	r := bufio.NewReader(&b)
	for _, who := range []string{"first", "second", "third"} {
		ch := Accept(r, nil, nil)
		for range 2 {
			if got, err := ch.Recv(); err != nil || string(got) != who {
				t.Errorf("got %q, %v, want %q", got, err, who)
			}
		}
		if got, err := ch.Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestChannelClosedSendsNothing(t *testing.T) {
	var b bytes.Buffer
	ch := Channel(pipe{nil, &b}, nil)
	if err := ch.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ch.Send([]byte("late")); err == nil || b.Len() != 0 {
		t.Errorf("sent %q, %v", &b, err)
	}
}

func FuzzChannel(f *testing.F) {
	f.Add([]byte("{}\n[1]\r\n\n"), 3)
	f.Add([]byte("a"), 1)
	f.Add(bytes.Repeat([]byte("ab\n"), 1000), 7)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if size < 1 {
			size = 1
		}
		ch := Channel(pipe{&pieces{data, size}, nil}, nil)
		var back bytes.Buffer
		again := Channel(pipe{nil, &back}, nil)
		for {
			msg, err := ch.Recv()
			if err != nil {
				break
			}
			if len(msg) == 0 || len(msg) > MaxLine || bytes.IndexByte(msg, '\n') >= 0 {
				t.Fatalf("received %d bytes", len(msg))
			}
			if len(msg) < MaxLine {
				if err := again.Send(msg); err != nil {
					t.Fatal(err)
				}
			}
		}
		// What was received can be sent and is received the same.
		same := Channel(pipe{bytes.NewReader(back.Bytes()), nil}, nil)
		for {
			msg, err := same.Recv()
			if err != nil {
				break
			}
			if !bytes.Contains(data, msg) {
				t.Fatalf("%q was never sent", msg)
			}
		}
	})
}

// pieces reads a few bytes at a time.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.data)
	p.data = p.data[n:]
	return n, nil
}
