package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"piwork/app/agent"
	"piwork/app/gateway"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/vmhost"
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
	throughIt   = "/scripted" + pathOfModel // the same, through the gateway
)

// gatewayBench measures what the gateway adds between a program in a machine and a
// model, and how long a person waits for the AI program's first word.
func gatewayBench(b *B) {
	w := newWorkshop(b)
	defer b.end(w.factory.Close)
	g := &gatewayRoom{workshop: w, model: gatewaytest.New("")}
	defer g.model.Close()
	store := &keys.Memory{}
	check(store.Set(b.ctx, keys.Credential{
		Provider: "scripted", Kind: keys.KindKey, Key: keys.NewSecret("of-the-bench"), BaseURL: g.model.URL, Protocol: "anthropic",
		Models: []string{gatewaytest.AnthropicModel}, Private: true,
	}))
	g.gateway = must(gateway.New(gateway.Config{Keys: &keys.Source{Store: store}}))
	b.part("gateway/paced/first-token", g.paced)
	b.part("gateway/bulk/throughput", g.bulk)
	b.part("gateway/prompt/first-event", g.prompt)
}

// gatewayRoom has a model that is scripted and a gateway with a key for it.
type gatewayRoom struct {
	*workshop
	model   *gatewaytest.Server
	gateway *gateway.Gateway
}

// joined does something with a machine that has a state, and the gateway, or another
// server in its place.
func (g *gatewayRoom) joined(how way, serve func(context.Context, io.ReadWriteCloser) error, do func(r *room, state string)) {
	state := must(os.MkdirTemp(g.dir, "state"))
	defer g.remove(state)
	g.with(how, func(r *room) { do(r, state) }, func(c *vm.Config, set *share.Set) {
		c.State, c.ServeNet = true, serve
		check(set.AddState(state, 0))
	})
}

func (g *gatewayRoom) serve() func(context.Context, io.ReadWriteCloser) error {
	return g.gateway.Session(gateway.SessionOptions{Task: "bench"}).Serve
}

// question is a conversation that has gone on for a while.
func question() []byte {
	return must(json.Marshal(map[string]any{
		"model": gatewaytest.AnthropicModel, "max_tokens": 1024, "stream": true,
		"messages": []any{map[string]any{"role": "user", "content": strings.Repeat("some words of a conversation ", 1000)}},
	}))
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
	first, whole float64 // seconds
	bytes        int64
}

// ask has the program in the machine ask; path "-" takes what comes.
func (g *gatewayRoom) ask(r *room, path string) (a answer) {
	host, port, err := net.SplitHostPort(wire.GatewayAddr)
	check(err)
	check(os.WriteFile(filepath.Join(g.folder, "question.json"), question(), 0o644))
	out := r.run("python3", "-c", fmt.Sprintf(asking, host, port), "question.json", path)
	var status string
	_, err = fmt.Sscan(out, &a.first, &a.whole, &a.bytes, &status)
	if err != nil || a.first == 0 || (path != "-" && !strings.Contains(out, " 200")) {
		failf("the program in the machine said %q", out)
	}
	return a
}

// direct asks from this computer, without anything between, for the first token.
func (g *gatewayRoom) direct() time.Duration {
	req := must(http.NewRequestWithContext(g.ctx, http.MethodPost, g.model.URL+pathOfModel, bytes.NewReader(question())))
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	resp, err := client.Do(req)
	check(err)
	defer resp.Body.Close()
	buf, start := make([]byte, 64<<10), ""
	for !strings.Contains(start, "text_delta") {
		n, err := resp.Body.Read(buf)
		start += string(buf[:n])
		checkf(err, "no token came: %.200q", start)
	}
	took := time.Since(began)
	must(io.Copy(io.Discard, resp.Body))
	return took
}

// paced is the time to the first token of a server that takes its time.
func (g *gatewayRoom) paced() {
	g.model.Reply(func(gatewaytest.Question) gatewaytest.Turn {
		<-time.After(firstAfter)
		return gatewaytest.Paced(tokens, tokenPause)
	})
	g.joined(restored, g.serve(), func(r *room, _ string) {
		through := func() time.Duration { return time.Duration(g.ask(r, throughIt).first * float64(time.Second)) }
		through() // the first brings the bridge up and reads what it is made of
		than := fmt.Sprintf("the same question from this computer, to a server that says its first token after %v", firstAfter)
		g.compare("gateway/paced/first-token", than, through, g.direct)
	})
}

// bulk is how much of an answer that is as fast as it is taken passes in a second,
// beside bytes from memory over the same port.
func (g *gatewayRoom) bulk() {
	g.model.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Bulk(bulkBytes) })
	per := func(r *room, path string) func() float64 {
		return func() float64 {
			a := g.ask(r, path)
			if a.bytes < bulkBytes {
				failf("only %d bytes came", a.bytes)
			}
			return float64(a.bytes) / a.whole / 1e6
		}
	}
	g.joined(restored, g.serve(), func(through *room, _ string) {
		g.joined(restored, pour, func(plain *room, _ string) {
			ours, theirs := per(through, throughIt), per(plain, "-")
			ours() // warm
			theirs()
			x, y := inTurn(g.runs, ours, theirs)
			g.add(row{
				Name: "gateway/bulk/throughput", Unit: "MB/s", Ours: median(x), Comparator: median(y), Better: "higher", Runs: g.runs,
				ComparatorName: "bytes from memory over the same port and its streams, taken by the same program",
			})
		})
	})
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

// prompt is how long a person waits from what they asked for to the first word of
// the AI program that it has begun: a machine, the gateway, the program.
func (g *gatewayRoom) prompt() {
	g.model.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Paced(1, 0) })
	first := func(how way) func() time.Duration { return func() time.Duration { return g.firstEvent(how) } }
	g.compare("gateway/prompt/first-event", "the same in a machine that was booted", first(restored), first(booted))
}

// firstEvent starts a machine and the AI program in it, and asks.
func (g *gatewayRoom) firstEvent(how way) (took time.Duration) {
	began := time.Now()
	g.joined(how, g.serve(), func(r *room, state string) {
		ctx, cancel := context.WithCancel(g.ctx)
		defer cancel()
		first := make(chan time.Duration, 1)
		s := agent.New(agent.Options{Task: benchTask, Emit: func(agent.Entry) {
			select {
			case first <- time.Since(began):
			default:
			}
		}})
		t, ended := runAgent(ctx, r, g.launch(r, state))
		must(s.Start(ctx, t))
		check(s.Prompt(ctx, "What is in this folder?"))
		must(s.Wait(ctx))
		check(s.Close(ctx))
		check(<-ended)
		took = <-first
	})
	return took
}

// benchTask is the id of every conversation.
const benchTask = "0190c0de-0000-7000-8000-000000000001"

// launch puts down what the program is started with.
func (g *gatewayRoom) launch(r *room, state string) agent.Launch {
	launch := must(agent.Command(agent.Config{
		Task: benchTask, Init: r.InitData(), Model: "scripted/" + gatewaytest.AnthropicModel,
		Models: must(g.gateway.PiModels(g.ctx, wire.GatewayAddr, provider.Model{ID: "scripted/" + gatewaytest.AnthropicModel})),
	}))
	root := must(os.OpenRoot(state))
	defer root.Close()
	check(launch.Lay(root))
	return launch
}

// runAgent runs the program in the machine; the channel says how it ended.
func runAgent(ctx context.Context, r *room, launch agent.Launch) (agent.Transport, <-chan error) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	env := map[string]string{}
	for _, v := range launch.Env {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	go func() {
		seen, err := r.Execute(ctx, vmhost.Action{
			Exec: &wire.ExecParams{ID: "agent", Argv: launch.Argv, Env: env, Cwd: launch.Dir}, Input: in,
			OnOutput: func(o wire.ExecOutput) {
				if o.Stream == wire.Stdout {
					_, _ = out.Write(o.Data) // a session that is over reads no more
				}
			},
		})
		if err == nil && seen.Exec.ExitCode != 0 {
			err = fmt.Errorf("the AI program ended with status %d", seen.Exec.ExitCode)
		}
		_ = out.Close()
		ended <- err
	}()
	return agent.Transport{In: toAgent, Out: fromAgent}, ended
}
