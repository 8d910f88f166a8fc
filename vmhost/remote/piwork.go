package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"

	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/sanitize"
	"piwork/vmhost/wire/resume"
)

// Why the piwork on another computer cannot be used.
const (
	ProgramMissing = "missing" // it is at none of the usual places, nor where the person says
	ProgramFails   = "fails"   // its program does not run, or its controller does not start
	ProgramOld     = "old"     // it cannot be asked from another computer yet
	ProgramSystem  = "system"  // the computer has no shell in which it could be looked for
)

// ProgramError is that the piwork on another computer cannot be used.
type ProgramError struct {
	Why    string
	Detail string // what that computer says, fit to be shown
}

func (e *ProgramError) Error() string {
	if e.Detail == "" {
		return "piwork there: " + e.Why
	}
	return "piwork there: " + e.Why + ": " + e.Detail
}

// Found says where piwork lies on a computer.
type Found struct {
	Program string // its path
	Home    string // of the person
	Version string
}

// Piwork is the piwork on another computer. One connection leads to it, which is made again
// when it is lost; each stream (Dial) is a channel on which `piwork dial-stdio` runs there.
type Piwork struct {
	Found

	// OnLost hears that the connection was lost and is being made again. Nil is nobody.
	OnLost func()

	computer Computer
	patience time.Duration // to make it again

	connecting sync.Mutex
	mu         sync.Mutex
	client     *ssh.Client // nil while there is none
	closed     bool
}

// A connection on which nothing comes is asked whether it stands.
const (
	aliveEvery = 15 * time.Second
	aliveTime  = 30 * time.Second
)

const (
	maxPath    = 4096 // bytes of a path there
	maxVersion = 2000 // bytes that are read of what the program says of itself
	maxDetail  = 1000
)

// CheckProgram refuses what cannot be the path of a program there: absolute, or below the
// home. "" is one of the usual places.
func CheckProgram(path string) error {
	switch {
	case path == "":
		return nil
	case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~/"), !fitsPath(path):
		return fmt.Errorf("%q is no path from / or ~/", path)
	}
	return nil
}

// fitsPath reports whether a path can be shown, and is a line.
func fitsPath(path string) bool {
	return len(path) <= maxPath && utf8.ValidString(path) && sanitize.Name(path) == path
}

// findLine looks for piwork: where its input says, or at the usual places. Nothing that a
// person chose is in a command line.
const findLine = `IFS= read -r p; case "$p" in "~/"*) p="$HOME/${p#??}";; esac; ` +
	`if [ -z "$p" ]; then for c in "$(command -v piwork 2>/dev/null)" "$HOME/.local/bin/piwork" "$HOME/bin/piwork" /usr/local/bin/piwork /usr/bin/piwork ` +
	`/opt/piwork/piwork /opt/piwork/bin/piwork /opt/homebrew/bin/piwork /Applications/piwork.app/Contents/MacOS/piwork "$HOME/.cache/piwork/` + programDir + `/piwork"; do ` +
	`case "$c" in /*) if [ -f "$c" ] && [ -x "$c" ]; then p="$c"; break; fi;; esac; done; fi; ` +
	`if [ -n "$p" ]; then if [ ! -f "$p" ] || [ ! -x "$p" ]; then p=; fi; fi; ` +
	`v=; if [ -n "$p" ]; then v="$("$p" version --json </dev/null 2>&1 | head -c 2000 | tr "\n" " ")"; fi; ` +
	`printf "%s\n%s\n%s\n" "$HOME" "$p" "$v"`

// dialLine has the program that its input names first join its input and output with the
// controller.
const dialLine = `exec /bin/sh -c 'IFS= read -r p && ` + sayMark + ` && exec "$p" dial-stdio'`

// FindPiwork connects, and looks for piwork there.
func (c *Computer) FindPiwork(ctx context.Context) (*Piwork, error) {
	p := &Piwork{computer: *c, patience: UsualPatience}
	client, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	p.use(client)
	if p.Found, err = find(ctx, client, c.Program); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// find looks for piwork over a connection.
func find(ctx context.Context, client *ssh.Client, program string) (Found, error) {
	if err := CheckProgram(program); err != nil {
		return Found{}, &ProgramError{ProgramMissing, err.Error()}
	}
	out, err := script(ctx, client, findLine, strings.NewReader(program+"\n"), commandTime)
	var status *ssh.ExitError
	switch {
	case errors.As(err, &status) || errors.Is(err, io.EOF):
		return Found{}, &ProgramError{ProgramSystem, detail(err.Error())}
	case err != nil:
		return Found{}, explainCommand("look for piwork there", err)
	}
	return parseFound(out)
}

// versionForm is that of versions of piwork.
var versionForm = lazyregexp.New(`^[0-9][0-9A-Za-z.+-]{0,63}$`)

// parseFound reads what findLine answers: the home, the program, and what the program says of
// itself.
func parseFound(out string) (Found, error) {
	lines := strings.Split(out, "\n")
	if len(lines) < 3 {
		return Found{}, &ProgramError{ProgramSystem, detail(out)}
	}
	f := Found{Home: lines[0], Program: lines[1]}
	switch {
	case !strings.HasPrefix(f.Home, "/") || !fitsPath(f.Home):
		return Found{}, &ProgramError{ProgramSystem, detail(out)}
	case f.Program == "":
		return Found{}, &ProgramError{Why: ProgramMissing}
	case !strings.HasPrefix(f.Program, "/") || !fitsPath(f.Program):
		return Found{}, &ProgramError{ProgramSystem, detail(out)}
	}
	var said struct {
		Version string `json:"version"`
	}
	if len(lines[2]) > 2*maxVersion || json.Unmarshal([]byte(lines[2]), &said) != nil || !versionForm().MatchString(said.Version) {
		return Found{}, &ProgramError{ProgramFails, detail(f.Program + ": " + lines[2])}
	}
	f.Version = said.Version
	return f, nil
}

// detail is what another computer says, fit to be shown.
func detail(said string) string {
	said = strings.TrimSpace(sanitize.Text(said))
	if len(said) > maxDetail {
		said = strings.ToValidUTF8(said[:maxDetail], "")
	}
	return said
}

// use takes a connection, and looks after it until it ends.
func (p *Piwork) use(client *ssh.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		client.Close()
		return
	}
	p.client = client
	go func() {
		keepAlive(client, aliveEvery, aliveTime)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.client == client {
			p.client = nil
		}
	}()
}

// keepAlive ends a connection whose other side says nothing any more: it asks it every so
// often, and waits so long. It returns when the connection has ended.
func keepAlive(client *ssh.Client, often, patience time.Duration) {
	gone := make(chan struct{})
	go func() {
		_ = client.Wait()
		close(gone)
	}()
	every := time.NewTicker(often)
	defer every.Stop()
	for {
		select {
		case <-gone:
			return
		case <-every.C:
		}
		late := time.AfterFunc(patience, func() { client.Close() })
		_, _, err := client.SendRequest("keepalive@openssh.com", true, nil) // any answer is one
		late.Stop()
		if err != nil {
			client.Close()
			<-gone
			return
		}
	}
}

// Close ends the connection, and all streams with it.
func (p *Piwork) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.client != nil {
		p.client.Close()
	}
}

// connected is the connection. One that was lost is made again, for as long as patience lasts
// and nothing but the way is what fails.
func (p *Piwork) connected(ctx context.Context) (*ssh.Client, error) {
	p.connecting.Lock()
	defer p.connecting.Unlock()
	p.mu.Lock()
	client, closed := p.client, p.closed
	p.mu.Unlock()
	switch {
	case closed:
		return nil, net.ErrClosed
	case client != nil:
		return client, nil
	}
	if p.OnLost != nil {
		p.OnLost()
	}
	for since, pause := time.Now(), firstPause; ; pause = min(2*pause, lastPause) {
		client, err := p.computer.dial(ctx)
		if err == nil {
			p.use(client)
			return client, nil
		}
		if f, is := errors.AsType[*vmhost.FailedError](err); is && f.Reason != vmhost.ReasonRemoteUnreachable || time.Since(since) > p.patience {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Dial makes a stream to the controller there.
func (p *Piwork) Dial(ctx context.Context) (net.Conn, error) {
	for turn := 0; ; turn++ {
		client, err := p.connected(ctx)
		if err != nil {
			return nil, err
		}
		c, err := startWithin(ctx, client, dialLine)
		if err == nil {
			if _, err = io.WriteString(c, p.Program+"\n"); err == nil {
				return &stream{channel: c}, nil
			}
			c.Close()
		}
		if _, is := errors.AsType[*ssh.OpenChannelError](err); is || ctx.Err() != nil || turn > 0 {
			return nil, failed(vmhost.ReasonRemoteLost, err)
		}
		client.Close() // it was lost, and nobody had noticed
		p.mu.Lock()
		if p.client == client {
			p.client = nil
		}
		p.mu.Unlock()
	}
}

// startWithin is start for a connection that others use: it is not lost when the caller gives
// up, but when the other side does not answer.
func startWithin(ctx context.Context, client *ssh.Client, command string) (*channel, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTime)
	defer cancel()
	return start(ctx, client, command)
}

// stream is a channel as a connection.
type stream struct {
	*channel
	begun bool // the mark was read
	heard atomic.Bool
}

// Read implements net.Conn, as do the others. A stream that ends before anything came has the
// error of the program there.
func (s *stream) Read(b []byte) (int, error) {
	if !s.begun {
		switch err := skipToMark(s.channel); {
		case errors.Is(err, io.EOF):
			return 0, s.why()
		case errors.Is(err, resume.ErrProtocol):
			return 0, failed(vmhost.ReasonProtocol, err)
		case err != nil:
			return 0, err
		}
		s.begun = true
	}
	n, err := s.channel.Read(b)
	if n > 0 {
		s.heard.Store(true)
	}
	if n == 0 && errors.Is(err, io.EOF) && !s.heard.Load() {
		return 0, s.why()
	}
	return n, err
}

// why is the error of a program that ended without a word on its standard output.
func (s *stream) why() error {
	select {
	case <-s.gone:
	case <-time.After(confirmTime):
		return io.ErrUnexpectedEOF
	}
	var status *ssh.ExitError
	switch {
	case s.status == nil:
		return io.EOF // the controller there ended, and said nothing
	case !errors.As(s.status, &status):
		return failed(vmhost.ReasonRemoteLost, s.status)
	case status.ExitStatus() == usageStatus:
		return &ProgramError{ProgramOld, detail(s.said.String())}
	}
	return &ProgramError{ProgramFails, detail(s.said.String())}
}

// usageStatus is the exit code of a program that does not know a command (app/cli).
const usageStatus = 2

// CloseWrite says that nothing more comes from here.
func (s *stream) CloseWrite() error { return s.in.Close() }

func (s *stream) LocalAddr() net.Addr              { return nowhere{} }
func (s *stream) RemoteAddr() net.Addr             { return nowhere{} }
func (s *stream) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (s *stream) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (s *stream) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
