package inspect

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"piwork/vmhost/network/policy"
	"piwork/vmhost/network/scrub"
)

// Site is a host that is answered for.
type Site struct {
	Service string // in records
	Host    string // as policy.Name has it
	Port    uint16 // 0 is 443
	Rules   []Rule

	// Credential, when not nil, is what is put into requests that are allowed. It is asked
	// for each of them; false has the request refused.
	Credential func() (Credential, bool)

	// Done, when not nil, is closed to end the requests that are under way, once Credential
	// gives none any more.
	Done <-chan struct{}
}

// Credential is what is put into a request.
type Credential struct {
	Header string
	Value  string
	Scrub  *scrub.Scrubber // of the secret, for answers
}

// String hides the secret.
func (Credential) String() string { return "[secret]" }

// GoString hides the secret.
func (Credential) GoString() string { return "[secret]" }

// Request is one that the guest made: no query, no field, no body of it.
type Request struct {
	Time     time.Time
	Service  string
	Host     string
	Method   string // "" for one that is no word
	Path     string // as it was sent, cut where it is long; "" for one that is none
	Status   int    // that the guest got
	Allowed  bool
	Reason   string // why not, or why there is no answer: a Reason
	Sent     int64  // bytes of the body
	Received int64
}

// Reasons.
const (
	ReasonRule        = "rule"        // a rule refuses
	ReasonNoRule      = "no-rule"     // no rule is about it
	ReasonHost        = "host"        // it is for another host
	ReasonMethod      = "method"      // a method that is never allowed
	ReasonPath        = "path"        // that can be read in two ways
	ReasonUpgrade     = "upgrade"     // it asks for another protocol
	ReasonHeader      = "header"      // too many fields
	ReasonBusy        = "busy"        // too many requests at once
	ReasonGone        = "gone"        // the service or its secret is not there any more
	ReasonUnreachable = "unreachable" // allowed, and the server does not answer
	ReasonCertificate = "certificate" // allowed, and the server does not prove who it is
	ReasonEncoded     = "encoded"     // allowed, and the answer is compressed
	ReasonProtocol    = "protocol"    // allowed, and the answer is none
	ReasonCut         = "cut"         // allowed, and the body ended early, took too long, or was too long
)

// Bounds of one task.
const (
	MaxSites = 64
	MaxNames = 4 << 10 // bytes of the names of sites, which the certificate of the authority has

	maxConnections = 64
	maxHandshakes  = 16
	maxRequests    = 64
	maxStreams     = 32 // of one connection of HTTP/2
	maxHeader      = 32 << 10
	maxFields      = 100
	maxAnswerHead  = 64 << 10
	maxBody        = 16 << 30
	maxRecorded    = 300 // bytes of a path

	handshakeWait = 10 * time.Second
	headerWait    = 15 * time.Second
	idleWait      = 2 * time.Minute
	stallWait     = time.Minute     // between two bytes of a body from the guest, or to it
	answerWait    = 5 * time.Minute // for the server, at its beginning and between two bytes
)

// Config is what New needs.
type Config struct {
	Sites     []Site
	Roots     *x509.CertPool   // whom to believe about servers; nil: whom this computer believes
	Now       func() time.Time // nil: time.Now
	OnRequest func(Request)    // nil: none. It must return soon. It is not called after Close.
}

// DialFunc connects to a host, "tcp" and "name:port", if the network allows that.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// site is one that is answered for.
type site struct {
	Site
	address string // name:port
	host    string // as requests name it: without the usual port
	tls     *tls.Config
}

// Inspector answers for hosts. Its methods may be called from several goroutines at once.
type Inspector struct {
	config    Config
	now       func() time.Time
	authority *authority
	sites     map[string]*site // by address
	server    *http.Server
	transport *http.Transport
	queue     *queue

	life context.Context
	end  context.CancelFunc

	connections chan struct{}
	handshakes  chan struct{}
	requests    chan struct{}

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // connections, requests and the server
}

// New makes an Inspector, and its authority. dial reaches the servers. Close ends it.
func New(c Config, dial DialFunc) (*Inspector, error) {
	i := &Inspector{
		config: c, now: c.Now, sites: map[string]*site{},
		connections: make(chan struct{}, maxConnections), handshakes: make(chan struct{}, maxHandshakes), requests: make(chan struct{}, maxRequests),
	}
	if i.now == nil {
		i.now = time.Now
	}
	if len(c.Sites) == 0 || len(c.Sites) > MaxSites {
		return nil, fmt.Errorf("inspect %d hosts; at most %d", len(c.Sites), MaxSites)
	}
	var hosts []string
	names := 0
	for _, s := range c.Sites {
		name, err := policy.Name(s.Host)
		if err != nil || name != s.Host {
			return nil, fmt.Errorf("inspect %q: no host", s.Host)
		}
		made := &site{Site: s, host: s.Host}
		made.Port = cmp.Or(made.Port, 443)
		if made.address = address(s.Host, made.Port); made.Port != 443 {
			made.host = made.address
		}
		if i.sites[made.address] != nil {
			return nil, fmt.Errorf("inspect %s: twice", made.address)
		}
		i.sites[made.address] = made
		hosts = append(hosts, s.Host)
		names += len(s.Host)
	}
	if names > MaxNames {
		return nil, fmt.Errorf("inspect hosts with names of %d bytes; at most %d", names, MaxNames)
	}
	var err error
	if i.authority, err = newAuthority(hosts, i.now()); err != nil {
		return nil, err
	}
	for _, s := range i.sites {
		s.tls = i.handshake(s)
	}
	i.life, i.end = context.WithCancel(context.Background())
	i.transport = i.newTransport(dial)
	i.queue = &queue{conns: make(chan net.Conn), done: i.life.Done()}
	i.server = i.newServer()
	i.work.Go(func() { _ = i.server.Serve(i.queue) }) // it ends with the queue
	return i, nil
}

func address(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// handshake is how a site answers one: with its certificate, to who names it.
func (i *Inspector) handshake(s *site) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, SessionTicketsDisabled: true,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if name, err := policy.Name(hello.ServerName); err != nil || name != s.Host {
				return nil, errors.New("the handshake is for another host")
			}
			return i.authority.hosts[s.Host], nil
		},
	}
}

func (i *Inspector) newServer() *http.Server {
	return &http.Server{
		Handler: http.HandlerFunc(i.serve), TLSConfig: &tls.Config{NextProtos: []string{"h2", "http/1.1"}},
		ReadHeaderTimeout: headerWait, IdleTimeout: idleWait, MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ErrorLog:    log.New(io.Discard, "", 0), // names of hosts and paths are not logged
		BaseContext: func(net.Listener) context.Context { return i.life },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if t, ok := c.(*tls.Conn); ok {
				if g, ok := t.NetConn().(*guestConn); ok {
					ctx = context.WithValue(ctx, siteKey{}, g.site)
				}
			}
			return ctx
		},
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 256 << 10,
			SendPingTimeout: time.Minute, PingTimeout: 15 * time.Second, WriteByteTimeout: stallWait,
		},
	}
}

type siteKey struct{}

// newTransport makes what reaches the servers: the sites, and nobody else.
func (i *Inspector) newTransport(dial DialFunc) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			if i.sites[to] == nil {
				return nil, fmt.Errorf("connect to %q: it is not answered for", to)
			}
			return dial(ctx, network, to)
		},
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: i.config.Roots},
		ForceAttemptHTTP2: true, DisableCompression: true,
		TLSHandshakeTimeout: handshakeWait, ResponseHeaderTimeout: answerWait, IdleConnTimeout: idleWait,
		MaxIdleConnsPerHost: 8, MaxConnsPerHost: 32, MaxResponseHeaderBytes: maxAnswerHead,
		HTTP2: &http.HTTP2Config{SendPingTimeout: time.Minute, PingTimeout: 15 * time.Second},
	}
}

// Certificate is that of the authority, PEM: what the machine of the task is to believe.
func (i *Inspector) Certificate() []byte { return i.authority.certificate }

// Covers reports whether a host is answered for at a port.
func (i *Inspector) Covers(host string, port uint16) bool { return i.sites[address(host, port)] != nil }

// Names reports whether a host is answered for at some port.
func (i *Inspector) Names(host string) bool { return i.authority.hosts[host] != nil }

// enter adds to the work, unless all has to end.
func (i *Inspector) enter() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.closed {
		i.work.Add(1)
	}
	return !i.closed
}

// Close ends all connections and requests, and waits for them. Nothing is recorded and no
// credential is asked for afterwards.
func (i *Inspector) Close() {
	i.mu.Lock()
	i.closed = true
	i.mu.Unlock()
	i.end()
	_ = i.server.Close() // of connections that end anyway
	i.work.Wait()
	i.transport.CloseIdleConnections()
}
