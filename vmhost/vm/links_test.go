//go:build unix

package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// greeting answers every stream of a port with what it was asked.
func greeting(ctx context.Context, conn io.ReadWriteCloser) error {
	host, err := mux.Host(conn)
	if err != nil {
		return err
	}
	defer host.Close()
	defer context.AfterFunc(ctx, func() { _ = host.Close() })()
	for {
		s, err := host.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer s.Close()
			b, _ := io.ReadAll(s)
			_, _ = fmt.Fprintf(s, "you asked %q", b)
		}()
	}
}

// echoCard sends every frame back.
func echoCard() *NIC {
	return &NIC{
		Serve: func(ctx context.Context, conn net.Conn) error {
			_, err := io.Copy(conn, conn)
			return err
		},
		MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, Address: netip.MustParsePrefix("10.0.2.15/24"),
		Gateway: netip.MustParseAddr("10.0.2.2"), DNS: netip.MustParseAddr("10.0.2.3"), MTU: 1500,
	}
}

const (
	greeted = wire.PortNet + `: you asked "who is there?"`
	carded  = "02:00:00:00:00:01 10.0.2.15/24 10.0.2.2 10.0.2.3: frame"
)

// linked has a configuration with both links.
func linked(c Config) Config {
	c.ServeNet, c.NIC, c.Env.Network = greeting, echoCard(), vmhost.NetworkRestricted
	return c
}

// However a machine begins, it is joined to what its task wants, and to nothing
// else.
func TestLinks(t *testing.T) {
	h := newFactory(t, "good").ensured()
	for name, tt := range map[string]struct {
		change func(Config) Config
		want   []string
	}{
		"both":    {linked, []string{carded, greeted}},
		"gateway": {func(c Config) Config { c.ServeNet = greeting; return c }, []string{greeted}},
		"network": {func(c Config) Config { c = linked(c); c.ServeNet = nil; return c }, []string{carded}},
		"none":    {func(c Config) Config { return c }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, how := range []string{HowRestored, HowBooted} {
				var v *VM
				if how == HowRestored {
					v = h.connected(tt.change(h.config()), HowRestored)
				} else if v = newVM(t, tt.change(fakeConfig(t, "good"))); v.Connect(soon(t)) != nil {
					t.Fatal(v.Status())
				}
				r := reportOf(t, v)
				slices.Sort(r.Linked)
				if !slices.Equal(r.Linked, tt.want) {
					t.Errorf("%s: %q", v.How(), r.Linked)
				}
				if args := strings.Join(r.Args, " "); strings.Contains(args, wire.PortNet) || strings.Contains(args, "virtio-net") {
					t.Errorf("%s: it is no secret of the template: %s", v.How(), args)
				}
				if err := v.Close(soon(t)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestLinksOfOneThatWaited(t *testing.T) {
	h := newFactory(t, "good").ensured()
	h.set(func(s *FactoryState) { s.Mode = ModeWaiting })
	h.ensured()
	r := reportOf(t, h.connected(linked(h.config()), HowWaited))
	if slices.Sort(r.Linked); !slices.Equal(r.Linked, []string{carded, greeted}) {
		t.Errorf("%q", r.Linked)
	}
}

// A guest that does not know of authorities would fail every request.
func TestAGuestWithoutAuthoritiesIsRefused(t *testing.T) {
	c := linked(fakeConfig(t, "good"))
	c.NIC.Authority = []byte("-----BEGIN CERTIFICATE-----\nMTIz\n-----END CERTIFICATE-----\n")
	err := newVM(t, c).Connect(soon(t))
	if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != vmhost.ReasonVersion || !strings.Contains(err.Error(), wire.CanAuthority) {
		t.Errorf("got %v", err)
	}
}

// A guest that cannot be joined is refused: by what it lacks, or in its own words.
func TestLinksRefused(t *testing.T) {
	for guest, tt := range map[string]struct {
		reason vmhost.Reason
		words  []string
	}{
		"knows no links":  {vmhost.ReasonVersion, []string{wire.CanGateway, wire.CanNetwork}},
		"has no links":    {vmhost.ReasonRefused, []string{"no such driver", "no such driver"}},
		"takes no device": {vmhost.ReasonHost, []string{"no such device", "no such device"}},
	} {
		for i, change := range []func(*Config){
			func(c *Config) { c.ServeNet = greeting },
			func(c *Config) { *c = linked(*c); c.ServeNet = nil },
		} {
			c := fakeConfig(t, guest)
			change(&c)
			err := newVM(t, c).Connect(soon(t))
			if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != tt.reason || !strings.Contains(err.Error(), tt.words[i]) {
				t.Errorf("%s: %v", guest, err)
			}
		}
	}
}

// A network is what the environment says: a card with none, and none with a card,
// are refused before anything starts.
func TestNetworkOfEnvironment(t *testing.T) {
	for _, network := range []vmhost.NetworkPolicy{"", vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow} {
		wants := network == vmhost.NetworkRestricted || network == vmhost.NetworkAllow
		for _, card := range []bool{false, true} {
			c := fakeConfig(t, "good")
			if c.Env.Network = network; card {
				c.NIC = echoCard()
			}
			v := newVM(t, c)
			err := v.Connect(soon(t))
			if _, is := errors.AsType[*vmhost.UnsupportedError](err); wants == card && err != nil || wants != card && !is {
				t.Errorf("network %q, card %t: %v", network, card, err)
			}
			if got := slices.Contains(v.Capabilities().Networks, vmhost.NetworkRestricted); got != card {
				t.Errorf("card %t: %v", card, v.Capabilities().Networks)
			}
		}
	}
	c := fakeConfig(t, "good")
	if c.NIC = (&NIC{Serve: echoCard().Serve}); c.check() == nil {
		t.Error("a card without an address is accepted")
	}
	if c.NIC = echoCard(); c.check() != nil {
		t.Error(c.check())
	}
	if c.NIC.Serve = nil; c.check() == nil {
		t.Error("a card that nobody serves is accepted")
	}
}

// The end of a link is not the machine's: somebody hears of it, and the gateway is
// there again, whoever ended it.
func TestLinksEnd(t *testing.T) {
	heard := make(chan string, 100)
	c := linked(fakeConfig(t, "good"))
	c.OnLink = func(link string, err error) { heard <- fmt.Sprintf("%s: %v", link, err) }
	var served atomic.Int32
	fail := make(chan struct{}, 2)
	c.ServeNet = func(ctx context.Context, conn io.ReadWriteCloser) error {
		served.Add(1)
		ctx, cancel := context.WithCancelCause(ctx)
		done := make(chan error, 1)
		go func() { done <- greeting(ctx, conn) }()
		select {
		case <-fail:
			cancel(nil)
			<-done
			return errors.New("out of order")
		case err := <-done:
			cancel(nil)
			return err
		}
	}
	v := newVM(t, c)
	v.timing.evidence = quick.evidence // there is none
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	do := func(what string) {
		t.Helper()
		if _, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:" + what}}}); err != nil {
			t.Fatal(err)
		}
	}
	hears := func(what string) {
		t.Helper()
		select {
		case got := <-heard:
			if !strings.Contains(got, what) {
				t.Errorf("%q is heard, not %q", got, what)
			}
		case <-soon(t).Done():
			t.Fatalf("nobody hears %q", what)
		}
	}
	fail <- struct{}{}
	hears("gateway: out of order")
	do("port again")
	do("garbage on the port")
	hears("gateway: ")
	do("port again")
	if r := reportOf(t, v); len(r.Linked) != 4 || r.Linked[3] != greeted || served.Load() != 3 {
		t.Errorf("%q, served %d times", r.Linked, served.Load())
	}

	c = linked(fakeConfig(t, "good"))
	c.OnLink = func(link string, err error) { heard <- fmt.Sprintf("%s: %v", link, err) }
	pull := make(chan struct{})
	c.NIC.Serve = func(ctx context.Context, conn net.Conn) error {
		_, err := io.CopyN(conn, conn, 9)
		select {
		case <-pull:
		case <-ctx.Done():
		}
		return err
	}
	v = newVM(t, c)
	v.timing.evidence = quick.evidence
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	close(pull)
	hears("network: its server ended")
	if st := v.Status(); st.State != vmhost.StateReady {
		t.Errorf("%+v", st)
	}
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	select {
	case got := <-heard:
		t.Errorf("the end of the machine is heard as that of a link: %s", got)
	default:
	}
}
