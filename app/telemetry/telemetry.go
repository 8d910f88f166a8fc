package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/settings"
)

// Bounds on exporting.
const (
	maxQueue     = 2048             // spans that wait to be sent
	exportEvery  = 5 * time.Second  // spans; metrics once in a minute
	metricsEvery = time.Minute      //
	exportWithin = 10 * time.Second // one message
	closeWithin  = 2 * time.Second
	maxAnswer    = 64 << 10 // bytes, of headers and of the body
	maxLabels    = 1000     // combinations of labels of one metric; the rest is counted as one
)

// Variables of OpenTelemetry that are looked at; see the package comment.
const (
	varEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	varHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
)

// Settings are what a person chose.
type Settings struct {
	Endpoint string `json:"endpoint" maxLength:"2048" doc:"address of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318, to which traces and metrics are sent; empty: nothing is sent"`
}

// Options of [New].
type Options struct {
	Version string // of piwork
	Choice  settings.Value[Settings]
	Audit   *audit.Log // of who chooses
	Sources Sources
	Log     *slog.Logger
}

// Telemetry counts and traces. Its methods may be called from several goroutines at once.
type Telemetry struct {
	o      Options
	reader *sdkmetric.ManualReader
	instruments

	choosing sync.Mutex // is held while another endpoint is chosen; before mu

	mu  sync.Mutex // of changes of out
	out atomic.Pointer[export]
}

// export sends to one endpoint.
type export struct {
	*sender
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	last     context.CancelFunc // has the metrics be sent once more
	over     chan struct{}      // closed when no metrics are sent any more
}

// New makes one that sends nothing yet.
func New(o Options) (*Telemetry, error) {
	t := &Telemetry{o: o, reader: sdkmetric.NewManualReader()}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(t.reader), sdkmetric.WithCardinalityLimit(maxLabels))
	if err := t.instruments.make(provider.Meter("piwork"), o.Sources); err != nil {
		return nil, fmt.Errorf("make the instruments of telemetry: %w", err)
	}
	return t, nil
}

// Run sends where the person chose an endpoint, until [Telemetry.Close].
func (t *Telemetry) Run() {
	endpoint := t.o.Choice.Get().Endpoint
	if err := Check(endpoint); err != nil {
		t.o.Log.Warn("telemetry: the endpoint in the settings cannot be used", "error", err)
		return
	}
	t.use(endpoint)
}

// Counting is itself: whoever has something in which it is embedded hands it on.
func (t *Telemetry) Counting() *Telemetry { return t }

// TelemetrySettings are what the person chose.
func (t *Telemetry) TelemetrySettings(context.Context) (Settings, error) {
	return t.o.Choice.Get(), nil
}

// SetTelemetry chooses another endpoint, at once. What was not sent yet gets a moment.
func (t *Telemetry) SetTelemetry(ctx context.Context, s Settings) (Settings, error) {
	s.Endpoint = strings.TrimRight(strings.TrimSpace(s.Endpoint), "/")
	if err := Check(s.Endpoint); err != nil {
		return Settings{}, problem.BadRequest("endpoint", "%v", err)
	}
	t.choosing.Lock() // what is in use is what was saved last
	defer t.choosing.Unlock()
	if err := t.o.Audit.Decide(ctx, "", audit.Chosen("telemetry", s.Endpoint)); err != nil {
		return Settings{}, err
	}
	if err := t.o.Choice.Set(s); err != nil {
		return Settings{}, problem.From(err)
	}
	t.use(s.Endpoint)
	return s, nil
}

// Check says why nothing can be sent to an endpoint.
func Check(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(endpoint) > 2048:
		return fmt.Errorf("not an address such as http://127.0.0.1:4318")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "": // settings are no place for a secret
		return fmt.Errorf("an address without a user, a password, a query and a fragment")
	}
	return nil
}

// use sends to an endpoint from now on, to none with "".
func (t *Telemetry) use(endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.out.Load()
	if before == nil && endpoint == "" || before != nil && before.endpoint == endpoint {
		return
	}
	var next *export
	if endpoint != "" {
		next = t.open(endpoint)
	}
	t.out.Store(next)
	if before != nil {
		before.close()
	}
}

// open begins to send to an endpoint.
func (t *Telemetry) open(endpoint string) *export {
	s := newSender(endpoint, headersFor(endpoint), t.o.Version, t.o.Log, t.lost)
	e := &export{sender: s, over: make(chan struct{})}
	limits := sdktrace.NewSpanLimits()
	e.provider = sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())), sdktrace.WithRawSpanLimits(limits), sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithBatcher(s, sdktrace.WithMaxQueueSize(maxQueue), sdktrace.WithBatchTimeout(exportEvery), sdktrace.WithExportTimeout(exportWithin), sdktrace.WithMaxExportBatchSize(maxQueue/4)),
	)
	e.tracer = e.provider.Tracer("piwork")
	var ctx context.Context
	ctx, e.last = context.WithCancel(context.Background())
	go func() {
		defer close(e.over)
		again := time.NewTicker(metricsEvery)
		defer again.Stop()
		for {
			select {
			case <-again.C:
			case <-ctx.Done():
				t.sendMetrics(s.life, s) // the last figures
				return
			}
			t.sendMetrics(ctx, s)
		}
	}()
	return e
}

func (t *Telemetry) sendMetrics(ctx context.Context, s *sender) {
	var all metricdata.ResourceMetrics
	if err := t.reader.Collect(ctx, &all); err != nil {
		t.o.Log.Debug("telemetry: the metrics are not whole", "error", err)
	}
	s.metrics(ctx, all)
}

// close sends what waits, for a moment, and ends.
func (e *export) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	defer context.AfterFunc(ctx, e.stop)() // ends what hangs
	e.last()
	_ = e.provider.Shutdown(ctx) // of what is lost the sender tells
	<-e.over
	e.end()
}

// Close ends the sending; what it takes is bounded.
func (t *Telemetry) Close() error {
	t.use("")
	return nil
}

// headersFor are the headers of the environment, where they are for this endpoint.
func headersFor(endpoint string) http.Header {
	h := http.Header{}
	if strings.TrimRight(os.Getenv(varEndpoint), "/") != endpoint {
		return h
	}
	for pair := range strings.SplitSeq(os.Getenv(varHeaders), ",") {
		name, value, ok := strings.Cut(pair, "=")
		name, nerr := url.PathUnescape(strings.TrimSpace(name))
		value, verr := url.PathUnescape(strings.TrimSpace(value))
		if ok && nerr == nil && verr == nil && name != "" {
			h.Set(name, value)
		}
	}
	return h
}
