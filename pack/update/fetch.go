package update

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// smallAttempts is how often a small file is asked for on one mirror: somebody
// may be waiting for the answer.
const smallAttempts = 3

// Fetch gets a small file into memory, of at most max bytes. It is
// channel.Fetcher: a file that no mirror has is fs.ErrNotExist. A mirror that
// does not have it is no reason not to ask the next, which may be ahead.
func (c *Client) Fetch(ctx context.Context, path string, max int64) ([]byte, error) {
	t := c.tries(path, min(smallAttempts, c.o.Attempts))
	t.settle = t.missing
	var data []byte
	err := t.each(ctx, func(m *mirror) (err error) {
		data, err = c.small(ctx, m, path, max)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", path, err)
	}
	return data, nil
}

// missing is the answer of a mirror that said that there is no such file, once all
// others were asked: it holds even where they did not answer.
func (t *tries) missing() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var not error
	for _, m := range t.c.mirrors {
		switch e := t.out[m]; {
		case e == nil && t.fails[m] == 0:
			return nil
		case e != nil && e.Code == CodeNotFound && not == nil:
			not = e
		}
	}
	return not
}

// small gets a whole small file from one mirror.
func (c *Client) small(ctx context.Context, m *mirror, path string, max int64) ([]byte, error) {
	a, err := c.request(ctx, m, wish{path: path, fresh: true})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	long := &Error{Code: CodeTooLarge, Server: m.name(), Err: fmt.Errorf("more than %d bytes", max), lasting: true}
	if a.to > max {
		return nil, long
	}
	data, err := io.ReadAll(io.LimitReader(a, max+1))
	switch {
	case err != nil && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &Error{Code: CodeInterrupted, Server: m.name(), Err: err}
	case err != nil:
		return nil, err
	case int64(len(data)) > max:
		return nil, long
	case m.files == nil && len(data) > 0 && data[0] != '{' && isPage(http.DetectContentType(bytes.TrimSpace(data[:min(len(data), 512)]))):
		return nil, &Error{Code: CodeCaptivePortal, Server: m.name(), Status: http.StatusOK, Err: errors.New("a web page came"), lasting: true}
	}
	return data, nil
}
