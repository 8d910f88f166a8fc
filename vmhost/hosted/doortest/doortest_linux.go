// Package doortest holds places with a door to what they may reach.
package doortest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
)

// World is what a place with a door could reach: one host that is allowed, and others that
// are not, whatever they are called.
type World struct {
	Door   *hosted.Door
	good   *httptest.Server
	here   net.Listener // a server of this computer, which nobody is to reach
	socket string       // likewise

	mu     sync.Mutex
	dialed []string
}

// names are those of the world.
var names = map[string]string{
	"good.example.": "93.184.215.14", "bad.example.": "93.184.215.15",
	"home.example.": "127.0.0.1", "cloud.example.": "169.254.169.254", "inner.example.": "10.0.0.5",
}

// New makes one.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{socket: filepath.Join(t.TempDir(), "s")}
	w.good = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "reached\n") }))
	t.Cleanup(w.good.Close)
	var err error
	if w.here, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.here.Close() })
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	rules, err := policy.ParseRules([]string{"good.example:80", "home.example:80", "cloud.example:80", "inner.example:80"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := network.New(network.Config{Task: "t", Policy: vmhost.NetworkRestricted, Rules: rules, Resolver: w, Dial: w.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	w.Door = &hosted.Door{Serve: n.ServeDoor}
	return w
}

// LookupNetIP implements network.Resolver.
func (w *World) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := names[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (w *World) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	w.mu.Unlock()
	if address != "93.184.215.14:80" {
		return nil, errors.New("nobody is there")
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", w.good.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return elsewhere{c}, nil
}

// elsewhere is a connection of the world to a server of the test: where it leads is looked at.
type elsewhere struct{ net.Conn }

// RemoteAddr implements net.Conn.
func (elsewhere) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("93.184.215.14:80"))
}

// CloseWrite says that no more is written.
func (e elsewhere) CloseWrite() error { return e.Conn.(*net.TCPConn).CloseWrite() }

// Hold holds a place to it, which has the program attacker.
func (w *World) Hold(t testing.TB, r vmhost.Runtime) {
	t.Helper()
	if got := hostedtest.Run(t, r, "attacker ask http://good.example/a"); string(got.Stdout) != "reached\n" {
		t.Errorf("what is allowed: %+v %s", got, got.Stderr)
	}
	for name, script := range map[string]string{
		"a host that is not allowed": "attacker ask http://bad.example/", "another port": "attacker ask http://good.example:81/",
		"this computer by a name": "attacker ask http://home.example/", "a cloud's secrets by a name": "attacker ask http://cloud.example/", "its network by a name": "attacker ask http://inner.example/",
		"a cloud's secrets": "attacker ask http://169.254.169.254/", "its network": "attacker ask http://10.0.0.5/", "no such host": "attacker ask http://none.example/",
		"this computer":   "attacker ask http://" + w.here.Addr().String() + "/",
		"without a proxy": "attacker dial tcp 93.184.215.14:80", "this computer, without": "attacker dial tcp " + w.here.Addr().String(), "secrets, without": "attacker dial tcp 169.254.169.254:80",
		"a socket of this computer": "attacker dial unix " + w.socket, "its name server": "attacker dial udp 127.0.0.53:53 && attacker ask http://127.0.0.53:53/",
		"an engine":     "ls /run/podman /var/run/docker.sock /run/docker.sock | grep .",
		"the directory": "touch /piwork/net/x || touch /run/piwork/net/x", "the socket": "rm /piwork/net/door || rm /run/piwork/net/door",
	} {
		if got := hostedtest.Run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s succeeds: %.200s", name, script, got.Stdout)
		}
	}
	// All at once, and as many as it takes.
	if got := hostedtest.Run(t, r, "i=0; while [ $i -lt 20 ]; do attacker ask http://good.example/ & i=$((i+1)); done; wait"); string(got.Stdout) != strings.Repeat("reached\n", 20) {
		t.Errorf("at once: %.300s %.300s", got.Stdout, got.Stderr)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, address := range w.dialed {
		if address != "93.184.215.14:80" {
			t.Errorf("%s was dialled", address)
		}
	}
}
