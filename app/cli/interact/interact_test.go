//go:build unix

package interact

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/creack/pty"
	"golang.org/x/term"

	"piwork/app/attach"
	"piwork/vmhost/wire"
)

// localTerminal is one that a person looks at: what they type goes into the first file.
func localTerminal(t *testing.T) (person, local *os.File) {
	t.Helper()
	person, local, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close(); _ = local.Close() })
	if err := pty.Setsize(person, &pty.Winsize{Rows: 33, Cols: 91}); err != nil {
		t.Fatal(err)
	}
	return person, local
}

// start runs a session on a terminal.
func start(t *testing.T, p *attach.Program, local *os.File) <-chan error {
	t.Helper()
	show := func(b []byte) error { _, err := local.Write(b); return err }
	end := make(chan error, 1)
	c := p.Attach(true)
	go func() {
		defer c.Close()
		end <- Run(t.Context(), c, Local{Stdin: local, Stdout: show, Stderr: show, Terminal: local, Screen: local})
	}()
	return end
}

// take reads so much of the program's input.
func take(t *testing.T, p *attach.Program, want string) {
	t.Helper()
	b := make([]byte, len(want))
	if _, err := io.ReadFull(p.Input(), b); err != nil || string(b) != want {
		t.Fatalf("the program gets %q %v, not %q", b, err, want)
	}
}

func TestATerminalIsThePrograms(t *testing.T) {
	person, local := localTerminal(t)
	before, err := term.GetState(int(local.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	p := attach.New(attach.Info{Terminal: true, Input: true}, true)
	end := start(t, p, local)
	if s := <-p.Sizes(); s != (wire.TerminalSize{Columns: 91, Rows: 33}) {
		t.Errorf("its size is %+v", s)
	}
	// Every key is the program's: Ctrl-C, Ctrl-Z, Ctrl-D, Ctrl-S, Ctrl-\, Enter.
	keys := "a\x03\x1a\x04\x13\x1c\r"
	if _, err := person.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	take(t, p, keys)
	// What it writes arrives as it is, and nothing else does.
	hostile := "\x1b[2J\x1b]0;title\x07\x00\xff\n\x9b31m"
	p.Output(t.Context(), wire.Stdout, []byte(hostile))
	got := make([]byte, len(hostile))
	if _, err := io.ReadFull(person, got); err != nil || string(got) != hostile {
		t.Errorf("%q %v", got, err)
	}
	p.Close()
	if err := <-end; err != nil {
		t.Errorf("it ends with %v", err)
	}
	if after, err := term.GetState(int(local.Fd())); err != nil || *after != *before {
		t.Errorf("the terminal is not as before: %v", err)
	}
}

func TestASizeThatChangesArrives(t *testing.T) {
	_, local := localTerminal(t)
	p := attach.New(attach.Info{Terminal: true, Input: true}, true)
	end := start(t, p, local)
	if err := pty.Setsize(local, &pty.Winsize{Rows: 50, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	for {
		raise(t) // as the kernel does to whose terminal it is
		if s := <-p.Sizes(); s == (wire.TerminalSize{Columns: 120, Rows: 50}) {
			break
		}
	}
	p.Close()
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestKeysThatDetach(t *testing.T) {
	person, local := localTerminal(t)
	p := attach.New(attach.Info{Terminal: true, Input: true}, true)
	end := start(t, p, local)
	<-p.Sizes() // it is raw
	for _, typed := range []string{"a\x10", "\x11"} {
		if _, err := person.WriteString(typed); err != nil {
			t.Fatal(err)
		}
	}
	take(t, p, "a")
	if err := <-end; !errors.Is(err, ErrDetached) {
		t.Errorf("it ends with %v", err)
	}
}

// A program that reads nothing keeps nobody: the keys are heard after more than may wait for it.
func TestKeysThatDetachFromAProgramThatDoesNotRead(t *testing.T) {
	person, local := localTerminal(t)
	p := attach.New(attach.Info{Terminal: true, Input: true}, true)
	end := start(t, p, local)
	<-p.Sizes() // the terminal is raw
	pasted := bytes.Repeat([]byte("x"), 2*attach.Room)
	if _, err := person.Write(append(pasted, ctrlP, ctrlQ)); err != nil {
		t.Fatal(err)
	}
	if err := <-end; !errors.Is(err, ErrDetached) {
		t.Error(err)
	}
}

func TestDetacher(t *testing.T) {
	for name, tt := range map[string]struct {
		typed, want string
		detach      bool
	}{
		"nothing":             {"", "", false},
		"text":                {"ls\r\x03", "ls\r\x03", false},
		"the keys":            {"a\x10\x11b", "a", true},
		"Ctrl-P twice":        {"\x10\x10", "\x10", false},
		"Ctrl-P twice, then":  {"\x10\x10\x11", "\x10\x11", false},
		"three and Ctrl-Q":    {"\x10\x10\x10\x11", "\x10", true},
		"Ctrl-P and a letter": {"\x10x\x11", "\x10x\x11", false},
		"Ctrl-Q alone":        {"\x11", "\x11", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 100} { // also parted over reads
				var d detacher
				var out []byte
				detach := false
				for part := range slices.Chunk([]byte(tt.typed), size) {
					got, is := d.pass(part)
					out = append(out, got...)
					if detach = is; is {
						break
					}
				}
				if string(out) != tt.want || detach != tt.detach {
					t.Errorf("in parts of %d: %q %v", size, out, detach)
				}
			}
		})
	}
}

func TestInputThatIsNoTerminal(t *testing.T) {
	p := attach.New(attach.Info{Input: true}, true)
	in := strings.Repeat("all of it \x10\x11", 100_000)
	var out bytes.Buffer
	c := p.Attach(true)
	go func() {
		got, err := io.ReadAll(p.Input())
		if err != nil {
			t.Error(err)
		}
		p.Output(t.Context(), wire.Stderr, got)
		p.Close()
	}()
	l := Local{Stdin: iotest.HalfReader(strings.NewReader(in)), Stderr: func(b []byte) error { out.Write(b); return nil }}
	if err := Run(t.Context(), c, l); err != nil {
		t.Fatal(err)
	}
	if out.String() != in {
		t.Errorf("%d bytes of %d", out.Len(), len(in))
	}
}

func TestALostConnectionIsSaid(t *testing.T) {
	gone := errors.New("gone")
	c := lost{attach.New(attach.Info{Terminal: true}, false).Attach(false), &attach.LostError{Err: gone}}
	_, local := localTerminal(t)
	before, _ := term.GetState(int(local.Fd()))
	if err := Run(t.Context(), c, Local{Terminal: local, Screen: local}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	if after, err := term.GetState(int(local.Fd())); err != nil || *after != *before {
		t.Error("the terminal stays raw")
	}
}

// lost is a connection that ends.
type lost struct {
	attach.Conn
	err error
}

func (l lost) Read(context.Context) (attach.Piece, error) { return attach.Piece{}, l.err }

func raise(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
}
