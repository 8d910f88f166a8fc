package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"piwork/app/gateway"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/vmhost/share"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// What the scripted server does.
const (
	firstAfter  = 500 * time.Millisecond // before the first token, as a model that reads a question
	tokenPause  = 20 * time.Millisecond  // between tokens
	tokens      = 10
	bulkBytes   = 24 << 20
	pathOfModel = "/v1/messages"
)

// gatewayBench measures what the gateway adds between a program in a machine and a
// model, and how long a person waits for the AI program's first word.
func gatewayBench(ctx context.Context, e env, runs int) (rows []row, err error) {
	w, err := newWorkshop(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	b := &gatewayRoom{w: w, model: gatewaytest.New("")}
	defer b.model.Close()
	if err := b.signIn(ctx); err != nil {
		return nil, err
	}
	for _, g := range []struct {
		name    string
		measure func(context.Context, string, int) (row, error)
	}{
		{"gateway/paced/first-token", b.paced}, {"gateway/bulk/throughput", b.bulk}, {"gateway/prompt/first-event", b.prompt},
	} {
		if !e.wants(g.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, g.name)
		r, err := g.measure(ctx, g.name, runs)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", g.name, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// gatewayRoom has a model that is scripted and a gateway with a key for it.
type gatewayRoom struct {
	w       *workshop
	model   *gatewaytest.Server
	gateway *gateway.Gateway
}

// signIn gives the gateway a key.
func (b *gatewayRoom) signIn(ctx context.Context) error {
	store := &keys.Memory{}
	err := store.Set(ctx, keys.Credential{
		Provider: "scripted", Kind: keys.KindKey, Key: keys.NewSecret("of-the-bench"), BaseURL: b.model.URL, Protocol: "anthropic",
		Models: []string{gatewaytest.AnthropicModel}, Private: true,
	})
	if err != nil {
		return err
	}
	b.gateway, err = gateway.New(gateway.Config{Keys: &keys.Source{Store: store}})
	return err
}

// open starts a machine with the gateway, or with another server in its place, and
// with a state directory.
func (b *gatewayRoom) open(ctx context.Context, restored bool, serve func(context.Context, io.ReadWriteCloser) error) (r *room, took time.Duration, err error) {
	state, err := os.MkdirTemp(b.w.dir, "state")
	if err != nil {
		return nil, 0, err
	}
	b.w.change = func(c *vm.Config, set *share.Set) error {
		c.State, c.ServeNet = true, serve
		return set.AddState(state, 0)
	}
	defer func() { b.w.change = nil }()
	r, took, err = b.w.open(ctx, restored)
	if r != nil {
		r.state = state
	}
	return r, took, err
}

// question is a conversation that has gone on for a while.
func question() ([]byte, error) {
	return json.Marshal(map[string]any{
		"model": gatewaytest.AnthropicModel, "max_tokens": 1024, "stream": true,
		"messages": []any{map[string]any{"role": "user", "content": strings.Repeat("some words of a conversation ", 1000)}},
	})
}

// asking is the program in the machine: it asks by HTTP and says how many seconds
// the first token and the whole answer took, and how long that is in bytes. Without
// a question it only takes what comes.
const asking = `
import socket, sys, time
path, body = sys.argv[2], open(sys.argv[1], "rb").read()
s = socket.socket()
at = time.monotonic()
s.connect(("%s", %s)) # create_connection loads a module for names first, which takes longer than the connection
if path != "-":
    s.sendall(b"POST " + path.encode() + b" HTTP/1.1\r\nHost: gateway\r\nX-Api-Key: none\r\nAnthropic-Version: 2023-06-01\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)
start, first, size = b"", 0.0, 0
room = memoryview(bytearray(1 << 18))
while n := s.recv_into(room):
    size += n
    if not first:
        start += room[:n]
        if b"text_delta" in start or path == "-":
            first = time.monotonic() - at
print(first, time.monotonic() - at, size, start[:15].decode())
`

// answer is what the program saw.
type answer struct {
	first, whole time.Duration
	bytes        int64
}

// ask has the program in the machine ask; path "-" takes what comes.
func (b *gatewayRoom) ask(ctx context.Context, r *room, path string) (a answer, err error) {
	host, port, err := net.SplitHostPort(wire.GatewayAddr)
	if err != nil {
		return a, err
	}
	body, err := question()
	if err == nil {
		err = os.WriteFile(filepath.Join(b.w.folder, "question.json"), body, 0o644)
	}
	if err != nil {
		return a, err
	}
	out, err := r.run(ctx, "python3", "-c", fmt.Sprintf(asking, host, port), "question.json", path)
	if err != nil {
		return a, err
	}
	var first, whole float64
	var status string
	if _, err := fmt.Sscan(out, &first, &whole, &a.bytes, &status); err != nil || first == 0 || (path != "-" && !strings.Contains(out, " 200")) {
		return a, fmt.Errorf("the program in the machine said %q: %w", out, err)
	}
	a.first, a.whole = time.Duration(first*float64(time.Second)), time.Duration(whole*float64(time.Second))
	return a, nil
}

// direct asks from this computer, without anything between, for the first token.
func (b *gatewayRoom) direct(ctx context.Context) (time.Duration, error) {
	body, err := question()
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.model.URL+pathOfModel, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	buf, start := make([]byte, 64<<10), ""
	for !strings.Contains(start, "text_delta") {
		n, err := resp.Body.Read(buf)
		if start += string(buf[:n]); err != nil {
			return 0, fmt.Errorf("no token came: %.200q: %w", start, err)
		}
	}
	took := time.Since(began)
	_, err = io.Copy(io.Discard, resp.Body)
	return took, err
}

// paced is the time to the first token of a server that takes its time.
func (b *gatewayRoom) paced(ctx context.Context, name string, runs int) (row, error) {
	b.model.Reply(func(gatewaytest.Question) gatewaytest.Turn {
		<-time.After(firstAfter)
		return gatewaytest.Paced(tokens, tokenPause)
	})
	r, _, err := b.open(ctx, true, b.gateway.Session(gateway.SessionOptions{Task: "bench"}).Serve)
	if err != nil {
		return row{}, err
	}
	through := func() (time.Duration, error) {
		a, err := b.ask(ctx, r, "/scripted"+pathOfModel)
		return a.first, err
	}
	if _, err := through(); err != nil { // the first brings the bridge up and reads what it is made of
		return row{}, errors.Join(err, r.end(ctx))
	}
	than := fmt.Sprintf("the same question from this computer, to a server that says its first token after %v", firstAfter)
	x, err := compare(runs, name, than, through, func() (time.Duration, error) { return b.direct(ctx) })
	return x, errors.Join(err, r.end(ctx))
}

// bulk is how much of an answer that is as fast as it is taken passes in a second,
// beside bytes from memory over the same port.
func (b *gatewayRoom) bulk(ctx context.Context, name string, runs int) (x row, err error) {
	b.model.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Bulk(bulkBytes) })
	through, _, err := b.open(ctx, true, b.gateway.Session(gateway.SessionOptions{Task: "bench"}).Serve)
	if err != nil {
		return row{}, err
	}
	defer func() { err = errors.Join(err, through.end(ctx)) }()
	plain, _, err := b.open(ctx, true, pour)
	if err != nil {
		return row{}, err
	}
	defer func() { err = errors.Join(err, plain.end(ctx)) }()
	per := func(r *room, path string, to *[]float64) error {
		a, err := b.ask(ctx, r, path)
		if err == nil && a.bytes < bulkBytes {
			err = fmt.Errorf("only %d bytes came", a.bytes)
		}
		*to = append(*to, float64(a.bytes)/a.whole.Seconds()/1e6)
		return err
	}
	var ours, theirs, first []float64
	if err := errors.Join(per(through, "/scripted"+pathOfModel, &first), per(plain, "-", &first)); err != nil {
		return row{}, err
	}
	for range runs {
		if err := errors.Join(per(through, "/scripted"+pathOfModel, &ours), per(plain, "-", &theirs)); err != nil {
			return row{}, err
		}
	}
	x = row{
		Name: name, Unit: "MB/s", Ours: median(ours), ComparatorName: "bytes from memory over the same port and its streams, taken by the same program",
		Comparator: median(theirs), Better: "higher", Runs: runs,
	}
	x.Ratio = x.Ours / x.Comparator
	return x, nil
}

// pour answers each stream of a port with bytes from memory.
func pour(ctx context.Context, conn io.ReadWriteCloser) error {
	s, err := mux.Host(conn)
	if err != nil {
		return err
	}
	defer s.Close()
	defer context.AfterFunc(ctx, func() { s.Close() })()
	part := make([]byte, 64<<10)
	for {
		stream, err := s.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer stream.Close()
			for range bulkBytes / len(part) {
				if _, err := stream.Write(part); err != nil {
					return // the program has left; it says what it got
				}
			}
		}()
	}
}
