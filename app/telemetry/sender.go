package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/proto"
)

// sender posts messages to one endpoint, one try each: what an endpoint did not take is lost,
// and the next message has newer figures. It is a trace.SpanExporter.
type sender struct {
	endpoint string
	header   http.Header
	version  string
	client   *http.Client
	log      *slog.Logger
	lost     func(signal string)
	failing  atomic.Bool

	life context.Context // of all its requests
	stop context.CancelFunc
}

func newSender(endpoint string, header http.Header, version string, log *slog.Logger, lost func(string)) *sender {
	s := &sender{endpoint: endpoint, header: header, version: version, log: log, lost: lost}
	s.life, s.stop = context.WithCancel(context.Background())
	dial := net.Dialer{Timeout: exportWithin}
	s.client = &http.Client{
		Timeout: exportWithin,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext, TLSHandshakeTimeout: exportWithin, MaxResponseHeaderBytes: maxAnswer,
			MaxConnsPerHost: 2, IdleConnTimeout: 2 * metricsEvery, DisableCompression: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the person named this one
	}
	return s
}

// ExportSpans implements trace.SpanExporter. It reports no error: the SDK would print it.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	s.send(ctx, "traces", tracesOf(s.version, spans))
	return nil
}

// Shutdown implements trace.SpanExporter; its end is [export.close].
func (s *sender) Shutdown(context.Context) error { return nil }

func (s *sender) metrics(ctx context.Context, all metricdata.ResourceMetrics) {
	s.send(ctx, "metrics", metricsOf(s.version, all))
}

// send posts a message of a signal.
func (s *sender) send(ctx context.Context, signal string, message proto.Message) {
	err := s.post(ctx, signal, message)
	switch {
	case err == nil && s.failing.Swap(false):
		s.log.Info("telemetry: the endpoint takes what is sent again")
	case err != nil:
		s.lost(signal)
		if !s.failing.Swap(true) && s.life.Err() == nil {
			s.log.Warn("telemetry: the endpoint does not take what is sent; nothing waits for it", "error", err)
		}
	}
}

func (s *sender) post(ctx context.Context, signal string, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return fmt.Errorf("write the %s: %w", signal, err)
	}
	ctx, cancel := context.WithTimeout(ctx, exportWithin)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint+"/v1/"+signal, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = s.header.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "piwork/"+s.version)
	res, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch _, err := io.CopyN(io.Discard, res.Body, maxAnswer); { // the connection ends with the rest
	case err == nil:
		return fmt.Errorf("send the %s: an answer of more than %d bytes", signal, maxAnswer)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("send the %s: %w", signal, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("send the %s: %s", signal, res.Status)
	}
	return nil
}

// end ends its requests and connections.
func (s *sender) end() { s.stop(); s.client.CloseIdleConnections() }
