package sessions

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/attach"
	"piwork/vmhost/wire"
)

const (
	anna = "aaaaaaaaaaaaaaaa"
	ben  = "bbbbbbbbbbbbbbbb"
)

// poll reads as a page does, until it has said a text, or to its end for "".
func (w *world) poll(t *testing.T, id, client string, from int64, until string) (all string, last Output) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; {
		out, err := w.ReadSession(t.Context(), id, OutputRequest{Client: client, From: from, Seen: last.Turn, WaitMS: 10_000})
		if err != nil || time.Now().After(limit) {
			t.Fatalf("%v; it said %.500q", err, all)
		}
		all, from, last = all+string(out.Data), out.At+int64(len(out.Data)), out
		if until != "" && strings.Contains(all, until) || len(out.Data) == 0 && out.Session.State == StateTerminated {
			return all, last
		}
	}
}

func (w *world) typed(t *testing.T, id, client, text string) {
	t.Helper()
	if _, err := w.WriteSession(t.Context(), id, InputRequest{Client: client, Data: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// A page types and reads without a connection: words of other languages, an interrupt, and the
// end with its status. What was written before is there for who comes later.
func TestATerminalWithoutAConnection(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}, Env: map[string]string{"TERM": "xterm", "LC_ALL": "C.UTF-8"}})
	w.typed(t, s.ID, anna, "echo hällo-$((1+1))\r")
	_, last := w.poll(t, s.ID, anna, 0, "hällo-2\r\n")
	if !last.Writes || !last.Session.Writer || last.Session.Readers != 1 {
		t.Errorf("%+v", last)
	}
	w.typed(t, s.ID, anna, "sleep 300; echo re''turned $?\r")
	for limit := time.Now().Add(time.Minute); ; { // until the command is the terminal's, it is the shell's
		w.typed(t, s.ID, anna, "\x03")
		out, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: anna, From: last.At, WaitMS: 100})
		if err != nil || time.Now().After(limit) {
			t.Fatalf("it is not interrupted: %v", err)
		}
		if bytes.Count(out.Data, []byte("^C")) > 0 && out.Session.State == StateIdle {
			break
		}
	}
	for state := last.Session.State; state != StateTerminated; { // the shell may still be about the interrupts
		_, _ = w.WriteSession(t.Context(), s.ID, InputRequest{Client: anna, Data: []byte("\x15exit 7\r")})
		out, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: anna, From: last.At, WaitMS: 200})
		if err != nil {
			t.Fatal(err)
		}
		state = out.Session.State
	}
	all, last := w.poll(t, s.ID, ben, 0, "")
	if !strings.Contains(all, "hällo-2") || last.Session.Reason != ReasonExited || last.Session.Ending.ExitCode != 7 {
		t.Errorf("%q %+v", all, last.Session)
	}
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: anna, Data: []byte("x")}); code(err) != "session-over exited" {
		t.Error(err)
	}
}

// Of several windows one types; another that takes over, whatever its way, is told to those
// who wait, and whoever goes leaves the lease to others.
func TestOneOfThemTypes(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"cat"}})
	w.typed(t, s.ID, anna, "one\n")
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: ben, Data: []byte("two\n")}); code(err) != "session-busy writer" {
		t.Error(err)
	}
	all, last := w.poll(t, s.ID, anna, 0, "one\n")
	waits := make(chan Output, 1)
	go func() {
		out, _ := w.ReadSession(context.WithoutCancel(t.Context()), s.ID, OutputRequest{Client: anna, From: int64(len(all)), Seen: last.Turn, WaitMS: 25_000})
		waits <- out
	}()
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: ben, Take: true}); err != nil {
		t.Fatal(err)
	}
	if out := <-waits; out.Writes || len(out.Data) != 0 || out.Turn == last.Turn || !out.Session.Writer {
		t.Errorf("%+v", out)
	}
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: anna, Data: []byte("x")}); code(err) != "session-busy writer" {
		t.Error(err)
	}
	conn := w.attach(t, s, AttachRequest{Write: true, Take: true}) // a command line
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: ben, Data: []byte("x")}); code(err) != "session-busy writer" {
		t.Error(err)
	}
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: ben, Take: true}); err != nil {
		t.Fatal(err)
	}
	for {
		p, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.Taken {
			break
		}
	}
	w.later(patience + time.Second)
	w.typed(t, s.ID, anna, "three\n") // ben did not ask for a while
	w.poll(t, s.ID, anna, 4, "three\n")
}

// Who takes over the lease is the only one whose input comes from then on: what waits of the
// one before, in a request or for the program, is dropped.
func TestWhoTakesOverTypesAlone(t *testing.T) {
	w := newWorld(t)
	for name, write := range map[string]func(s Session) error{
		"with a connection": func(s Session) error {
			return w.attach(t, s, AttachRequest{Write: true}).Write(t.Context(), bytes.Repeat([]byte("A"), 1<<20))
		},
		"without": func(s Session) (err error) {
			for range 1 << 20 / attach.Room {
				if _, err = w.WriteSession(t.Context(), s.ID, InputRequest{Client: anna, Data: bytes.Repeat([]byte("A"), attach.Room)}); err != nil {
					break
				}
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			begin := filepath.Join(t.TempDir(), "go")
			s := w.create(t, Request{Argv: []string{"sh", "-c", "until [ -e '" + begin + "' ]; do sleep 0.1; done; exec cat"}, KeepKB: 4096})
			wrote := make(chan error, 1)
			go func() { wrote <- write(s) }()
			time.Sleep(500 * time.Millisecond) // it fills what is before the program, and waits
			other := w.attach(t, s, AttachRequest{Write: true, Take: true})
			if err := os.WriteFile(begin, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := other.Write(t.Context(), []byte(strings.Repeat("B", 300_000)+"END")); err != nil {
				t.Fatal(err)
			}
			all, _ := read(t, other, "END")
			if _, after, _ := strings.Cut(all, "B"); strings.Contains(after, "A") {
				t.Error("of the one before comes more")
			}
			if err := <-wrote; !errors.Is(err, attach.ErrNoInput) && code(err) != "session-busy writer" {
				t.Errorf("the one before: %v", err)
			}
		})
	}
}

// A page that is loaded again, or closed, breaks off what it asks: others type at once.
func TestWhoBreaksOffIsGone(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"cat"}})
	w.typed(t, s.ID, anna, "one\n")
	all, last := w.poll(t, s.ID, anna, 0, "one\n")
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error, 1)
	go func() {
		_, err := w.ReadSession(ctx, s.ID, OutputRequest{Client: anna, From: int64(len(all)), Seen: last.Turn, WaitMS: 25_000})
		waits <- err
	}()
	cancel()
	if err := <-waits; err == nil {
		t.Error("it got an answer")
	}
	if now, err := w.Session(t.Context(), s.ID); err != nil || now.Writer || now.Readers != 0 {
		t.Errorf("%+v %v", now, err)
	}
	w.typed(t, s.ID, ben, "two\n")
	w.poll(t, s.ID, ben, 4, "two\n")
}

// later lets time pass for clients that do not ask meanwhile.
func (w *world) later(d time.Duration) {
	now := w.o.Now
	w.o.Now = func() time.Time { return now().Add(d) }
}

// A new size is told to whoever reads.
func TestSizesAreTold(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"sleep", "300"}, Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}})
	first, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: anna})
	if err != nil || *first.Session.Size != (wire.TerminalSize{Columns: 80, Rows: 24}) {
		t.Fatalf("%+v %v", first, err)
	}
	size := wire.TerminalSize{Columns: 100, Rows: 30}
	if _, err := w.ResizeSession(t.Context(), s.ID, size); err != nil {
		t.Fatal(err)
	}
	if out, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: anna, Seen: first.Turn, WaitMS: 25_000}); err != nil || *out.Session.Size != size {
		t.Errorf("%+v %v", out, err)
	}
}

// What is asked for is bounded: how much an answer has, how long it waits, and how many ask.
func TestBoundsOfAsking(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"sh", "-c", "head -c 3000000 /dev/zero; sleep 300"}, KeepKB: 512})
	reader := w.attach(t, s, AttachRequest{})
	for n := reader.Info().Offset; n < 3_000_000; { // it begins with what is kept
		p, err := reader.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n += int64(len(p.Data)) + p.Skipped
	}
	ask := func(r OutputRequest) Output {
		t.Helper()
		r.Client = anna
		out, err := w.ReadSession(t.Context(), s.ID, r)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := ask(OutputRequest{})
	if first.At < 3_000_000-512<<10 || len(first.Data) > maxOutput || len(first.Data) == 0 {
		t.Errorf("%d bytes from %d", len(first.Data), first.At)
	}
	for _, from := range []int64{3_000_000, 1 << 62} { // the end, and beyond it
		if out := ask(OutputRequest{From: from, Seen: first.Turn, WaitMS: 1}); out.At != 3_000_000 || len(out.Data) != 0 {
			t.Errorf("from %d: %d bytes from %d", from, len(out.Data), out.At)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.ReadSession(ctx, s.ID, OutputRequest{Client: anna, From: 3_000_000, WaitMS: 25_000}); err == nil {
		t.Error("whoever is gone is waited for")
	}
	name := func(i int) string { return strings.Repeat(string(rune('A'+i%26)), 16+i/26) }
	for i := range maxPolled { // who broke off is none of them
		if _, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: name(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: ben}); code(err) != "session-busy clients" {
		t.Error(err)
	}
	if _, err := w.WriteSession(t.Context(), s.ID, InputRequest{Client: ben}); code(err) != "session-busy clients" {
		t.Error(err)
	}
	w.later(patience + time.Second)
	if got, err := w.Session(t.Context(), s.ID); err != nil || got.Readers != 1 { // the one with a connection
		t.Errorf("%+v %v", got, err)
	}
	if _, err := w.ReadSession(t.Context(), s.ID, OutputRequest{Client: ben}); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"", "none", strings.Repeat("x", 64)} {
		if _, err := w.ReadSession(t.Context(), id, OutputRequest{Client: ben}); code(err) != "not-found" {
			t.Error(err)
		}
		if _, err := w.WriteSession(t.Context(), id, InputRequest{Client: ben}); code(err) != "not-found" {
			t.Error(err)
		}
	}
}

// Input waits for a program that takes none, as long as whoever types does.
func TestTypingWaitsForTheProgram(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"sleep", "300"}})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var err error
	for range 100 {
		if _, err = w.WriteSession(ctx, s.ID, InputRequest{Client: anna, Data: make([]byte, attach.Room)}); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("more is taken than the program has room for")
	}
}

// Nobody waits to type into a program that closed its input: what it does not take is dropped.
func TestTypingIntoAClosedInput(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Argv: []string{"sh", "-c", "exec 0<&-; echo closed; sleep 300"}})
	c := w.attach(t, s, AttachRequest{Write: true})
	read(t, c, "closed\n")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.Write(ctx, make([]byte, 1<<20)); err != nil {
		t.Error(err)
	}
}

// A signal reaches the program in front on a terminal, and its shell survives what it ignores.
func TestASignalReachesTheProgramInFront(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}})
	w.typed(t, s.ID, anna, "sh -c 'trap \"echo caught; exit\" TERM; echo rea\"\"dy; while :; do sleep 0.1; done'\r")
	w.poll(t, s.ID, anna, 0, "ready\r\n")
	if _, err := w.SignalSession(t.Context(), s.ID, SignalRequest{Signal: "TERM"}); err != nil {
		t.Fatal(err)
	}
	w.poll(t, s.ID, anna, 0, "caught\r\n")
	w.typed(t, s.ID, anna, "echo al''ive\r")
	w.poll(t, s.ID, anna, 0, "alive\r\n")
}

// takesWords has a shell go on whose words a person took for functions.
func takesWords(t *testing.T, w *world, s Session, functions string) {
	t.Helper()
	if r := w.run(t, s, functions+"; (exit 7)"); r.ExitCode != 7 {
		t.Errorf("%+v", r)
	}
	if r := w.run(t, s, "printf x; sleep 0; (exit 8)"); r.ExitCode != 8 || string(r.Stdout) != "mine\n" || len(r.Stderr) > 0 {
		t.Errorf("%+v %q %q", r, r.Stdout, r.Stderr)
	}
	w.run(t, s, "unset -f printf read")
}

// Functions with the names of what a shell is told do not end its commands.
func TestAShellWhoseWordsAreTaken(t *testing.T) {
	w := newWorld(t)
	s := w.create(t, Request{})
	takesWords(t, w, s, "command() { echo mine; }; printf() { echo mine; }; read() { echo mine; }; exec() { echo mine; }; times() { echo mine; }")
	s = w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}})
	w.typed(t, s.ID, anna, "command() { echo mine; }; printf() { echo mine; }\recho al''ive\r")
	w.poll(t, s.ID, anna, 0, "alive\r\n")
	live, err := w.find(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); live.look().State != StateIdle; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it does not say that it waits")
		}
	}
	if all, _ := w.poll(t, s.ID, anna, 0, "alive\r\n"); strings.Contains(all, "\r\nmine") {
		t.Errorf("%q", all)
	}
}

// In a place without bash a terminal has sh, which takes what is typed, and so do its pipes.
func TestAShellWithoutBash(t *testing.T) {
	w := newWorld(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(sh, filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
	s := w.create(t, Request{Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}, Env: map[string]string{"PATH": dir}})
	w.typed(t, s.ID, anna, "echo he''llo\r")
	w.poll(t, s.ID, anna, 0, "hello\r\n")
	if err := os.Symlink("/bin/sleep", filepath.Join(dir, "sleep")); err != nil {
		t.Fatal(err)
	}
	s = w.create(t, Request{Env: map[string]string{"PATH": dir}})
	takesWords(t, w, s, "command() { echo mine; }; printf() { echo mine; }; read() { echo mine; }")
	w.typed(t, s.ID, anna, "typed\n")
	if r := w.run(t, s, "read x; echo $x"); string(r.Stdout) != "typed\n" {
		t.Errorf("%q", r.Stdout)
	}
}
