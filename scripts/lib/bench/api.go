package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/events"
	"piwork/app/task"
)

const (
	apiTasks    = 200               // records of the data directory
	streams     = 200               // subscribers
	streamRate  = 1000              // events in a second
	streamFor   = 3 * time.Second   // of one turn
	idleSettles = 130 * time.Second // the first look for updates is over then (app/runtimepack/updater)
	idleFor     = 2 * time.Minute
)

// apiBench measures the process that has the controller, and what it costs to ask it.
func apiBench(b *B) {
	p := newAPIRoom(b)
	b.part("api/start/first-answer", func() {
		b.compare("api/start/first-answer", "a bare Go server that reads the same files and answers on a socket", p.start(p.piwork), p.start(p.bare))
	})
	b.part("api/command/time", p.command)
	b.part("api/tracing/overhead", p.tracing)
	b.part("api/policy/decision", p.policies)
	b.part("api/mcp/tool", p.mcpTool)
	b.part("api/streams", b.streams)
	b.part("api/idle", p.idle)
}

// apiRoom is a data directory without a runtime, and the programs on it.
type apiRoom struct {
	*B
	dir, file, bareFile string // the directories, piwork and the other
}

func newAPIRoom(b *B) *apiRoom {
	p := &apiRoom{B: b, dir: must(os.MkdirTemp(b.dir, "api")), file: os.Getenv("PIWORK_BENCH_PROGRAM"), bareFile: filepath.Join(b.dir, "bareserver")}
	build := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.bareFile, "./scripts/lib/bench/bareserver")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	checkf(err, "build bareserver: %s", out)
	store := must(task.OpenStore(filepath.Join(p.dir, "data", "tasks")))
	for i := range apiTasks {
		check(store.Create(task.Task{
			V: task.RecordVersion, ID: must(task.NewID()), Kind: task.KindExec, Title: fmt.Sprint("Task ", i), State: task.StateDone,
			Created: time.Now().UTC(), Network: task.NetworkOff, Place: task.Place{Runtime: "vm"}, Argv: []string{"true"},
		}))
	}
	p.run(p.piwork, func(*process) {}) // the first start makes what is not there
	return p
}

// process is a server that answers.
type process struct {
	pid    int
	socket string
}

func (p *apiRoom) piwork() *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), p.file, "serve", "--json")
	cmd.Env = append(os.Environ(), p.env()...)
	return cmd
}

func (p *apiRoom) env() []string {
	return []string{
		app.EnvDataDir + "=" + filepath.Join(p.dir, "data"), app.EnvConfigDir + "=" + filepath.Join(p.dir, "config"), app.EnvCacheDir + "=" + filepath.Join(p.dir, "cache"),
	}
}

func (p *apiRoom) bare() *exec.Cmd {
	return exec.CommandContext(context.Background(), p.bareFile, filepath.Join(p.dir, "s"), filepath.Join(p.dir, "data"), filepath.Join(p.dir, "config"))
}

// run has a server do something once it answers.
func (p *apiRoom) run(program func() *exec.Cmd, do func(*process)) {
	cmd := program()
	out := must(cmd.StdoutPipe())
	cmd.Stderr = os.Stderr
	check(cmd.Start())
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = os.Remove(filepath.Join(p.dir, "s"))
	}()
	line := must(bufio.NewReader(out).ReadBytes('\n'))
	s := &process{pid: cmd.Process.Pid, socket: filepath.Join(p.dir, "s")}
	var ready struct{ Socket string }
	if json.Unmarshal(line, &ready) == nil && ready.Socket != "" {
		s.socket = ready.Socket
	}
	get(s.socket, "/_health")
	do(s)
}

// get asks once, over a connection of its own.
func get(socket, path string) {
	rt := client.Socket(socket)
	defer rt.(*http.Transport).CloseIdleConnections()
	getWith(rt, path)
}

// getWith asks once.
func getWith(rt http.RoundTripper, path string) {
	req := must(http.NewRequestWithContext(context.Background(), http.MethodGet, "http://piwork"+path, nil))
	res, err := (&http.Client{Transport: rt}).Do(req)
	check(err)
	defer res.Body.Close()
	must(io.Copy(io.Discard, res.Body))
	if res.StatusCode != http.StatusOK {
		failf("%s is answered by %s", path, res.Status)
	}
}

// start is how long a server takes from its start to the first answer.
func (p *apiRoom) start(program func() *exec.Cmd) func() time.Duration {
	return func() (took time.Duration) {
		began := time.Now()
		p.run(program, func(*process) { took = time.Since(began) })
		return took
	}
}

// command is a call by the command line, beside the same call by who is there already.
func (p *apiRoom) command() {
	p.run(p.piwork, func(s *process) {
		ours := func() time.Duration {
			cmd := exec.CommandContext(p.ctx, p.file, "task", "list", "--json")
			cmd.Env = append(os.Environ(), p.env()...)
			return timed(func() { must(cmd.Output()) })
		}
		theirs := func() time.Duration { return timed(func() { get(s.socket, "/v1/tasks") }) }
		ours() // warm
		theirs()
		p.compare("api/command/time", "the bare call: GET /v1/tasks on a new connection to the socket", ours, theirs)
	})
}

// streams measures how long a task waits for its events to be told, and when the last
// subscriber has heard them, with many subscribers beside one.
func (b *B) streams() {
	var waits, arrivals [2][]float64
	for i := range b.runs {
		for k := range 2 {
			side := (i + k) % 2
			wait, arrival := b.publish([]int{streams, 1}[side])
			waits[side], arrivals[side] = append(waits[side], wait), append(arrivals[side], arrival)
		}
	}
	add := func(name string, both [2][]float64) {
		b.add(row{Name: name, Unit: "ms", Ours: median(both[0]), ComparatorName: fmt.Sprintf("one subscriber; both at %d events/s", streamRate), Comparator: median(both[1]), Runs: b.runs})
	}
	add("api/streams/publish-p99", waits)
	add("api/streams/arrival-median", arrivals)
}

// publisher is a service whose events are published here.
type publisher struct {
	*apitest.Fake
	*events.Broker
}

func (p publisher) Publish(e task.Event) { p.Broker.Publish(e) }

// Subscribe implements api.Service.
func (p publisher) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	return p.Broker.Subscribe(f)
}

// publish has so many subscribers follow a task; all of them hear everything.
func (b *B) publish(n int) (waited99, arrivedMedian float64) {
	dir := must(os.MkdirTemp(b.dir, "s"))
	defer b.remove(dir)
	ln := must(api.ListenSocket(filepath.Join(dir, "s")))
	service := publisher{apitest.New(apitest.Script{}), events.New(time.Now)}
	a := api.New(api.Options{Service: service})
	defer a.Close()
	ctx, stop := context.WithCancel(b.ctx)
	over := make(chan error, 1)
	go func() { over <- api.Serve(ctx, ln, a.Handler()) }()
	defer b.end(func() error { stop(); return <-over })

	const count = int(streamFor / time.Second * streamRate)
	heard := make([][count]time.Time, n)
	var ready, readers sync.WaitGroup
	fails := make(chan error, n)
	for reader := range n {
		ready.Add(1)
		readers.Go(func() {
			c, err := new(net.Dialer).DialContext(context.Background(), "unix", filepath.Join(dir, "s"))
			if err == nil {
				defer c.Close()
				err = c.SetDeadline(time.Now().Add(time.Minute))
			}
			if err == nil {
				_, err = io.WriteString(c, "GET /v1/events?task=bench HTTP/1.0\r\nHost: piwork\r\n\r\n")
			}
			lines := bufio.NewReaderSize(c, 64<<10)
			stands, got := false, 0
			for err == nil && got < count {
				var line []byte
				line, err = lines.ReadSlice('\n')
				switch {
				case !stands && strings.HasPrefix(string(line), ":"):
					stands = true
					ready.Done()
				case strings.HasPrefix(string(line), "data: "):
					heard[reader][got] = time.Now()
					got++
				}
			}
			if !stands {
				ready.Done()
			}
			if err != nil {
				fails <- fmt.Errorf("%d of %d events: %w", got, count, err)
			}
		})
	}
	ready.Wait()
	var waits, arrivals []float64
	var sent [count]time.Time
	tick := time.NewTicker(time.Second / streamRate)
	defer tick.Stop()
	for i := range count {
		<-tick.C // one that is late is left out: a burst is another question
		sent[i] = time.Now()
		service.Publish(task.Event{Task: "bench", Kind: task.EventStep, Data: task.StepData{Step: "run"}})
		waits = append(waits, time.Since(sent[i]).Seconds()*1000)
	}
	readers.Wait()
	select {
	case err := <-fails:
		check(err)
	default:
	}
	for i := range count {
		last := sent[i]
		for _, at := range heard {
			if at[i].After(last) {
				last = at[i]
			}
		}
		arrivals = append(arrivals, last.Sub(sent[i]).Seconds()*1000)
	}
	slices.Sort(waits)
	return waits[len(waits)*99/100], median(arrivals)
}

// idle is what a controller takes that nobody asks for anything.
func (p *apiRoom) idle() {
	var ours, bare usage
	watch := func(out *usage) func(*process) {
		return func(s *process) {
			p.rest(idleSettles) // it gave back what its start took
			before := usageOf(s.pid)
			p.rest(idleFor)
			*out = usageOf(s.pid)
			out.cpu -= before.cpu
			out.written -= before.written
		}
	}
	done := make(chan error, 1)
	go func() { done <- try(func() { p.run(p.bare, watch(&bare)) }) }()
	p.run(p.piwork, watch(&ours))
	check(<-done)
	perHour := float64(time.Hour / idleFor)
	than := "a bare Go server that has read the same files"
	p.add(row{Name: "api/idle/pss", Unit: "MiB", Ours: ours.pss, ComparatorName: than, Comparator: bare.pss, Runs: 1})
	p.add(row{Name: "api/idle/cpu", Unit: "ms/h", Ours: ours.cpu * perHour, ComparatorName: than, Comparator: bare.cpu * perHour, Runs: 1})
	p.add(row{Name: "api/idle/written", Unit: "B/h", Ours: ours.written * perHour, ComparatorName: than, Comparator: bare.written * perHour, Runs: 1})
}

// usage is what a process has taken so far.
type usage struct{ pss, cpu, written float64 } // MiB, ms, bytes

func usageOf(pid int) (u usage) {
	u.pss, _, _, _ = pssOf(pid)
	for _, path := range must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))) {
		ns, _, _ := strings.Cut(string(must(os.ReadFile(path))), " ")
		u.cpu += must(strconv.ParseFloat(ns, 64)) / 1e6
	}
	for line := range strings.Lines(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))))) {
		if n, ok := strings.CutPrefix(line, "wchar: "); ok { // also what is on no disk yet
			u.written = must(strconv.ParseFloat(strings.TrimSpace(n), 64))
		}
	}
	return u
}
