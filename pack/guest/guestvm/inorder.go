package guestvm

import (
	"encoding/json"

	"github.com/creachadair/jrpc2/channel"
)

// InOrder is the host's end of a conversation that takes notifications in their
// order; jrpc2's client would not.
type InOrder struct {
	channel.Channel
	Notify func(method string, params json.RawMessage) // may be nil
}

// Recv implements channel.Channel.
func (c InOrder) Recv() ([]byte, error) {
	for {
		b, err := c.Channel.Recv()
		var m struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err != nil || json.Unmarshal(b, &m) != nil || m.Method == "" {
			return b, err
		}
		if c.Notify != nil {
			c.Notify(m.Method, m.Params)
		}
	}
}
