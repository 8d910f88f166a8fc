package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/task"
	"piwork/app/tasks"
)

const envHolder = "PIWORK_TEST_HOLDER" // names the socket to which a test program is a command line that waits

const envOther = "PIWORK_TEST_OTHER_PROCESS" // names the socket that a test program is a client of

// TestMain lets this program be another process: the window of a person whose piwork is
// attacked by the test.
func TestMain(m *testing.M) {
	if socket := os.Getenv(envHolder); socket != "" {
		t, err := client.New(client.Socket(socket), nil).StartTask(context.Background(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep"}})
		fmt.Fprintln(os.Stdout, t.ID, err)
		select {}
	}
	socket := os.Getenv(envOther)
	if socket == "" {
		os.Exit(m.Run())
	}
	if err := work(socket); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work does what windows and command lines do: requests, streams, attaching. It tries as
// long as they would.
func work(socket string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c := client.New(client.Socket(socket), nil)
	for {
		if err = workOnce(ctx, c); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func workOnce(ctx context.Context, c *client.Client) error {
	list, err := c.FindTasks(ctx, task.Filter{})
	if err != nil {
		return err
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan struct{})
	over := make(chan error, 1)
	go func() {
		over <- c.Events(within, client.EventsOptions{Ready: ready}, func(task.Event) error { return nil })
	}()
	select {
	case <-ready:
	case err := <-over:
		return fmt.Errorf("stream: %w", err)
	}
	for _, t := range list {
		conn, err := c.AttachTask(within, t.ID, false)
		if err != nil {
			return fmt.Errorf("attach: %w", err)
		}
		defer conn.Close()
	}
	return nil
}

// othersWork fails unless another process is served, while this one keeps what it has.
func (s *served) othersWork() {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envOther+"="+s.socket, "GORACE=atexit_sleep_ms=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Errorf("another process is not served: %v\n%s", err, bytes.TrimSpace(out))
	}
}

// One process finds no room long before there is none for others, and is told so; what it
// gives back it can have again.
func TestShareOfOneProcess(t *testing.T) {
	const keep = "GET /v1/tasks HTTP/1.1"
	attach := func(id string) []string {
		return []string{"GET /v1/tasks/" + id + "/attach HTTP/1.1", host, "Connection: Upgrade", "Upgrade: websocket",
			"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: attach.piwork.v1", "", ""}
	}
	for _, tt := range []struct {
		name    string
		limits  api.ListenerLimits
		request func(id string) []string
		status  int
		code    string
		room    int
	}{
		{"connections", api.ListenerLimits{Connections: 8, Streams: 99}, func(string) []string { return []string{keep, host, "", ""} }, 200, answer.CodeTooManyConnections, 3},
		{"streams", api.ListenerLimits{Connections: 99, Streams: 8}, func(string) []string { return []string{"GET /v1/events HTTP/1.1", host, "", ""} }, 200, answer.CodeTooManyStreams, 3},
		{"attached, as connections", api.ListenerLimits{Connections: 8, Streams: 99}, attach, 101, answer.CodeTooManyConnections, 3},
		{"attached, as streams", api.ListenerLimits{Connections: 99, Streams: 8}, attach, 101, answer.CodeTooManyStreams, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := apitest.New(apitest.Script{Endless: true})
			program, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sh"}, Detached: true, StreamsRequest: tasks.StreamsRequest{Interactive: true}})
			if err != nil {
				t.Fatal(err)
			}
			tt.limits.Rate, tt.limits.Burst = 1e6, 1e6
			s := serveLimited(t, f, tt.limits, api.Options{})
			request := tt.request(program.ID)
			var has []net.Conn
			for range tt.room {
				c := s.dial(request...)
				if got := s.hear(c); got.status != tt.status {
					t.Fatalf("the %d. time: %+v", len(has)+1, got)
				}
				has = append(has, c)
			}
			for lang, word := range map[string]string{"en": "This program", "de": "Dieses Programm"} {
				asked := append([]string{request[0], "Accept-Language: " + lang, "Connection: close"}, request[1:]...)
				got := s.hear(s.dial(asked...))
				if got.status != 429 || got.Code != tt.code || got.Cause != "program" || got.Params["limit"] != float64(tt.room) ||
					got.header.Get("Retry-After") == "" || !strings.HasPrefix(got.Title, word) || got.Detail == "" {
					t.Errorf("%+v", got)
				}
			}
			s.othersWork()
			_ = has[0].Close()
			await(t, func() bool {
				c := s.dial(request...)
				defer c.Close() // else its connections are too many, soon
				return s.hear(c).status == tt.status
			})
		})
	}
}

// Who knocks without end, with all it can open, keeps nobody else out.
func greedy(s *served, limits api.ListenerLimits, request ...string) {
	s.Helper()
	refused := 0
	for range 5 * limits.Connections {
		c := s.dial(request...)
		if len(request) == 0 {
			continue
		}
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		var one [16]byte
		if n, err := c.Read(one[:]); err != nil && !errors.Is(err, net.ErrClosed) || strings.Contains(string(one[:n]), " 429") {
			refused++ // told so, or closed: these are too many to be told
		}
	}
	if len(request) > 0 && refused == 0 {
		s.Error("nothing is refused")
	}
}

// TestATaskEndsWithAKilledClient: long before its grace is over, on Linux also while its
// parent does not know of its end.
func TestATaskEndsWithAKilledClient(t *testing.T) {
	f := apitest.New(apitest.Script{Endless: true})
	s := serveLimited(t, f, api.Limited, api.Options{HoldGrace: 24 * time.Hour})
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), envHolder+"="+s.socket)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	var id, failed string
	if _, err := fmt.Fscan(out, &id, &failed); err != nil || failed != "<nil>" {
		t.Fatalf("%s %s %v", id, failed, err)
	}
	_ = holder.Process.Kill()
	if runtime.GOOS != "linux" {
		_ = holder.Wait()
	}
	defer func() { _ = holder.Wait() }()
	events, cancel := f.Subscribe(task.EventFilter{Task: id, Kinds: []task.EventKind{task.EventState}})
	defer cancel()
	for e := range events {
		if d, ok := e.Data.(task.StateData); ok && d.State == task.StateCancelled {
			return
		}
	}
}
