// Package telemetrytest has an endpoint for traces and metrics, for tests and measurements.
package telemetrytest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Receiver takes what is sent over OTLP.
type Receiver struct {
	*httptest.Server

	mu      sync.Mutex
	spans   []Span
	metrics []string
	raw     []byte
	bad     []string
}

// Span is one that came.
type Span struct {
	Name, Trace, ID, Parent string
	Failed                  bool
	Attributes              map[string]any
	Events                  []string
	Start, End              uint64
}

// New starts one.
func New() *Receiver {
	r := &Receiver{}
	r.Server = httptest.NewServer(r)
	return r
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, body...)
	for name, values := range q.Header {
		r.raw = append(r.raw, "\n"+name+": "+strings.Join(values, ",")...)
	}
	switch {
	case err != nil || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/x-protobuf":
		r.bad = append(r.bad, q.Method+" "+q.URL.Path)
	case strings.HasSuffix(q.URL.Path, "/v1/traces"):
		err = r.traces(body)
	case strings.HasSuffix(q.URL.Path, "/v1/metrics"):
		var m metricspb.MetricsData
		err = proto.Unmarshal(body, &m)
		for _, res := range m.ResourceMetrics {
			for _, scope := range res.ScopeMetrics {
				for _, one := range scope.Metrics {
					r.metrics = append(r.metrics, one.Name)
				}
			}
		}
	default:
		r.bad = append(r.bad, q.URL.Path)
	}
	if err != nil {
		r.bad = append(r.bad, err.Error())
	}
}

func (r *Receiver) traces(body []byte) error {
	var m tracepb.TracesData
	if err := proto.Unmarshal(body, &m); err != nil {
		return err
	}
	for _, res := range m.ResourceSpans {
		for _, scope := range res.ScopeSpans {
			for _, s := range scope.Spans {
				out := Span{
					Name: s.Name, Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId),
					Failed: s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR, Attributes: map[string]any{}, Start: s.StartTimeUnixNano, End: s.EndTimeUnixNano,
				}
				for _, a := range s.Attributes {
					switch v := a.Value.Value.(type) {
					case *commonpb.AnyValue_IntValue:
						out.Attributes[a.Key] = v.IntValue
					default:
						out.Attributes[a.Key] = a.Value.GetStringValue()
					}
				}
				for _, e := range s.Events {
					out.Events = append(out.Events, e.Name)
				}
				r.spans = append(r.spans, out)
			}
		}
	}
	return nil
}

// Spans are those that came so far, and Metrics the names of metrics.
func (r *Receiver) Spans() []Span { r.mu.Lock(); defer r.mu.Unlock(); return slices.Clone(r.spans) }

// Metrics are the names of the metrics that came so far.
func (r *Receiver) Metrics() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.metrics)
}

// Raw is everything that came, with headers, and Bad what was none of the protocol.
func (r *Receiver) Raw() (raw []byte, bad []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.raw), slices.Clone(r.bad)
}
