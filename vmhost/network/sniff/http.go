package sniff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Host reads the host, without its port, of the head of an HTTP/1 request, and
// returns all it read. The request must name exactly one host: that of a request
// target in absolute form or of CONNECT is the one of the Host field. The error
// wraps ErrMalformed, ErrShort or that of r.
//
// Whatever two servers could read differently is malformed: lines that end
// otherwise than in CR LF, lines that go on in the next one.
func Host(r io.Reader) (host string, read []byte, err error) {
	k := &keep{r: r, max: MaxHead}
	head, err := headOf(k)
	if err != nil {
		return "", k.buf.Bytes(), k.cause(err)
	}
	host, err = hostOf(head)
	return host, k.buf.Bytes(), err
}

// headOf reads up to the empty line.
func headOf(k *keep) ([]byte, error) {
	b := bufio.NewReaderSize(k, 4<<10)
	var head []byte
	for first := true; ; {
		line, err := b.ReadSlice('\n')
		head = append(head, line...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if bytes.HasSuffix(head, []byte("\r\n\r\n")) {
			return head, nil
		}
		if first && !bytes.HasSuffix(head, []byte(" HTTP/1.1\r\n")) && !bytes.HasSuffix(head, []byte(" HTTP/1.0\r\n")) {
			return nil, ErrMalformed // who speaks otherwise waits for an answer now
		}
		if first = false; !bytes.HasSuffix(head, []byte("\r\n")) {
			return nil, ErrMalformed
		}
	}
}

func hostOf(head []byte) (string, error) {
	for i, c := range head {
		after := byte(0)
		if i+1 < len(head) {
			after = head[i+1]
		}
		switch {
		case c == 0, c == '\r' && after != '\n', c == '\n' && (after == ' ' || after == '\t'):
			return "", fmt.Errorf("%w: a line that can be read in two ways", ErrMalformed)
		}
	}
	line, fields, _ := strings.Cut(string(head), "\r\n")
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	if method == "" || target == "" || strings.Contains(version, " ") {
		return "", fmt.Errorf("%w: request line", ErrMalformed)
	}
	var hosts []string
	for field := range strings.SplitSeq(strings.TrimSuffix(fields, "\r\n\r\n"), "\r\n") {
		name, value, ok := strings.Cut(field, ":")
		if !ok || !httpguts.ValidHeaderFieldName(name) {
			return "", fmt.Errorf("%w: a field without a name", ErrMalformed)
		}
		if strings.EqualFold(name, "Host") {
			hosts = append(hosts, strings.Trim(value, " \t"))
		}
	}
	if len(hosts) != 1 {
		return "", fmt.Errorf("%w: %d Host fields", ErrMalformed, len(hosts))
	}
	host, ok := withoutPort(hosts[0])
	named, err := targetHost(method, target)
	if err != nil {
		return "", err
	}
	if !ok || named != "" && !strings.EqualFold(named, host) {
		return "", fmt.Errorf("%w: request target and Host", ErrMalformed)
	}
	return host, nil
}

// targetHost is the host in the request target, "" where it has none (RFC 9112,
// 3.2).
func targetHost(method, target string) (string, error) {
	bad := fmt.Errorf("%w: request target", ErrMalformed)
	if method == "CONNECT" {
		host, ok := withoutPort(target)
		if !ok {
			return "", bad
		}
		return host, nil
	}
	if target == "*" || strings.HasPrefix(target, "/") {
		return "", nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Hostname() == "" {
		return "", bad
	}
	return u.Hostname(), nil
}

func withoutPort(s string) (string, bool) {
	host := s
	if h, _, err := net.SplitHostPort(s); err == nil {
		host = h
	} else if rest, ok := strings.CutPrefix(s, "["); ok {
		host = strings.TrimSuffix(rest, "]")
	}
	return host, host != "" && !strings.ContainsAny(host, " \t,/@[]")
}
