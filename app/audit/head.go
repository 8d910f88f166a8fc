package audit

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"

	"piwork/app/durable"
)

// point is a line of the log: its number, and the hash of that line or of the one before it.
type point struct {
	N    int64  `json:"n"`
	Hash string `json:"hash"`
}

// head is the content of the file beside the log. Version 0, of earlier programs, has no From
// and no signature.
type head struct {
	V    int    `json:"v,omitempty"`
	N    int64  `json:"n"`
	Hash string `json:"hash"` // of line N
	From point  `json:"from"` // the first line, and the hash of the one before it
	Key  string `json:"key,omitempty"`
	Sig  []byte `json:"sig,omitempty"` // of what signed returns
}

const headVersion = 2

// damaged is a head that no line matches.
var damaged = head{N: -1}

// signed is what the signature covers.
func (h head) signed() []byte {
	h.Sig = nil
	data, _ := json.Marshal(h) // of numbers and texts
	return append([]byte("piwork audit head\n"), data...)
}

// check returns an error for a head that key did not sign.
func (h head) check(key PublicKey) error {
	if h.Sig == nil {
		return errUnsigned
	}
	if h.Key != key.String() {
		return errOtherKey
	}
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(ed25519.PublicKey(key), h.signed(), h.Sig) {
		return errSignature
	}
	return nil
}

// start is where the chain stands before the first line.
func (h head) start() state {
	if h.From.N > 1 {
		return state{n: h.From.N - 1, prev: h.From.Hash}
	}
	return genesis()
}

// expired reports whether a line stands before the one that the log begins with: a crash may
// have left it.
func (h head) expired(line []byte) bool {
	var r struct{ N int64 }
	return h.From.N > 1 && json.Unmarshal(line, &r) == nil && r.N > 0 && r.N < h.From.N
}

func parseHead(data []byte) head {
	var h head
	if json.Unmarshal(data, &h) != nil || h.N < 0 || h.N == 0 && h.Sig == nil || h.From.N < 0 || h.From.N > h.N {
		return damaged
	}
	return h
}

// readHead reads the head; the zero head is that there is none.
func readHead(file string) (head, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	return parseHead(data), nil
}

// newHead signs for a log that begins at from.
func newHead(k *Key, from point, s state) head {
	h := head{V: headVersion, N: s.n, Hash: s.prev, From: from, Key: k.Public().String()}
	h.Sig = ed25519.Sign(k.sign, h.signed())
	return h
}

func writeHead(file string, h head) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'))
}
