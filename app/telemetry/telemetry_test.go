package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/app/telemetry/telemetrytest"
)

type document struct {
	Sent telemetry.Settings `json:"telemetry"`
}

// logged is a log that can be read.
type logged struct {
	mu sync.Mutex
	bytes.Buffer
	audit *audit.Log
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}
func (l *logged) lines(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.String(), what)
}

func newTelemetry(t *testing.T, endpoint string) (*telemetry.Telemetry, *logged) {
	t.Helper()
	file, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), document{telemetry.Settings{Endpoint: endpoint}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := &logged{audit: audittest.Open(t)}
	c, err := telemetry.New(telemetry.Options{
		Version: "1.2.3", Audit: log.audit, Log: slog.New(slog.NewTextHandler(log, nil)), Choice: settings.Of(file, func(d *document) *telemetry.Settings { return &d.Sent }),
		Sources: telemetry.Sources{Queue: func() map[string]int64 { return map[string]int64{"machines": 3} }, Journal: func() int64 { return 7 }},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Run()
	t.Cleanup(func() { _ = c.Close() })
	return c, log
}

// work does a little of everything.
func work(t *testing.T, c *telemetry.Telemetry, tasks int) {
	t.Helper()
	h := c.Requests(c.Admitted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		telemetry.Named(r.Context(), "startTask")
		ctx := c.Task(context.Background(), telemetry.OriginOf(r.Context()), task.KindExec, "01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e")
		_ = c.Share(ctx, func() error { return nil })
		c.Queued(ctx, "machines", time.Now().Add(-time.Second), nil)
		c.TaskEnded(ctx, task.KindExec, "sandbox", task.StateDone)
	})))
	for range tasks {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/tasks", nil))
	}
}

// What is sent says who did it for whom, and when.
func TestTraces(t *testing.T) {
	r := telemetrytest.New()
	defer r.Close()
	c, _ := newTelemetry(t, r.URL)
	h := c.Requests(c.Admitted(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		telemetry.Named(q.Context(), "getTask")
		w.WriteHeader(http.StatusBadGateway)
	})))
	q := httptest.NewRequest(http.MethodGet, "/v1/tasks/x", nil)
	q.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	q.Header.Set("tracestate", "secret=name")
	h.ServeHTTP(httptest.NewRecorder(), q)
	unsampled := httptest.NewRequest(http.MethodGet, "/v1/tasks/x", nil)
	unsampled.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319d-b7ad6b7169203331-00")
	h.ServeHTTP(httptest.NewRecorder(), unsampled)
	work(t, c, 1)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	spans := map[string]telemetrytest.Span{}
	for _, s := range r.Spans() {
		spans[s.Name] = s
	}
	if got := spans["getTask"]; len(r.Spans()) != 5 || got.Trace != "0af7651916cd43dd8448eb211c80319c" || got.Parent != "b7ad6b7169203331" || !got.Failed || got.Attributes["status"] != int64(502) {
		t.Errorf("%+v", r.Spans())
	}
	if s := spans["task"]; s.Parent != spans["startTask"].ID || spans["share"].Parent != s.ID || spans["queue"].Parent != s.ID || spans["queue"].End-spans["queue"].Start < 1e9 || spans["startTask"].Parent != "" {
		t.Errorf("%+v", r.Spans())
	}
	raw, bad := r.Raw()
	if len(bad) > 0 || bytes.Contains(raw, []byte("secret")) || len(r.Metrics()) == 0 {
		t.Errorf("%q, %d metrics, %q", bad, len(r.Metrics()), raw)
	}
}

// Without an endpoint nobody is called, whatever the environment says, and the metrics are there.
func TestOffConnectsNowhere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, v := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		t.Setenv(v, "http://"+ln.Addr().String())
	}
	c, _ := newTelemetry(t, "")
	work(t, c, 10)
	text, err := c.Metrics(t.Context())
	if err != nil || !strings.Contains(string(text), `piwork_tasks_total{kind="exec",outcome="done"} 10`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	mine, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	first, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != mine.LocalAddr().String() {
		t.Error("it connected")
	}
}

// An endpoint that hangs, refuses or answers nonsense costs the work nothing, one line in the
// log, and a bounded time at the end.
func TestBadEndpoints(t *testing.T) {
	much := bytes.Repeat([]byte("x"), 1<<16)
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(much); err != nil {
				return
			}
			time.Sleep(time.Millisecond) // 64 MB a second; seven rows are played at once
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, h := range map[string]http.HandlerFunc{
		"refuses": nil,
		"hangs":   func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"fails":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"sends on": func(w http.ResponseWriter, _ *http.Request) {
			http.Redirect(w, &http.Request{}, "http://127.0.0.1:1/", http.StatusFound)
		},
		"never ends":     endless,
		"fails for ever": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); endless(w, r) },
		"trickles": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := gone.URL
			if h != nil {
				s := httptest.NewServer(h)
				t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
				url = s.URL
			}
			c, log := newTelemetry(t, url)
			began := time.Now()
			work(t, c, 1500)                                   // more than the queue holds: each has four spans
			if took := time.Since(began); took > time.Minute { // who waited would for as many exports as there are batches
				t.Errorf("the work took %v", took)
			}
			began = time.Now()
			_ = c.Close()
			if took := time.Since(began); took > 8*time.Second { // 2 are its own, one export has 10
				t.Errorf("the end took %v", took)
			}
			if n := log.lines("level=WARN"); n > 1 {
				t.Errorf("%d lines:\n%s", n, log)
			}
			text, err := c.Metrics(t.Context())
			if err != nil || !strings.Contains(string(text), `piwork_tasks_total{kind="exec",outcome="done"} 1500`) || !strings.Contains(string(text), "piwork_telemetry_lost_total") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

// Another endpoint counts at once; what is none is refused and changes nothing.
func TestChooseAnotherEndpoint(t *testing.T) {
	one, two := telemetrytest.New(), telemetrytest.New()
	defer one.Close()
	defer two.Close()
	c, log := newTelemetry(t, one.URL)
	for _, bad := range []string{"collector:4318", "ftp://a/", "http://", "http://me:secret@a/", "http://a/?key=secret", "http://a/#x", "http://" + strings.Repeat("a", 3000), "file:///x"} {
		var p *problem.Problem
		if _, err := c.SetTelemetry(t.Context(), telemetry.Settings{Endpoint: bad}); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
	work(t, c, 1)
	if got, err := c.SetTelemetry(t.Context(), telemetry.Settings{Endpoint: two.URL + "/otlp/"}); err != nil || got.Endpoint != two.URL+"/otlp" {
		t.Fatalf("%+v, %v", got, err)
	}
	before := len(one.Spans())
	work(t, c, 1)
	if _, err := c.SetTelemetry(t.Context(), telemetry.Settings{}); err != nil {
		t.Fatal(err)
	}
	work(t, c, 1)
	_ = c.Close()
	if before != 4 || len(one.Spans()) != 4 || len(two.Spans()) != 4 {
		t.Errorf("%d, %d, %d", before, len(one.Spans()), len(two.Spans()))
	}
	if got := audittest.Decisions(t, log.audit); !slices.Equal(got, []string{"telemetry written person", "telemetry removed person"}) {
		t.Errorf("%q", got)
	}
}

// Of two who choose an endpoint at once, the one whose choice is kept is the one whose is used.
func TestChooseEndpointsAtOnce(t *testing.T) {
	one, two := telemetrytest.New(), telemetrytest.New()
	defer one.Close()
	defer two.Close()
	for range 20 {
		c, _ := newTelemetry(t, "")
		var all sync.WaitGroup
		for _, to := range []string{one.URL, two.URL, ""} {
			all.Go(func() { _, _ = c.SetTelemetry(t.Context(), telemetry.Settings{Endpoint: to}) })
		}
		all.Wait()
		kept, _ := c.TelemetrySettings(t.Context())
		spans := map[string]int{one.URL: len(one.Spans()), two.URL: len(two.Spans())}
		work(t, c, 1)
		_ = c.Close()
		for to, s := range map[string]*telemetrytest.Receiver{one.URL: one, two.URL: two} {
			if got := len(s.Spans()) > spans[to]; got != (to == kept.Endpoint) {
				t.Fatalf("%q is kept, and %q gets it: %v", kept.Endpoint, to, got)
			}
		}
	}
}

// Headers of the environment go to the endpoint of the environment alone.
func TestHeadersOfTheEnvironment(t *testing.T) {
	for _, same := range []bool{true, false} {
		r := telemetrytest.New()
		defer r.Close()
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=se%20cret, x=y")
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", map[bool]string{true: r.URL + "/", false: "https://elsewhere.example"}[same])
		t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=marked")
		t.Setenv("OTEL_SERVICE_NAME", "marked")
		c, _ := newTelemetry(t, r.URL)
		work(t, c, 1)
		_ = c.Close()
		if raw, _ := r.Raw(); bytes.Contains(raw, []byte("se cret")) != same || bytes.Contains(raw, []byte("marked")) {
			t.Errorf("the same endpoint: %v\n%q", same, raw)
		}
	}
}

// Prometheus reads the metrics, and labels come from closed sets.
func TestMetricsForPrometheus(t *testing.T) {
	c, _ := newTelemetry(t, "")
	work(t, c, 2)
	for i := range 100 {
		c.TaskEnded(t.Context(), task.Kind(fmt.Sprint("kind", i)), "remote:mine", task.State(fmt.Sprint("state", i)))
	}
	for i := range 5000 { // a fault in what calls
		c.Answered(telemetry.Answer{Provider: "p", Model: fmt.Sprint("m", i), Used: telemetry.Tokens{Input: 1}})
	}
	text, err := c.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if n := len(all["piwork_tasks_total"].Metric); n != 2 { // exec and other
		t.Errorf("%v", all["piwork_tasks_total"])
	}
	if n := len(all["piwork_gateway_tokens_total"].Metric); n > 1000 {
		t.Errorf("%d combinations of labels", n)
	}
	h := all["piwork_api_request_duration_seconds"].Metric[0].Histogram
	if h.GetSampleCount() != 2 || len(h.Bucket) == 0 || h.Bucket[len(h.Bucket)-1].GetCumulativeCount() != 2 {
		t.Errorf("%v", h)
	}
	if g := all["piwork_queue_length"]; g.Metric[0].Gauge.GetValue() != 3 || all["piwork_journal_bytes_total"].Metric[0].Counter.GetValue() != 7 {
		t.Errorf("%v", g)
	}
}

// A request whose handler panics, one that nobody let in, and a stream are counted as what they are.
func TestRequestsThatEndOtherwise(t *testing.T) {
	r := telemetrytest.New()
	defer r.Close()
	c, _ := newTelemetry(t, r.URL)
	serve := func(h http.Handler) {
		defer func() { _ = recover() }()
		c.Requests(h).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/x", nil))
	}
	serve(c.Admitted(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("marked") })))
	serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	serve(c.Admitted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		telemetry.Named(r.Context(), "watchEvents")
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
	})))
	_ = c.Close()
	text, _ := c.Metrics(t.Context())
	for want, n := range map[string]int{`operation="none",status="5xx",le="+Inf"} 1`: 1, `piwork_api_refused_total{reason="too-many"} 1`: 1, "watchEvents": 0, "marked": 0} {
		if strings.Count(string(text), want) != n {
			t.Errorf("%s\n%s", want, text)
		}
	}
	if spans := r.Spans(); len(spans) != 2 || !spans[0].Failed || spans[1].Name != "watchEvents" {
		t.Errorf("%+v", spans)
	}
}

// A command that is over is the root of what it asked for; what is none is refused.
func TestCommand(t *testing.T) {
	r := telemetrytest.New()
	defer r.Close()
	t.Setenv("TRACEPARENT", "no trace")
	c, _ := newTelemetry(t, r.URL)
	ctx, command := telemetry.BeginCommand(t.Context())
	h := c.Requests(c.Admitted(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	q, w := httptest.NewRequest(http.MethodGet, "/v1/tasks", nil), httptest.NewRecorder()
	telemetry.Inject(ctx, q.Header)
	h.ServeHTTP(w, q)
	if command.Traced() {
		t.Error("it knows that it was traced before it heard so")
	}
	if telemetry.Heard(ctx, w.Header()); !command.Traced() {
		t.Error("it does not know that it was traced")
	}
	for _, bad := range []telemetry.Command{{}, {Span: command.Span}, {Span: "x", Begun: time.Now()}, {Span: command.Span, Begun: time.Now().Add(time.Hour)}} {
		if _, err := c.EndCommand(t.Context(), bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if _, err := c.EndCommand(t.Context(), command); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	spans := r.Spans()
	if len(spans) != 2 || spans[1].Name != "command" || spans[1].Parent != "" || spans[0].Parent != spans[1].ID || spans[0].Trace != spans[1].Trace {
		t.Errorf("%+v", spans)
	}
}

// Nil does nothing.
func TestNilDoesNothing(t *testing.T) {
	work(t, nil, 1)
	(*telemetry.Telemetry)(nil).Answered(telemetry.Answer{})
}
