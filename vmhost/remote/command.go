package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire/resume"
)

const (
	maxSaid     = 64 << 10 // bytes that are read of what a command says
	commandTime = 30 * time.Second
	sendTime    = 10 * time.Minute
	confirmTime = 5 * time.Second // for the other computer to confirm that a channel is closed
)

// channel is a command there, as a stream.
type channel struct {
	session *ssh.Session
	in      io.WriteCloser
	out     io.Reader
	said    hosted.Tail // what it says on its standard error

	client *ssh.Client
	gone   chan struct{} // closed when the command has ended, or its connection
	status error         // of the command; there when gone is closed
}

// start starts a command. Nothing is asked for with it: no terminal, no agent, no variables.
func start(ctx context.Context, client *ssh.Client, command string) (*channel, error) {
	opened := make(chan error, 1)
	c := &channel{client: client, gone: make(chan struct{})}
	go func() {
		session, err := client.NewSession()
		if err != nil {
			opened <- err
			return
		}
		c.session = session
		session.Stderr = &c.said
		if c.in, err = session.StdinPipe(); err == nil {
			if c.out, err = session.StdoutPipe(); err == nil {
				err = session.Start(command)
			}
		}
		if err != nil {
			session.Close()
		}
		opened <- err
		if err == nil {
			c.status = session.Wait() // it answers once
			close(c.gone)
		}
	}()
	select {
	case err := <-opened:
		if err != nil {
			return nil, err
		}
		return c, nil
	case <-ctx.Done():
		client.Close() // else it would wait for good
		return nil, context.Cause(ctx)
	}
}

// Read, Write and Close implement io.ReadWriteCloser. A channel is closed when the other side
// says so, too (RFC 4254, 5.3): one that does not, for it is silent or means harm, loses the
// connection, and with it everybody who reads.
func (c *channel) Read(p []byte) (int, error)  { return c.out.Read(p) }
func (c *channel) Write(p []byte) (int, error) { return c.in.Write(p) }
func (c *channel) Close() error {
	late := time.AfterFunc(confirmTime, func() { c.client.Close() })
	go func() {
		<-c.gone
		late.Stop()
	}()
	if err := c.session.Close(); !errors.Is(err, io.EOF) { // which is that the other side was first
		return err
	}
	return nil
}

// script runs a line of sh there. It has no single quotes in it, so that every login shell
// hands it on as it is.
func script(ctx context.Context, client *ssh.Client, line string, in io.Reader, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := start(ctx, client, "exec /bin/sh -c '"+sayMark+"; "+line+"'")
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	go func() {
		if in != nil {
			_, _ = io.Copy(c.in, in)
		}
		c.in.Close()
	}()
	var out []byte
	if err = skipToMark(c.out); err == nil {
		out, err = io.ReadAll(io.LimitReader(c.out, maxSaid+1))
	}
	switch {
	case errors.Is(err, resume.ErrProtocol) || len(out) > maxSaid:
		return "", failed(vmhost.ReasonProtocol, errors.New("the other computer says too much"))
	case err == nil || errors.Is(err, io.EOF):
		if <-c.gone; c.status != nil {
			err = c.status
		} else if err != nil {
			err = unfit(fmt.Errorf("it runs no sh: %w", err))
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return string(out), fmt.Errorf("%w: %s", err, c.said.String())
	}
	return string(out), nil
}

// safe refuses directories of piwork's that are links, or another's.
const safe = `for x in "$HOME/.cache" "$HOME/.cache/piwork" "$HOME/.cache/piwork/agent" "$HOME/.cache/piwork/program"; do ` +
	`if [ -L "$x" ] || { [ -e "$x" ] && [ ! -O "$x" ]; }; then echo unsafe; exit 0; fi; done; `

// program is the agent, or another one to be sent.
type program struct {
	bytes   []byte
	dir     string // of ~/.cache/piwork, in which it is
	digest  string
	machine string // as uname -m says it
}

func readProgram(name string) (*program, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	machine := map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}[f.Machine]
	sum := sha256.Sum256(b)
	return &program{b, "agent", hex.EncodeToString(sum[:]), machine}, nil
}

// command is the command line of the agent there.
func (p *program) command() string {
	return `exec /bin/sh -c '` + sayMark + ` && exec "$HOME/.cache/piwork/agent/` + p.digest + `" remote'`
}

// Each command says a line of its own first, since the login shell may have said something
// before it.
const (
	markLine = "piwork-is-here"
	mark     = "\n" + markLine + "\n"
	sayMark  = `printf "\n%s\n" ` + markLine
)

// skipToMark reads what comes before the mark, and the mark.
func skipToMark(r io.Reader) error {
	var said []byte
	for one := make([]byte, 1); len(said) < maxSaid; {
		if _, err := io.ReadFull(r, one); err != nil {
			return fmt.Errorf("%w after %.200q", err, said)
		}
		if said = append(said, one[0]); bytes.HasSuffix(said, []byte(mark)) {
			return nil
		}
	}
	return fmt.Errorf("%w: the login shell there says too much", resume.ErrProtocol)
}

// ensure sends the agent, unless it is there.
func (p *program) ensure(ctx context.Context, client *ssh.Client) error {
	place := `"$HOME/.cache/piwork/` + p.dir + `/` + p.digest + `"`
	out, err := script(ctx, client, `echo "$(uname -s) $(uname -m)"; `+safe+`if [ -f `+place+` ] && [ ! -L `+place+` ]; then sha256sum < `+place+`; else echo missing; fi`, nil, commandTime)
	if err != nil {
		return explainCommand("ask the other computer what it is", err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		return unfit(fmt.Errorf("it says %.200q", out))
	}
	system, state := lines[0], lines[1]
	switch {
	case system != "Linux "+p.machine:
		return unfit(fmt.Errorf("it is %.60q, and piwork's programs are of %q", system, "Linux "+p.machine))
	case state == "unsafe":
		return unfit(errors.New("~/.cache there is a link, or belongs to another user: piwork starts no program out of it"))
	case state == p.digest+"  -":
		return nil
	}
	return p.send(ctx, client, place)
}

// zipped has what write writes packed with gzip to w, in pieces of the size of SSH's packets:
// gzip's own are of 240 bytes, and OpenSSH's server takes time for each.
func zipped(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 32<<10)
	z, err := gzip.NewWriterLevel(b, gzip.BestSpeed) // a tenth more bytes, in a third of the time
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return errors.Join(z.Close(), b.Flush())
}

func (p *program) send(ctx context.Context, client *ssh.Client, place string) error {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(zipped(w, func(z io.Writer) error {
			_, err := z.Write(p.bytes)
			return err
		}))
	}()
	defer r.Close()
	staged := `"$HOME/.cache/piwork/` + p.dir + `/.new-` + hex.EncodeToString(random) + `"`
	out, err := script(ctx, client, `umask 077; mkdir -p "$HOME/.cache/piwork/`+p.dir+`" && chmod 700 "$HOME/.cache/piwork" && gzip -dc > `+staged+
		` && [ "$(sha256sum < `+staged+`)" = "`+p.digest+`  -" ] && chmod 500 `+staged+` && mv -f `+staged+` `+place+` && echo sent; r=$?; rm -f `+staged+`; exit $r`, r, sendTime)
	switch {
	case err != nil:
		return explainCommand("send the agent", err)
	case !strings.HasSuffix(strings.TrimSpace(out), "sent"):
		return unfit(fmt.Errorf("the agent did not arrive whole: %.200q", out))
	}
	return nil
}

func unfit(err error) error { return failed(vmhost.ReasonRemoteUnfit, err) }

// explainCommand is the error of a command there.
func explainCommand(what string, err error) error {
	var known *vmhost.FailedError
	var status *ssh.ExitError
	err = fmt.Errorf("%s: %w", what, err)
	switch {
	case errors.As(err, &known):
		return err
	case strings.Contains(err.Error(), "No space left") || strings.Contains(err.Error(), "Disk quota"):
		return failed(vmhost.ReasonRemoteFull, err)
	case errors.As(err, &status):
		return unfit(err)
	}
	return failed(vmhost.ReasonRemoteUnreachable, err)
}

// knowsNothing is what an agent says of a part that it does not have (piwork-guest's main).
const knowsNothing = "this program runs as /init"

// request asks the agent there something; the channel stays open after the answer.
func (p *program) request(ctx context.Context, client *ssh.Client, r resume.Request) (*channel, resume.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	c, err := start(ctx, client, p.command())
	if err != nil {
		return nil, resume.Answer{}, explainCommand(r.Action, err)
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	var a resume.Answer
	werr := resume.WriteLine(c, r)
	if err = skipToMark(c); err == nil {
		err = resume.ReadLine(c, &a)
	}
	if err != nil && !errors.Is(err, resume.ErrProtocol) {
		err = errors.Join(werr, err)
		<-c.gone // then it has said why; at the latest when ctx ends
	}
	stop()
	if err == nil && ctx.Err() == nil && a.Error == "" {
		return c, a, nil
	}
	c.Close()
	switch {
	case errors.Is(err, resume.ErrProtocol):
		return nil, a, failed(vmhost.ReasonProtocol, err)
	case ctx.Err() != nil:
		return nil, a, failed(vmhost.ReasonRemoteUnreachable, context.Cause(ctx))
	case err != nil && strings.Contains(c.said.String(), knowsNothing):
		return nil, a, failed(vmhost.ReasonVersion, errors.New("the agent of the installed runtime cannot work on another computer yet"))
	case err != nil:
		return nil, a, explainCommand(r.Action, fmt.Errorf("%w: %s", err, c.said.String()))
	}
	return nil, a, answered(a)
}

// answered is the error that the agent there answered.
func answered(a resume.Answer) error {
	err := fmt.Errorf("%.1000s", a.Error)
	switch a.Code {
	case resume.CodeGone:
		return &goneError{err}
	case resume.CodeDisk:
		return failed(vmhost.ReasonRemoteFull, err)
	case resume.CodeBusy:
		return fmt.Errorf("%w: %w", errBusy, err)
	case resume.CodeDamaged:
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return unfit(err)
}

// goneError is that a place is no more.
type goneError struct{ err error }

func (e *goneError) Error() string { return "the place is no more: " + e.err.Error() }
func (e *goneError) Unwrap() error { return e.err }
