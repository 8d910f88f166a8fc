package sniff

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// hello is what the standard library's client says first.
func hello(t testing.TB, name string) []byte {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	go tls.Client(client, &tls.Config{ServerName: name, InsecureSkipVerify: name == ""}).Handshake()
	record := make([]byte, 5)
	if _, err := io.ReadFull(server, record); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(record[3])<<8|int(record[4]))
	if _, err := io.ReadFull(server, body); err != nil {
		t.Fatal(err)
	}
	return append(record, body...)
}

// split puts a hello into records of n bytes each.
func split(record []byte, n int) (out []byte) {
	for body := record[5:]; len(body) > 0; {
		part := body[:min(n, len(body))]
		body = body[len(part):]
		out = append(out, record[0], record[1], record[2], byte(len(part)>>8), byte(len(part)))
		out = append(out, part...)
	}
	return out
}

func TestServerName(t *testing.T) {
	whole := hello(t, "example.org")
	endless := func() []byte { // a handshake message that says it is huge
		out := []byte{22, 3, 1, 0x40, 0, 1, 0, 0xff, 0xff}
		return append(out, bytes.Repeat([]byte{22, 3, 1, 0x40, 0}, MaxHello)...)
	}
	for name, c := range map[string]struct {
		in   []byte
		want string
		err  error
	}{
		"whole":            {whole, "example.org", nil},
		"with more":        {append(bytes.Clone(whole), "later"...), "example.org", nil},
		"in many records":  {split(whole, 7), "example.org", nil},
		"without a name":   {hello(t, ""), "", ErrNoName},
		"cut":              {whole[:len(whole)-1], "", ErrShort},
		"nothing":          {nil, "", ErrShort},
		"HTTP":             {[]byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"), "", ErrNotTLS},
		"SSH":              {[]byte("SSH-2.0-OpenSSH_9.9\r\n"), "", ErrNotTLS},
		"an alert first":   {[]byte{21, 3, 1, 0, 2, 2, 40}, "", ErrNotTLS},
		"another message":  {[]byte{22, 3, 1, 0, 4, 14, 0, 0, 0}, "", ErrNotTLS},
		"never complete":   {endless(), "", nil},
		"a damaged length": {append([]byte{22, 3, 1, 0xff, 0xff}, whole...), "", ErrNotTLS},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"at once": bytes.NewReader(c.in), "by bytes": iotest.OneByteReader(bytes.NewReader(c.in)),
			} {
				got, read, err := ServerName(r)
				if got != c.want || c.err != nil && !errors.Is(err, c.err) || c.want == "" && err == nil {
					t.Errorf("%s: %q, %v; want %q, %v", way, got, err, c.want, c.err)
				}
				if len(read) > MaxHello || !bytes.HasPrefix(c.in, read) {
					t.Errorf("%s: %d bytes read are not what came", way, len(read))
				}
			}
		})
	}
}

func TestServerNameKeepsTheErrorOfItsReader(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(bytes.NewReader([]byte{22, 3, 1}), iotest.ErrReader(broken))
	if _, _, err := ServerName(r); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestHost(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		err      error
	}{
		"origin form":          {"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "example.org", nil},
		"with a port and body": {"POST /x HTTP/1.1\r\nhost: example.org:80\r\nContent-Length: 3\r\n\r\nabc", "example.org", nil},
		"absolute form":        {"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n", "example.org", nil},
		"an address":           {"GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n", "2001:db8::1", nil},
		"two hosts":            {"GET / HTTP/1.1\r\nHost: example.org\r\nHost: evil.example\r\n\r\n", "", ErrMalformed},
		"no host":              {"GET / HTTP/1.0\r\n\r\n", "", ErrMalformed},
		"empty host":           {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "", ErrMalformed},
		"a list of hosts":      {"GET / HTTP/1.1\r\nHost: example.org, evil.example\r\n\r\n", "", ErrMalformed},
		"target lies":          {"GET http://evil.example/ HTTP/1.1\r\nHost: example.org\r\n\r\n", "", ErrMalformed},
		"target with a user":   {"GET http://example.org@evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", "evil.example", ErrMalformed},
		"CONNECT lies":         {"CONNECT evil.example:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", "", ErrMalformed},
		"bare LF":              {"GET / HTTP/1.1\nHost: example.org\n\n", "", ErrMalformed},
		"bare CR hides a host": {"GET / HTTP/1.1\r\nX: a\rHost: evil.example\r\nHost: example.org\r\n\r\n", "", ErrMalformed},
		"a folded line":        {"GET / HTTP/1.1\r\nX: a\r\n Host: evil.example\r\nHost: example.org\r\n\r\n", "", ErrMalformed},
		"a space in the name":  {"GET / HTTP/1.1\r\nHost : example.org\r\n\r\n", "", ErrMalformed},
		"a NUL":                {"GET / HTTP/1.1\r\nHost: example.org\x00.evil\r\n\r\n", "", ErrMalformed},
		"HTTP/2 at once":       {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", ErrMalformed},
		"HTTP/0.9":             {"GET /\r\n\r\n", "", ErrMalformed},
		"empty line first":     {"\r\nGET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "", ErrMalformed},
		"cut":                  {"GET / HTTP/1.1\r\nHost: example.org\r\n", "", ErrShort},
		"nothing":              {"", "", ErrShort},
		"too long a head":      {"GET / HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", MaxHead) + "Host: example.org\r\n\r\n", "", ErrShort},
		"too long a line":      {"GET /" + strings.Repeat("x", 2*MaxHead), "", ErrShort},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.in), "by bytes": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				got, read, err := Host(r)
				if c.err == nil && (got != c.want || err != nil) || !errors.Is(err, c.err) {
					t.Errorf("%s: %q, %v; want %q, %v", way, got, err, c.want, c.err)
				}
				if len(read) > MaxHead || !strings.HasPrefix(c.in, string(read)) {
					t.Errorf("%s: %d bytes read are not what came", way, len(read))
				}
			}
		})
	}
}

func FuzzServerName(f *testing.F) {
	f.Add([]byte{22, 3, 1, 0, 4, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		name, read, err := ServerName(bytes.NewReader(in))
		if err == nil && name == "" {
			t.Error("no name and no error")
		}
		if !bytes.HasPrefix(in, read) || len(read) > MaxHello {
			t.Error("what was read is not what came")
		}
	})
}

func FuzzHost(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"))
	f.Add([]byte("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"))
	f.Add([]byte("GET http://a/ HTTP/1.0\r\nHost: a\r\nX: \r\n y\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		host, read, err := Host(bytes.NewReader(in))
		if err == nil && (host == "" || strings.Count(strings.ToLower(string(read)), "host") == 0) {
			t.Errorf("host %q of nothing", host)
		}
		if !bytes.HasPrefix(in, read) || len(read) > MaxHead {
			t.Error("what was read is not what came")
		}
	})
}
