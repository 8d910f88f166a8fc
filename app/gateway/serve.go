package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/yamux"

	"piwork/vmhost/wire/mux"
)

// Bounds on what a guest sends before its body.
const (
	headerTimeout  = time.Minute
	keepAlive      = 5 * time.Minute // of a connection without a request
	maxGuestHeader = 64 << 10
)

// Serve serves a machine's gateway port until ctx ends, the machine closes it, or
// breaks its rules (mux.ErrHostile). It owns conn. When it returns, nothing of it
// runs any more, and every request was counted. The end of ctx, and that of the
// machine, is no error.
func (s *Session) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	host, err := mux.Host(mux.Guard(conn))
	if err != nil {
		conn.Close()
		return fmt.Errorf("serve the gateway's port: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup // connections with who serves them
	srv := s.server(ctx)
	srv.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1) // before Serve can return
		case http.StateClosed:
			open.Done()
		default:
		}
	}
	end := func() {
		cancel()
		srv.Close()
		host.Close()
	}
	stop := context.AfterFunc(ctx, end)
	err = srv.Serve(host)
	byUs := ctx.Err() != nil
	stop()
	end()
	open.Wait()
	// A connection that waited to be accepted when the session ended says only that
	// it did, or not even that; the session knows why.
	for range 4 * mux.MaxStreams {
		if err != nil && !errors.Is(err, yamux.ErrSessionShutdown) {
			break
		}
		_, err = host.Accept()
	}
	if byUs || err == nil || gone(err) {
		return nil
	}
	return fmt.Errorf("serve the gateway's port: %w", err)
}

// gone reports what reading and writing say when the other side is there no more.
func gone(err error) bool {
	for _, e := range []error{yamux.ErrSessionShutdown, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// server is what HTTP of a guest is served with.
func (s *Session) server(ctx context.Context) *http.Server {
	srv := &http.Server{
		Handler:                      s.Handler(),
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout:            headerTimeout,
		IdleTimeout:                  keepAlive,
		MaxHeaderBytes:               maxGuestHeader,
		DisableGeneralOptionsHandler: true,
		Protocols:                    new(http.Protocols),
		ErrorLog:                     slog.NewLogLogger(quiet{s.g.log.Handler()}, slog.LevelDebug),
	}
	srv.Protocols.SetHTTP1(true)
	return srv
}

// quiet keeps the text of a log line to itself: net/http puts parts of what a
// client sent into it.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	return q.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "the guest's request ended in an error of HTTP", r.PC))
}
