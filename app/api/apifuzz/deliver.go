package apifuzz

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"sync"
	"time"
)

// open opens a connection of its own for bytes as they are.
func (c *Campaign) open(r *Route, seed uint64) net.Conn {
	ctx, stop := context.WithTimeout(context.Background(), c.Within)
	defer stop()
	conn, err := c.Dial(ctx)
	if err != nil {
		c.found(r.ID(), "no connection: "+err.Error(), seed, "", "")
		return nil
	}
	c.requests.Add(1)
	_ = conn.SetDeadline(time.Now().Add(c.Within))
	return conn
}

// wire is a request as it is sent.
func wire(req Request) []byte {
	var b bytes.Buffer
	out := req.on(context.Background())
	out.RequestURI = ""
	_ = out.Write(&b) // a buffer takes it
	return b.Bytes()
}

// cut sends the begin of a request, and goes.
func (c *Campaign) cut(rng *rand.Rand, r *Route, req Request, seed uint64) {
	conn := c.open(r, seed)
	if conn == nil {
		return
	}
	defer conn.Close()
	all := wire(req)
	_, _ = conn.Write(all[:rng.IntN(len(all))])
	if rng.IntN(2) == 0 {
		if half, is := conn.(interface{ CloseWrite() error }); is {
			_ = half.CloseWrite()
			c.readAny(conn, r, req, seed)
		}
	}
}

// left sends a request and goes before the answer.
func (c *Campaign) left(rng *rand.Rand, r *Route, req Request, seed uint64) {
	conn := c.open(r, seed)
	if conn == nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write(wire(req))
	<-time.After(time.Duration(rng.IntN(20)) * time.Millisecond)
}

// slow sends a request in pieces.
func (c *Campaign) slow(rng *rand.Rand, r *Route, req Request, seed uint64) {
	conn := c.open(r, seed)
	if conn == nil {
		return
	}
	defer conn.Close()
	all := wire(req)
	for range 4 {
		n := rng.IntN(len(all) + 1)
		if _, err := conn.Write(all[:n]); err != nil {
			break
		}
		all = all[n:]
		<-time.After(time.Duration(rng.IntN(150)) * time.Millisecond)
	}
	_, _ = conn.Write(all)
	c.readAny(conn, r, req, seed)
}

// pipelined sends two requests before the first answer.
func (c *Campaign) pipelined(_ *rand.Rand, r *Route, req Request, seed uint64) {
	conn := c.open(r, seed)
	if conn == nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write(append(wire(req), "GET /_health HTTP/1.1\r\nHost: piwork\r\n\r\n"...))
	c.readAny(conn, r, req, seed)
}

// readAny reads one answer of a connection: none is fine, one without end is cut off, and one
// that is there is judged.
func (c *Campaign) readAny(conn net.Conn, r *Route, req Request, seed uint64) {
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: req.Method})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.found(r.ID(), "a connection that is neither answered nor closed", seed, req.String(), "")
	}
	if err != nil {
		return
	}
	defer res.Body.Close()
	c.count(fmt.Sprintf("status: %d", res.StatusCode))
	if res.Header.Get("X-Request-Id") == "" { // of net/http itself: what was sent is no request
		if res.StatusCode >= 500 && res.StatusCode != http.StatusNotImplemented && res.StatusCode != http.StatusHTTPVersionNotSupported {
			c.found(r.ID(), "a fault of the server", seed, req.String(), res.Status)
		}
		return
	}
	if res.StatusCode == http.StatusSwitchingProtocols || res.Header.Get("Content-Type") == "text/event-stream" {
		return
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return
	}
	if what := c.wrong(r, req, answer{res, data}); what != "" {
		c.found(r.ID(), what, seed, req.String(), fmt.Sprintf("%d %s", res.StatusCode, data))
	}
}

// twice sends one request several times at once, with one key: it is done once.
func (c *Campaign) twice(rng *rand.Rand, r *Route, req Request, seed uint64) {
	req.Header.Set("Idempotency-Key", fmt.Sprintf("k-%d", seed))
	n := 2 + rng.IntN(3)
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			one := req
			one.Header = req.Header.Clone()
			a, err := c.ask(r, one, 50*time.Millisecond)
			if err != nil {
				c.found(r.ID(), err.Error(), seed, req.String(), "")
				return
			}
			answers[i] = a
			c.check(r, one, a, seed)
		})
	}
	all.Wait()
	if req.Method != http.MethodPost {
		return
	}
	firsts := 0
	for _, a := range answers {
		if a.Response != nil && a.StatusCode < 300 && a.Header.Get("Idempotency-Replayed") == "" {
			firsts++
		}
	}
	if firsts > 1 {
		c.found(r.ID(), "done more than once with one key", seed, req.String(), fmt.Sprintf("%d successes", firsts))
	}
}

// raw sends what is hardly a request, or two in one.
func (c *Campaign) raw(rng *rand.Rand, r *Route, req Request, seed uint64) {
	conn := c.open(r, seed)
	if conn == nil {
		return
	}
	defer conn.Close()
	line := req.Method + " " + req.Target + " HTTP/1.1\r\nHost: piwork\r\nContent-Type: application/json\r\n"
	shapes := []string{
		line + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n",
		line + "Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}GET /smuggled HTTP/1.1\r\n\r\n",
		line + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		line + "Transfer-Encoding: xchunked\r\n\r\n{}",
		line + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
		line + "Content-Length: -1\r\n\r\n{}", line + "Content-Length: 99999999999999999999\r\n\r\n{}",
		line + "X: \x00\r\n\r\n", line + " folded: x\r\n\r\n", line + "no colon\r\n\r\n",
		line + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
		line + "Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		line + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		req.Method + " " + req.Target + "\r\n\r\n", "\r\n\r\n\r\n" + line + "\r\n", "\x16\x03\x01\x02\x00", req.Method + " http://evil.example" + req.Target + " HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	_, _ = io.WriteString(conn, shapes[rng.IntN(len(shapes))])
	if half, is := conn.(interface{ CloseWrite() error }); is {
		_ = half.CloseWrite()
	}
	_ = conn.SetReadDeadline(time.Now().Add(c.Within))
	in := bufio.NewReader(conn)
	for range 3 {
		line, err := textproto.NewReader(in).ReadLine()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.found(r.ID(), "a connection that is neither answered nor closed", seed, req.String(), "")
		}
		if err != nil || len(line) > 9 && line[9] != '4' {
			return // a stream may follow
		}
	}
}
