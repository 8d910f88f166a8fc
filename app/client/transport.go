package client

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// Socket is the transport to a controller that listens on a unix socket.
func Socket(path string) http.RoundTripper {
	d := net.Dialer{Timeout: 2 * time.Second}
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", path)
		},
		DisableCompression: true,
		MaxIdleConns:       4,
		IdleConnTimeout:    30 * time.Second,
	}
}

// InProcess is the transport to a handler of this process. Bodies of answers
// stream: a write of the handler is read by the client before the next.
func InProcess(h http.Handler) http.RoundTripper { return &inProcess{h} }

type inProcess struct{ h http.Handler }

// RoundTrip implements http.RoundTripper. The handler's context ends with the
// request's, and when the body of the answer is closed.
func (t *inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil { // the handler must not be quicker
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	in := req.Clone(ctx)
	in.RequestURI = req.URL.RequestURI()
	in.RemoteAddr = "in-process"
	in.Host = req.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	pr, pw := io.Pipe()
	w := &responder{header: http.Header{}, body: pw, sent: make(chan struct{})}
	go func() {
		defer cancel()
		defer in.Body.Close()
		err := io.EOF
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("the handler panicked: %v\n%s", v, debug.Stack())
				w.fail(err)
			}
			w.WriteHeader(http.StatusOK)
			_ = pw.CloseWithError(err)
		}()
		t.h.ServeHTTP(w, in)
	}()
	select {
	case <-w.sent:
	case <-ctx.Done():
		// The handler may have answered just before it ended.
		select {
		case <-w.sent:
		default:
			cancel()
			_ = pr.CloseWithError(ctx.Err())
			return nil, context.Cause(ctx)
		}
	}
	if w.failed != nil {
		cancel()
		return nil, w.failed
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.snapshot,
		Body:          &answer{PipeReader: pr, cancel: cancel},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// answer ends the handler when its reader has enough.
type answer struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (a *answer) Close() error {
	a.cancel()
	return a.PipeReader.Close()
}

// responder is the http.ResponseWriter of a handler.
type responder struct {
	header http.Header
	body   *io.PipeWriter

	once     sync.Once
	sent     chan struct{} // closed when what follows is set
	status   int
	snapshot http.Header
	failed   error
}

func (w *responder) Header() http.Header { return w.header }

func (w *responder) WriteHeader(status int) {
	if status < 200 { // informational: nobody asked
		return
	}
	w.once.Do(func() {
		w.status, w.snapshot = status, w.header.Clone()
		close(w.sent)
	})
}

func (w *responder) fail(err error) {
	w.once.Do(func() {
		w.failed = err
		close(w.sent)
	})
}

func (w *responder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush implements http.Flusher: every write is read at once.
func (w *responder) Flush() { w.WriteHeader(http.StatusOK) }
