package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

const (
	dialTime  = 20 * time.Second // for one connection, with its greeting
	maxKeyLen = 1 << 20          // bytes of a file with a key
)

// Computer is another computer, and what is known of it.
type Computer struct {
	Target   Target
	HostKeys map[string]string // keys that a person confirmed, by address, as in authorized_keys
	Program  string            // where piwork lies there; "" is one of the usual places

	configFile string // another SSH configuration, for tests
}

// maxText bounds what of an error is shown, in bytes: a computer can say anything.
const maxText = 2 << 10

// failed is an error of a step with another computer.
func failed(reason vmhost.Reason, err error) error {
	text := err.Error()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
		err = &shortened{text, err}
	}
	return &vmhost.FailedError{Runtime: vmhost.KindRemote, Step: hosted.StepPlace, Reason: reason, Detail: text, Err: err}
}

// shortened is an error with less of its text.
type shortened struct {
	text string
	err  error
}

func (s *shortened) Error() string { return s.text }
func (s *shortened) Unwrap() error { return s.err }

// dial connects, over other computers where the configuration says so.
func (c *Computer) dial(ctx context.Context) (*ssh.Client, error) {
	s, err := lookUp(ctx, c.Target, c.configFile)
	if err != nil {
		return nil, failed(vmhost.ReasonRemoteUnreachable, err)
	}
	var via []*ssh.Client
	over := func(err error) (*ssh.Client, error) {
		for _, v := range slices.Backward(via) {
			v.Close()
		}
		return nil, err
	}
	for _, j := range s.jumps {
		js, err := lookUp(ctx, j, c.configFile)
		if err == nil && len(js.jumps) > 0 && len(via) == 0 {
			err = errors.New("a ProxyJump over a computer that has one itself: name both in one line")
		}
		if err != nil {
			return over(failed(vmhost.ReasonRemoteUnreachable, err))
		}
		client, err := c.connect(ctx, js, last(via))
		if err != nil {
			return over(err)
		}
		via = append(via, client)
	}
	client, err := c.connect(ctx, s, last(via))
	if err != nil {
		return over(err)
	}
	if len(via) > 0 {
		go func() {
			_ = client.Wait()
			_, _ = over(nil)
		}()
	}
	return client, nil
}

func last(via []*ssh.Client) *ssh.Client {
	if len(via) == 0 {
		return nil
	}
	return via[len(via)-1]
}

// connect makes one connection. Errors of it are *vmhost.FailedError.
func (c *Computer) connect(ctx context.Context, s settings, via *ssh.Client) (*ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	known, err := newHostKeys(s, c.HostKeys)
	if err != nil {
		return nil, failed(vmhost.ReasonRemoteUnreachable, err)
	}
	var conn net.Conn
	if via == nil {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	} else {
		conn, err = via.DialContext(ctx, "tcp", s.address)
	}
	if err != nil {
		return nil, failed(vmhost.ReasonRemoteUnreachable, err)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	auth := &login{ctx: ctx, s: s}
	defer auth.close()
	var refused *HostKeyError
	cc, channels, requests, err := ssh.NewClientConn(conn, s.address, &ssh.ClientConfig{
		User: s.user, Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(auth.signers)}, HostKeyAlgorithms: known.algorithms(),
		HostKeyCallback: func(host string, remote net.Addr, key ssh.PublicKey) error {
			err := known.check(host, remote, key)
			errors.As(err, &refused)
			return err
		},
	})
	if err != nil {
		conn.Close()
		return nil, auth.explain(ctx, err, refused, known)
	}
	return ssh.NewClient(cc, channels, requests), nil
}

// login are the person's keys.
type login struct {
	ctx    context.Context
	s      settings
	conn   net.Conn // to their agent
	tried  bool
	locked []string // files with a password
}

func (l *login) close() {
	if l.conn != nil {
		l.conn.Close()
	}
}

// signers are the keys of the agent, those that the configuration names first, then those of
// files, as with ssh: a server lets nobody try many.
func (l *login) signers() ([]ssh.Signer, error) {
	l.tried = true
	var all, files []ssh.Signer
	var wanted [][]byte // of the agent's
	var certs []*ssh.Certificate
	for _, name := range l.s.certs {
		certs = append(certs, readCertificate(name))
	}
	for _, name := range l.s.keys {
		for _, public := range []string{name, name + ".pub"} { // the agent has what belongs to it
			if b, err := readKey(public); err == nil {
				if k, _, _, _, err := ssh.ParseAuthorizedKey(b); err == nil {
					wanted = append(wanted, k.Marshal())
				}
			}
		}
		certs = append(certs, readCertificate(name+"-cert.pub"))
		b, err := readKey(name)
		if err != nil {
			continue
		}
		k, err := ssh.ParsePrivateKey(b)
		var locked *ssh.PassphraseMissingError
		switch {
		case errors.As(err, &locked):
			l.locked = append(l.locked, name)
		case err == nil:
			files, wanted = append(files, k), append(wanted, k.PublicKey().Marshal())
		}
	}
	certs = slices.DeleteFunc(certs, func(c *ssh.Certificate) bool { return c == nil })
	for _, c := range certs { // their keys may be the agent's alone
		wanted = append(wanted, c.Marshal(), c.Key.Marshal())
	}
	named := func(k ssh.Signer) bool {
		return slices.ContainsFunc(wanted, func(b []byte) bool { return bytes.Equal(b, k.PublicKey().Marshal()) })
	}
	if l.s.agent != "" {
		if conn, err := (&net.Dialer{}).DialContext(l.ctx, "unix", l.s.agent); err == nil {
			l.conn = conn
			_ = conn.SetDeadline(time.Now().Add(dialTime))
			theirs, _ := agent.NewClient(conn).Signers()
			var others []ssh.Signer
			for _, k := range theirs {
				if named(k) {
					all = append(all, k)
				} else if !l.s.onlyKeys {
					others = append(others, k)
				}
			}
			all = append(all, others...)
		}
	}
	for _, k := range files {
		if !slices.ContainsFunc(all, func(a ssh.Signer) bool { return bytes.Equal(a.PublicKey().Marshal(), k.PublicKey().Marshal()) }) {
			all = append(all, k)
		}
	}
	return append(certify(certs, all), all...), nil
}

// certify are the certificates of keys that are there: they are tried before the keys, as with
// ssh.
func certify(certs []*ssh.Certificate, keys []ssh.Signer) (all []ssh.Signer) {
	for _, c := range certs {
		for _, k := range keys {
			if bytes.Equal(c.Key.Marshal(), k.PublicKey().Marshal()) {
				if s, err := ssh.NewCertSigner(c, k); err == nil {
					all = append(all, s)
				}
				break
			}
		}
	}
	return all
}

// readCertificate reads one of a person's; nil where there is none.
func readCertificate(name string) *ssh.Certificate {
	b, err := readKey(name)
	if err != nil {
		return nil
	}
	k, _, _, _, err := ssh.ParseAuthorizedKey(b)
	if c, ok := k.(*ssh.Certificate); err == nil && ok && c.CertType == ssh.UserCert {
		return c
	}
	return nil
}

func readKey(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxKeyLen))
}

// explain says why there is no connection.
func (l *login) explain(ctx context.Context, err error, refused *HostKeyError, known *hostKeys) error {
	var kinds *ssh.AlgorithmNegotiationError
	switch {
	case refused != nil:
		return failed(refused.reason(), refused)
	case ctx.Err() != nil:
		return failed(vmhost.ReasonRemoteUnreachable, fmt.Errorf("%w: %w", context.Cause(ctx), err))
	case errors.As(err, &kinds) && kinds.What == "host key" && known.algorithms() != nil:
		// It no longer has a key of a kind that is known.
		return failed(vmhost.ReasonHostKeyChanged, err)
	case l.tried && strings.HasPrefix(err.Error(), "ssh: handshake failed: ssh: unable to authenticate"): // of no type
		if len(l.locked) > 0 {
			err = fmt.Errorf("%w; a key with a password is used when it is in your SSH agent: ssh-add %s", err, strings.Join(l.locked, " "))
		}
		return failed(vmhost.ReasonRemoteLogin, err)
	case l.tried && strings.Contains(strings.ToLower(err.Error()), "too many authentication failures"):
		return failed(vmhost.ReasonRemoteLogin, fmt.Errorf("%w; your SSH agent has more keys than this computer lets anybody try: name the right one in your SSH configuration (IdentityFile and IdentitiesOnly yes)", err))
	}
	return failed(vmhost.ReasonRemoteUnreachable, err)
}

// Look connects, to see whether the person is let in. The error of a key that nobody has
// confirmed yet, or that changed, has a *HostKeyError in it.
func (c *Computer) Look(ctx context.Context) error {
	client, err := c.dial(ctx)
	if err != nil {
		return err
	}
	return client.Close()
}
