package main

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"piwork/pack/guest/authority"
	"piwork/vmhost/wire"
)

// doorAddress is where programs find the proxy, in a place that has no network but this one.
const doorAddress = "127.0.0.1:3128"

// maxDoors bounds the connections to it at once.
const maxDoors = 256

// doorWords have programs use the proxy: each of them reads one of these.
var doorWords = []string{
	"http_proxy=http://" + doorAddress, "https_proxy=http://" + doorAddress, "HTTP_PROXY=http://" + doorAddress, "HTTPS_PROXY=http://" + doorAddress,
	"ALL_PROXY=http://" + doorAddress, "no_proxy=localhost,127.0.0.1,::1", "NO_PROXY=localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY=1",
}

// Network implements agent.Links: what programs say to the proxy goes to the socket, where the
// host listens. Nothing else leaves the place.
func (h *hosted) Network(ctx context.Context, p wire.NetworkParams) error {
	if p.Door == "" || h.tree != "" { // beside everything else the computer's network would be there, too
		return errNoMachine
	}
	var d net.Dialer
	there, err := d.DialContext(ctx, "unix", p.Door)
	if err != nil {
		return err
	}
	there.Close()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", doorAddress)
	if err != nil {
		return err
	}
	words := doorWords
	if p.Authority != "" {
		words = append(words[:len(words):len(words)], authority.Words(filepath.Dir(p.Door))...)
	}
	h.env.addWords(words)
	go func() { h.say("the way to the network ended: " + passOn(l, p.Door).Error()) }()
	return nil
}

// passOn passes connections on to a socket, until there are no more.
func passOn(l net.Listener, socket string) error {
	slots := make(chan struct{}, maxDoors)
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil { // too many files are open: that passes
			<-time.After(time.Second)
			continue
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			defer c.Close()
			to, err := net.Dial("unix", socket) //nolint:noctx // it ends with this process
			if err != nil {
				return
			}
			defer to.Close()
			var both sync.WaitGroup
			both.Go(func() { pass(to, c) })
			pass(c, to)
			both.Wait()
		}()
	}
}

// pass passes one direction on, and its end.
func pass(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if h, is := to.(interface{ CloseWrite() error }); is && err == nil {
		_ = h.CloseWrite() // it has gone
		return
	}
	to.Close()
	from.Close()
}
