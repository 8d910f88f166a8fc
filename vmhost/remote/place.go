package remote

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire/resume"
)

// How long this side waits between attempts to connect again.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 5 * time.Second
)

// endTime is how long the end there may take.
const endTime = 30 * time.Second

// place is one on another computer.
type place struct {
	cfg   *Config
	agent *program
	id    string
	token string
	user  int // whose files are, there
	conn  net.Conn
	rpc   *resume.Link
	parts sync.WaitGroup
	ctx   context.Context // of the parts
	stop  context.CancelFunc

	over sync.Once
	done chan struct{}
	exit error // before done is closed

	connecting sync.Mutex
	mu         sync.Mutex
	client     *ssh.Client // nil while it is lost
	attempt    int         // number of client
	said       string      // what the place said last
}

// open makes the place.
func (c *Config) open(ctx context.Context) (_ hosted.Place, err error) {
	p := &place{cfg: c, done: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			p.stop()
			p.hangUp()
		}
	}()
	if p.agent, err = readProgram(c.Agent); err != nil {
		return nil, err
	}
	client, _, err := p.connected(ctx)
	if err != nil {
		return nil, named(c.Name, err)
	}
	if err := p.agent.ensure(ctx, client); err != nil {
		return nil, named(c.Name, err)
	}
	pack := ""
	if c.Root != "" {
		pack = c.Digest
		if err := p.ensurePack(ctx); err != nil {
			return nil, named(c.Name, err)
		}
		if client, _, err = p.connected(ctx); err != nil {
			return nil, named(c.Name, err)
		}
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	p.token = hex.EncodeToString(secret)
	asked, a, err := p.agent.request(ctx, client, resume.Request{
		Action: resume.ActionStart, Token: p.token, Online: c.Env.Network == vmhost.NetworkAllow, Folders: c.ServeFUSE != nil, State: c.State,
		PatienceMS: c.Patience.Milliseconds(), Pack: pack,
	})
	if err != nil {
		return nil, named(c.Name, err)
	}
	asked.Close()
	if p.id, p.user = a.ID, a.User; a.SHA256 != p.agent.digest {
		return nil, named(c.Name, failed(vmhost.ReasonProtocol, fmt.Errorf("another program answers there: %.80q", a.SHA256)))
	}
	ours, theirs := net.Pipe()
	p.conn, p.rpc = ours, resume.New(theirs, false)
	p.parts.Go(func() { p.keep(resume.StreamRPC, p.rpc) })
	if c.ServeFUSE != nil {
		if err := p.serveFolders(); err != nil {
			return nil, errors.Join(err, p.End())
		}
	}
	return p, nil
}

// named gives an error the name of the runtime.
func named(name string, err error) error {
	if f, is := errors.AsType[*vmhost.FailedError](err); is {
		f.Runtime = vmhost.KindRemote + ":" + name
	}
	return err
}

// connected returns the connection, which is made where there is none.
func (p *place) connected(ctx context.Context) (*ssh.Client, int, error) {
	p.connecting.Lock()
	defer p.connecting.Unlock()
	p.mu.Lock()
	client, n := p.client, p.attempt
	p.mu.Unlock()
	if client != nil {
		return client, n, nil
	}
	client, err := p.cfg.Computer.dial(ctx)
	if err != nil {
		return nil, 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = client
	p.attempt++
	n = p.attempt
	go func() {
		_ = client.Wait()
		p.lost(n)
	}()
	return client, n, nil
}

// lost drops a connection, so that another one is made.
func (p *place) lost(attempt int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempt == attempt && p.client != nil {
		p.client.Close()
		p.client = nil
	}
}

func (p *place) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client != nil {
		p.client.Close()
		p.client = nil
	}
}

// keep has a stream attached until it ends, over one connection after the other.
func (p *place) keep(stream string, link *resume.Link) {
	defer link.Close()
	since, pause := time.Now(), firstPause
	for {
		attached, err := p.attach(stream, link)
		if attached {
			since, pause = time.Now(), firstPause
		}
		select {
		case <-link.Done():
			if stream == resume.StreamRPC {
				p.ended()
			}
			return
		case <-p.ctx.Done():
			return
		default:
		}
		if final := p.final(err); final != nil {
			p.lose(final)
			return
		}
		if time.Since(since) > p.cfg.Patience {
			p.lose(failed(vmhost.ReasonRemoteLost, err))
			return
		}
		p.cfg.Log.Info("the connection to another computer is lost and made again", "computer", p.cfg.Name, "stream", stream, "error", err)
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
			return
		}
		pause = min(2*pause, lastPause)
	}
}

// attach has a stream use the connection until one of them ends.
func (p *place) attach(stream string, link *resume.Link) (attached bool, err error) {
	client, n, err := p.connected(p.ctx)
	if err != nil {
		return false, err
	}
	c, _, err := p.agent.request(p.ctx, client, resume.Request{Action: resume.ActionAttach, ID: p.id, Token: p.token, Stream: stream})
	if err == nil {
		err = link.Attach(c)
		attached = true
	}
	select {
	case <-link.Done():
		return attached, nil
	default:
	}
	if gone := (*goneError)(nil); !errors.As(err, &gone) {
		p.lost(n) // another connection may do
	}
	if err == nil {
		err = errors.New("the connection ended")
	}
	return attached, err
}

// final is an error after which nobody connects again; nil for any other.
func (p *place) final(err error) error {
	var gone *goneError
	var f *vmhost.FailedError
	switch {
	case errors.As(err, &gone):
		return failed(vmhost.ReasonExited, gone)
	case errors.Is(err, resume.ErrProtocol):
		return failed(vmhost.ReasonProtocol, err)
	case errors.As(err, &f) && f.Reason != vmhost.ReasonRemoteUnreachable:
		return f
	}
	return nil
}

// lose ends the place for a reason of its own.
func (p *place) lose(why error) {
	if f, is := errors.AsType[*vmhost.FailedError](why); is {
		f.Runtime, f.Step = vmhost.KindRemote+":"+p.cfg.Name, ""
	}
	p.finish(why)
}

// ended notes that the agent there ended, or that this side left.
func (p *place) ended() {
	text, ended := p.rpc.Ended()
	if !ended {
		text = "this computer ended the conversation"
	}
	p.mu.Lock()
	p.said = text
	p.mu.Unlock()
	p.finish(errors.New("the agent on the other computer ended"))
}

func (p *place) finish(err error) {
	p.over.Do(func() {
		p.exit = err
		close(p.done)
		p.rpc.Close()
	})
}

// Conn implements hosted.Place, as do the others.
func (p *place) Conn() net.Conn        { return p.conn }
func (p *place) Done() <-chan struct{} { return p.done }
func (p *place) Exit() error           { return p.exit }

// Evidence is what the agent there said last.
func (p *place) Evidence() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said
}

// End ends what is left there, and the connection.
func (p *place) End() error {
	err := p.end()
	p.stop()
	p.finish(errors.New("it was ended"))
	p.hangUp()
	p.parts.Wait()
	return err
}

func (p *place) end() error {
	if _, ended := p.rpc.Ended(); ended {
		return nil // it said so when nothing was left
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	client, _, err := p.connected(ctx)
	if err == nil {
		var c *channel
		if c, _, err = p.agent.request(ctx, client, resume.Request{Action: resume.ActionEnd, ID: p.id}); err == nil {
			return c.Close()
		}
	}
	if _, is := errors.AsType[*goneError](err); is {
		return nil
	}
	return fmt.Errorf("what runs there ends by itself after %v: %w", p.cfg.Patience, err)
}

// serve has the folders served on a device.
func (p *place) serve(device *os.File) {
	err := p.cfg.ServeFUSE(p.ctx, device, p.user)
	device.Close()
	if err == nil {
		err = errors.New("the file server ended")
	}
	select {
	case <-p.done: // so it should
	default:
		p.lose(failed(vmhost.ReasonShare, err))
	}
}
