package network

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// hostileQueries are messages that no resolver sends.
func hostileQueries(t testing.TB) map[string][]byte {
	good := newQuery(t, "good.example", dnsmessage.TypeA)
	change := func(f func([]byte) []byte) []byte { return f(bytes.Clone(good)) }
	header := func(questions uint16) []byte {
		return append([]byte{0, 7, 1, 0, byte(questions >> 8), byte(questions)}, make([]byte, 6)...)
	}
	return map[string][]byte{
		"empty":                  nil,
		"half a header":          good[:11],
		"only a header":          header(0),
		"says 65535 questions":   header(65535),
		"two questions":          append(append(header(2), good[12:]...), good[12:]...),
		"a name that loops":      append(header(1), 0xc0, 12, 0, 1, 0, 1),
		"a chain of pointers":    append(header(1), append(bytes.Repeat([]byte{0xc0, 14}, 20), 0, 0, 1, 0, 1)...),
		"a pointer to the end":   append(header(1), 0xc0, 0xff, 0, 1, 0, 1),
		"a label beyond the end": append(header(1), 63, 'a'),
		"a label of type 0x80":   append(header(1), 0x80, 'a', 0, 0, 1, 0, 1),
		"a name of 300 bytes":    append(header(1), append(bytes.Repeat([]byte{9, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'}, 30), 0, 0, 1, 0, 1)...),
		"a NUL in a name":        append(header(1), 3, 'a', 0, 'b', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 0, 0, 1, 0, 1),
		"a dot in a label":       append(header(1), 3, 'a', '.', 'b', 0, 0, 1, 0, 1),
		"the root":               append(header(1), 0, 0, 1, 0, 1),
		"an answer":              change(func(b []byte) []byte { b[2] |= 0x80; return b }),
		"an update":              change(func(b []byte) []byte { b[2] = 5 << 3; return b }),
		"class CHAOS":            change(func(b []byte) []byte { b[len(b)-1] = 3; return b }),
		"cut":                    good[:len(good)-1],
		"oversize":               append(bytes.Clone(good), make([]byte, maxQuery)...),
	}
}

func TestHostileQueriesAreNotAnswered(t *testing.T) {
	for name, msg := range hostileQueries(t) {
		q, err := parseQuery(msg)
		if err != nil {
			continue
		}
		if q.found || q.code == dnsmessage.RCodeSuccess {
			t.Errorf("%s: a query for %q", name, q.name)
		}
		if b, err := q.answer(q.code, netip.Addr{}); err == nil && len(b) > maxQuery {
			t.Errorf("%s: answered with %d bytes", name, len(b))
		}
	}
}

func TestQueriesAreAnswered(t *testing.T) {
	addr := netip.MustParseAddr("198.19.0.9")
	for name, msg := range map[string][]byte{
		"plain":     newQuery(t, "Good.Example", dnsmessage.TypeA),
		"with more": append(newQuery(t, "good.example", dnsmessage.TypeA), 1, 2, 3),
		"longest":   newQuery(t, strings.Repeat("abcdefghi.", 24)+"example", dnsmessage.TypeA),
	} {
		q, err := parseQuery(msg)
		if err != nil || !q.found {
			t.Fatalf("%s: %+v, %v", name, q, err)
		}
		b, err := q.answer(dnsmessage.RCodeSuccess, addr)
		var m dnsmessage.Message
		if err != nil || m.Unpack(b) != nil || len(m.Answers) != 1 || m.Answers[0].Body.(*dnsmessage.AResource).A != addr.As4() ||
			m.Answers[0].Header.TTL != answerTTL || m.Questions[0].Name != q.q.Name || len(b) > 512 {
			t.Errorf("%s: %v, %+v", name, err, m)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, msg := range hostileQueries(f) {
		f.Add(msg)
	}
	f.Add(newQuery(f, "good.example", dnsmessage.TypeA))
	f.Fuzz(func(t *testing.T, msg []byte) {
		q, err := parseQuery(msg)
		if err != nil {
			return
		}
		b, err := q.answer(q.code, netip.MustParseAddr("198.19.0.9"))
		if err != nil {
			return
		}
		if len(b) < 12 || len(b) > 512 || binary.BigEndian.Uint16(b) != binary.BigEndian.Uint16(msg) || b[2]&0x80 == 0 {
			t.Errorf("answered with % x", b)
		}
		if q.found && (q.name == "" || strings.ToLower(q.name) != q.name) {
			t.Errorf("the name %q", q.name)
		}
	})
}
