//go:build vm && linux

package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// webServer answers programs in a guest.
type webServer struct {
	handler http.Handler
	served  atomic.Int32
	fail    chan error // ends serving once
	slow    chan struct{}
}

// largeSize is the length of what /large is, in bytes.
var largeSize = tier.Pick(4, 4, 24) << 20

func newWebServer() *webServer {
	w := &webServer{fail: make(chan error, 1), slow: make(chan struct{})}
	large := bytes.Repeat([]byte("0123456789abcdef"), largeSize/16)
	h := http.NewServeMux()
	h.HandleFunc("/hello", func(out http.ResponseWriter, r *http.Request) { fmt.Fprint(out, "hello ", r.Host) })
	h.HandleFunc("/large", func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(large) })
	h.HandleFunc("/count", func(out http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(out, n)
	})
	h.HandleFunc("/slow", func(out http.ResponseWriter, _ *http.Request) {
		for i := range 6 {
			if i == 3 {
				w.slow <- struct{}{} // half of it is said: the test may do something
				<-w.slow
			}
			fmt.Fprint(out, i)
			out.(http.Flusher).Flush()
		}
	})
	w.handler = h
	return w
}

// serve is ServeNet, as a gateway would have it.
func (w *webServer) serve(ctx context.Context, conn io.ReadWriteCloser) error {
	w.served.Add(1)
	host, err := mux.Host(conn)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: w.handler}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(host) }()
	select {
	case err = <-ended:
	case err = <-w.fail:
	case <-ctx.Done():
	}
	return errors.Join(err, host.Close(), srv.Close())
}

// fetch has Python in the guest print what is at a URL, or its error, after what it
// sends there: how many bytes. In slow mode Node takes long to begin.
func fetch(t *testing.T, v *VM, url string, sends int, patience time.Duration) string {
	t.Helper()
	return shell(t, v, fmt.Sprintf(`python3 -c '
import urllib.request as u
try:
  s = u.urlopen("%s", b"x" * %d or None, %d).read().decode()
  print(len(s) if len(s) > 100 else s)
except Exception as e: print("error:", e)'`, url, sends, patience/time.Second))
}

// linkKinds are machines with links.
var linkKinds = tier.Pick([]string{HowRestored}, nil, []string{HowRestored, HowBooted})

func linkedVM(t *testing.T, f *Factory, how string, change func(*Config)) *VM {
	t.Helper()
	if how == HowRestored {
		return restoredVM(t, f, change)
	}
	c := realConfig(t)
	change(&c)
	return realConnected(t, c)
}

// Programs reach the gateway, and nothing else: there is no interface but loopback.
func TestGatewayForReal(t *testing.T) {
	f := realFactory(t)
	for _, how := range linkKinds {
		t.Run(how, func(t *testing.T) {
			web := newWebServer()
			v := linkedVM(t, f, how, func(c *Config) { c.ServeNet = web.serve })
			const at = "http://" + wire.GatewayAddr
			if got := fetch(t, v, at+"/hello", 0, time.Minute); got != "hello "+wire.GatewayAddr {
				t.Errorf("%q", got)
			}
			began := time.Now()
			if got := fetch(t, v, at+"/large", 0, time.Minute); got != fmt.Sprint(largeSize) {
				t.Errorf("%q", got)
			}
			t.Logf("%d MiB with the start of Python in %v", largeSize>>20, time.Since(began).Round(time.Millisecond))
			if got := fetch(t, v, at+"/count", 5_000_000, time.Minute); got != "5000000" {
				t.Errorf("%q", got)
			}
			if got := shell(t, v, `ls /sys/class/net; cut -d' ' -f6- /proc/net/if_inet6; cat /proc/net/route | wc -l
pid=$(grep -l '^Uid:.65534' /proc/[0-9]*/status | cut -d/ -f3); cat /proc/$pid/cgroup; grep -E '^(Groups|NoNewPrivs|CapEff)' /proc/$pid/status`); got !=
				"lo\n      lo\n1\n0::/piwork/bridge\nGroups:\t \nCapEff:\t0000000000000000\nNoNewPrivs:\t1" {
				t.Errorf("%q", got)
			}

			// A machine that stands still keeps its connections.
			said := make(chan string, 1)
			go func() {
				o, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"node", "-e",
					"fetch('" + at + "/slow').then(r => r.text()).then(console.log, e => console.log('error:', e.message))"}}})
				if err != nil {
					said <- err.Error()
					return
				}
				said <- strings.TrimSpace(string(o.Exec.Stdout))
			}()
			<-web.slow
			if err := v.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			web.slow <- struct{}{} // more is said to it meanwhile
			time.Sleep(tier.Pick(time.Second, 0, 3*time.Second))
			if err := v.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := <-said; got != "012345" {
				t.Errorf("over a pause: %q", got)
			}

			// A server that ends is there again, with another port.
			web.fail <- errors.New("out of order")
			for web.served.Load() < 2 {
				time.Sleep(10 * time.Millisecond)
			}
			got := ""
			for i := 0; i < 50 && got != "hello "+wire.GatewayAddr; i++ { // until the bridge listens
				got = fetch(t, v, at+"/hello", 0, time.Minute)
			}
			if got != "hello "+wire.GatewayAddr {
				t.Errorf("after its server ended: %q", got)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := v.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// Without a link there is neither a card nor anybody at the gateway's address.
func TestNoLinksForReal(t *testing.T) {
	v := restoredVM(t, realFactory(t))
	if got := shell(t, v, "ls /sys/class/net; cat /proc/net/route | wc -l; cat /etc/resolv.conf 2>/dev/null; ls /sys/class/virtio-ports | wc -l"); got != "lo\n1\n1" {
		t.Errorf("%q", got)
	}
	if got := fetch(t, v, "http://"+wire.GatewayAddr+"/hello", 0, time.Minute); !strings.HasPrefix(got, "error: ") || strings.Contains(got, "timed out") {
		t.Errorf("%q", got)
	}
}

// oneAddress resolves every name.
type oneAddress struct{}

func (oneAddress) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

// elsewhere is a connection to this computer that says it leads somewhere else.
type elsewhere struct {
	*net.TCPConn
	to net.Addr
}

func (e *elsewhere) RemoteAddr() net.Addr { return e.to }

// restricted is a network that leads every address that may be reached to one web
// server, and what gives a machine a card in it. c says what else is to be so.
func restricted(t *testing.T, c network.Config) (n *network.Network, g network.Guest, card func(*Config)) {
	t.Helper()
	web := httptest.NewServer(newWebServer().handler)
	t.Cleanup(web.Close)
	c.Policy, c.Resolver = vmhost.NetworkRestricted, oneAddress{}
	c.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	c.Dial = func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, web.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		return &elsewhere{c.(*net.TCPConn), net.TCPAddrFromAddrPort(netip.MustParseAddrPort(to))}, nil
	}
	n, err := network.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	g = n.Guest()
	return n, g, func(c *Config) {
		c.Env.Network = vmhost.NetworkRestricted
		c.NIC = &NIC{Serve: n.Serve, MAC: g.MAC, Address: g.Address, Gateway: g.Gateway, DNS: g.DNS, MTU: g.MTU}
	}
}

// A card leads where its server lets it, beside the gateway or alone.
func TestNetworkForReal(t *testing.T) {
	f := realFactory(t)
	for _, how := range linkKinds {
		t.Run(how, func(t *testing.T) {
			rules, err := policy.ParseRules([]string{"good.example"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			n, g, card := restricted(t, network.Config{Rules: rules})
			v := linkedVM(t, f, how, func(c *Config) {
				card(c)
				c.ServeNet = newWebServer().serve
			})
			if got := fetch(t, v, "http://good.example/hello", 0, time.Minute); got != "hello good.example" {
				t.Fatalf("%q\n%s\n%+v", got, shell(t, v, "cat /proc/net/route /proc/net/arp /proc/net/dev /etc/resolv.conf; getent hosts good.example"), n.Dropped())
			}
			began := time.Now()
			if got := fetch(t, v, "http://good.example/large", 0, time.Minute); got != fmt.Sprint(largeSize) {
				t.Errorf("%q", got)
			}
			t.Logf("%d MiB with the start of Python in %v", largeSize>>20, time.Since(began).Round(time.Millisecond))
			for _, url := range []string{"http://bad.example/hello", "http://10.0.0.1/hello", "http://198.18.0.1/hello", "http://[2606:2800:220:1::1]/hello"} {
				if got := fetch(t, v, url, 0, 5*time.Second); !strings.HasPrefix(got, "error: ") {
					t.Errorf("%s: %q", url, got)
				}
			}
			if got := fetch(t, v, "http://"+wire.GatewayAddr+"/hello", 0, time.Minute); got != "hello "+wire.GatewayAddr {
				t.Errorf("the gateway beside it: %q", got)
			}
			want := fmt.Sprintf("eth0\nlo\nnameserver %s\n%s\n%d\nlo", g.DNS, g.MAC, g.MTU)
			if got := shell(t, v, "ls /sys/class/net; cat /etc/resolv.conf /sys/class/net/eth0/address /sys/class/net/eth0/mtu; awk '{print $6}' /proc/net/if_inet6"); got != want {
				t.Errorf("%q, not %q", got, want)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := v.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// A question says which program asks it, as the guest has it: a script by its name.
func TestClaimedProgramForReal(t *testing.T) {
	f := realFactory(t)
	var vm atomic.Pointer[VM]
	var claimed []any
	n, _, card := restricted(t, network.Config{
		Ask: func(_ context.Context, q vmhost.Question) (vmhost.Decision, error) {
			claimed = append(claimed, q.Text.Params["claimedProgram"]) // one program runs at a time
			return vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}, nil
		},
		Program:     func(ctx context.Context, from, to netip.AddrPort) string { return vm.Load().Program(ctx, from, to) },
		ProgramWait: time.Minute,
	})
	v := linkedVM(t, f, HowRestored, card)
	vm.Store(v)
	said := shell(t, v, `cd /work
echo "fetch(process.argv[2]).then(r => r.text()).then(console.log, e => console.log('error:', e.message))" > sync.mjs
node sync.mjs http://one.example/hello
echo "exec 3<>/dev/tcp/two.example/80; printf 'GET /hello HTTP/1.0\\r\\nHost: two.example\\r\\n\\r\\n' >&3; tail -n1 <&3" > backup.sh
bash backup.sh; echo
node -e "fetch('http://three.example/hello').then(r => r.text()).then(console.log, e => console.log('error:', e.message))"`)
	if want := "hello one.example\nhello two.example\nhello three.example"; said != want {
		t.Errorf("%q", said)
	}
	o, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"node", "/work/sync.mjs", "http://four.example/hello"}}})
	if err != nil || strings.TrimSpace(string(o.Exec.Stdout)) != "hello four.example" {
		t.Errorf("%v %+v", err, o.Exec)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := v.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil { // nobody asks any more
		t.Error(err)
	}
	if want := []any{"sync.mjs", "backup.sh", "node", "sync.mjs"}; !slices.Equal(claimed, want) {
		t.Errorf("%q, not %q", claimed, want)
	}
}
