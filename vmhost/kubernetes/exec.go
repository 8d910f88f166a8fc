package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/coder/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"piwork/vmhost"
)

// Channels of an exec: the first byte of each message.
const (
	channelIn     = 0
	channelOut    = 1
	channelErr    = 2
	channelStatus = 3   // at the end: how it ended, as JSON
	channelClose  = 255 // the channel that follows has its end (v5)
)

// protocols of an exec. Who speaks only the older one never hears the end of the input.
var protocols = []string{"v5.channel.k8s.io", "v4.channel.k8s.io"}

const (
	maxMessage = 4 << 20  // bytes of one message; they are not kept
	maxStatus  = 64 << 10 // bytes of how it ended
	chunk      = 32 << 10 // bytes of what is sent at once
)

// endedError is how a program in the Pod ended, when it was not well.
type endedError struct {
	reason, message string
}

func (e *endedError) Error() string {
	return fmt.Sprintf("it ended: %.300s (%.80s)", e.message, e.reason)
}

// errLost is that a connection ended before it said how the program did.
var errLost = errors.New("the connection ended")

// stream is a program in the Pod, over a WebSocket.
type stream struct {
	ws     *websocket.Conn
	closes bool // it knows the end of the input
}

// start starts a program in the Pod.
func (m *client) start(ctx context.Context, pod string, argv ...string) (*stream, error) {
	u := m.base.JoinPath("api/v1/namespaces", m.namespace, "pods", pod, "exec")
	u.RawQuery = url.Values{"container": {containerName}, "stdin": {"true"}, "stdout": {"true"}, "stderr": {"true"}, "command": argv}.Encode()
	return ask(ctx, m, "start a program in the Pod", func(ctx context.Context) (*stream, error) {
		ws, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: m.http, Subprotocols: protocols, CompressionMode: websocket.CompressionDisabled}) //nolint:bodyclose // it needs none
		if err != nil {
			if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
				said := []byte(err.Error())
				if resp.Body != nil {
					said, _ = io.ReadAll(io.LimitReader(resp.Body, maxSaid))
				}
				return nil, apierrors.NewGenericServerResponse(resp.StatusCode, "exec", schema.GroupResource{Resource: "pods"}, pod, fmt.Sprintf("%.400q", said), 0, true)
			}
			return nil, err
		}
		ws.SetReadLimit(maxMessage)
		if ws.Subprotocol() == "" {
			_ = ws.CloseNow()
			return nil, failed(vmhost.ReasonClusterUnfit, errors.New("the cluster speaks another protocol"))
		}
		if err := context.Cause(ctx); err != nil { // nobody waits for it any more
			_ = ws.CloseNow()
			return nil, err
		}
		return &stream{ws, ws.Subprotocol() == protocols[0]}, nil
	})
}

// carry has the program's streams go to and from here until it ends, and says how it did. An
// end of in is that of the program's input.
func (s *stream) carry(ctx context.Context, in io.Reader, out, said io.Writer) error {
	go func() {
		b := make([]byte, 1+chunk)
		b[0] = channelIn
		for {
			n, err := in.Read(b[1:])
			if n > 0 && s.ws.Write(ctx, websocket.MessageBinary, b[:1+n]) != nil {
				return
			}
			if err != nil {
				break
			}
		}
		if s.closes {
			_ = s.ws.Write(ctx, websocket.MessageBinary, []byte{channelClose, channelIn})
		}
	}()
	status := &bytes.Buffer{}
	for {
		_, r, err := s.ws.Reader(ctx)
		if err == nil {
			err = receiveMessage(r, out, said, status)
		}
		switch {
		case err == nil:
		case status.Len() > 0:
			return ended(status.Bytes())
		case errors.As(err, new(websocket.CloseError)) || errors.Is(err, io.EOF) || ctx.Err() != nil:
			return errLost
		default:
			return fmt.Errorf("%w: %w", errLost, err)
		}
	}
}

// errChannel is a message that no exec has.
var errChannel = errors.New("the cluster sent what no program says")

// receiveMessage passes one message on.
func receiveMessage(r io.Reader, out, said io.Writer, status *bytes.Buffer) error {
	var channel [1]byte
	if _, err := io.ReadFull(r, channel[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // an empty message is no end
		}
		return err
	}
	var to io.Writer
	switch channel[0] {
	case channelOut:
		to = out
	case channelErr:
		to = said
	case channelStatus:
		to = status
		r = io.LimitReader(r, int64(maxStatus-status.Len()+1))
	case channelClose:
		to = io.Discard
	default:
		return fmt.Errorf("%w: channel %d", errChannel, channel[0])
	}
	_, err := io.Copy(to, r)
	if status.Len() > maxStatus {
		status.Reset()
		return fmt.Errorf("%w: %d bytes of how it ended", errChannel, maxStatus)
	}
	return err
}

// ended reads how a program ended.
func ended(status []byte) error {
	var s struct{ Status, Reason, Message string }
	if err := json.Unmarshal(status, &s); err != nil {
		return fmt.Errorf("%w: %.80q", errChannel, status)
	}
	if s.Status == "Success" {
		return nil
	}
	return &endedError{s.Reason, s.Message}
}

func (s *stream) close() { _ = s.ws.CloseNow() }
