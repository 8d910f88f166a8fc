package background_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"

	"piwork/app/background"
)

// joined relays between a socket, whose other end is returned, and the streams.
func joined(ctx context.Context, t *testing.T, in io.Reader, out io.Writer) (*net.UnixConn, <-chan error) {
	t.Helper()
	path := filepath.Join(newPlace(t).dir, "s")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- background.Relay(ctx, conn, in, out) }()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	return far.(*net.UnixConn), over
}

// At the end of the input the controller hears so, and its answer still arrives.
func TestRelayHalfCloses(t *testing.T) {
	var out bytes.Buffer
	far, over := joined(t.Context(), t, bytes.NewReader([]byte("a request")), &out)
	if asked, err := io.ReadAll(far); err != nil || string(asked) != "a request" {
		t.Errorf("%q %v", asked, err)
	}
	if _, err := io.WriteString(far, "an answer"); err != nil {
		t.Error(err)
	}
	far.Close()
	if err := <-over; err != nil || out.String() != "an answer" {
		t.Errorf("%q %v", &out, err)
	}
}

// It ends with the controller, though the input goes on, and when it is told to.
func TestRelayEnds(t *testing.T) {
	in, typed := io.Pipe()
	defer typed.Close()
	far, over := joined(t.Context(), t, in, io.Discard)
	far.Close()
	if err := <-over; err != nil {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, over = joined(ctx, t, in, io.Discard)
	stop()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
