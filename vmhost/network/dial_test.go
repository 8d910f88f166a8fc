package network

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/traffic"
)

func TestDialFromTheHost(t *testing.T) {
	w, p := newWorld(t), newPerson()
	w.serve("good.example", "93.184.215.14", 443, echo)
	w.serve("asked.example", "93.184.215.15", 443, echo)
	w.names["inner.example"] = []netip.Addr{netip.MustParseAddr("10.0.0.5")}
	config := restricted(t, "good.example inner.example", "bad.example")
	config.Ask = p.ask
	n := with(t, w, config)
	for address, reason := range map[string]string{
		"bad.example:443": "rule", "inner.example:443": "private-address", "10.0.0.5:443": "private-address", "[::1]:443": "loopback-address",
		"169.254.169.254:80": "metadata-address", "mail.example:25": "mail-port",
	} {
		_, err := n.Dial(context.Background(), "tcp", address)
		if no, is := errors.AsType[*RefusedError](err); !is || no.Reason != reason || no.Kind != Refused {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"good.example", "good.example:0", "good.example:https", "127.1:80", ":80", "a b:80"} {
		if c, err := n.Dial(context.Background(), "tcp", address); err == nil {
			c.Close()
			t.Errorf("%s was dialled", address)
		}
	}
	go func() {
		<-p.asked
		p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask}
	}()
	for _, address := range []string{"good.example:443", "asked.example:443"} {
		c, err := n.Dial(context.Background(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := says(c, "hello"); err != nil {
			t.Error(err)
		}
		c.Close()
	}
	if len(n.flows) > 0 {
		t.Error("a connection that was closed is still known")
	}
	if got := n.Traffic(); len(got) != 2 || got[1] != (traffic.Total{Host: "good.example", Port: 443, Out: 5, In: 5, Times: 1}) {
		t.Errorf("counted %+v", got)
	}
}

func TestDialEnds(t *testing.T) {
	for name, end := range map[string]func(*Network){
		"when rules are taken back": func(n *Network) { n.SetRules(nil) },
		"with the network":          func(n *Network) { n.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serve("good.example", "93.184.215.14", 443, func(c net.Conn) { c.Read(make([]byte, 1)) })
			n := with(t, w, restricted(t, "good.example", ""))
			c, err := n.Dial(context.Background(), "tcp", "good.example:443")
			if err != nil {
				t.Fatal(err)
			}
			end(n)
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("it goes on")
			}
			c.Close()
		})
	}
}

func TestDialDoesNotOutliveTheNetwork(t *testing.T) {
	w, p := newWorld(t), newPerson()
	config := restricted(t, "", "")
	config.Ask = p.ask
	n := with(t, w, config)
	ended := make(chan error)
	go func() {
		_, err := n.Dial(context.Background(), "tcp", "new.example:443")
		ended <- err
	}()
	<-p.asked
	n.Close()
	if err := <-ended; err == nil {
		t.Error("it was made")
	}
}

// What stands over the rules may say something else without a rule that changes: the connections
// that it refuses then are ended, and no others.
func TestReconsidered(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 443, echo)
	w.serve("late.example", "93.184.215.15", 443, echo)
	config := restricted(t, "good.example late.example", "")
	var late atomic.Bool
	config.Over = func(t policy.Target) (policy.Answer, bool) {
		return policy.Refuse, late.Load() && t.Name == "late.example"
	}
	n := with(t, w, config)
	open := map[string]net.Conn{}
	for _, name := range []string{"good.example", "late.example"} {
		c, err := n.Dial(t.Context(), "tcp", name+":443")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		open[name] = c
	}
	for _, is := range []bool{false, true} {
		late.Store(is)
		n.Reconsider()
		if err := says(open["good.example"], "hello"); err != nil {
			t.Errorf("late %v: %v", is, err)
		}
		if err := says(open["late.example"], "hello"); (err != nil) != is {
			t.Errorf("late %v: %v", is, err)
		}
	}
}
