package webtool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
)

// Bounds.
const (
	maxBody      = 4 << 20   // bytes, unpacked
	maxText      = 200 << 10 // bytes
	maxHeader    = 64 << 10  // bytes
	maxAddress   = 4 << 10   // bytes
	maxRedirects = 5
	wait         = time.Minute // for all of it, without the time that a person takes
)

// AllowFunc decides whether an address may be asked for: the first, and each that
// it is redirected to. It may wait for a person.
type AllowFunc func(ctx context.Context, u *url.URL) error

// DialFunc makes connections, as http.Transport wants it.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Page is what was fetched, as text.
type Page struct {
	URL       string `json:"url"` // where it came from in the end
	Status    int    `json:"status"`
	Type      string `json:"type"` // media type, e.g. "text/html"
	Title     string `json:"title,omitempty"`
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"` // there is more
}

// Fetcher fetches pages. Its methods may be called from several goroutines.
type Fetcher struct {
	client    *http.Client
	transport *http.Transport
	wait      time.Duration
}

// NewFetcher makes a fetcher that connects with dial alone, which is where proxies
// are, too, and asks for nothing that allow does not allow; nil allows all. No
// connection is used twice: each is decided about anew.
func NewFetcher(dial DialFunc, allow AllowFunc) *Fetcher {
	t := &http.Transport{
		DialContext: dial, TLSHandshakeTimeout: wait / 2, ResponseHeaderTimeout: wait / 2,
		MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true,
	}
	return &Fetcher{transport: t, wait: wait, client: &http.Client{Transport: &shy{t, allow}, CheckRedirect: redirect}}
}

// Close ends connections that are kept for later.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// shy says nothing about where a request comes from.
type shy struct {
	next  http.RoundTripper
	allow AllowFunc
}

func (s *shy) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.allow != nil {
		if err := s.allow(r.Context(), r.URL); err != nil {
			return nil, err
		}
	}
	r = r.Clone(r.Context())
	r.Header = http.Header{
		"Accept":     {"text/html, text/plain, application/json;q=0.9, */*;q=0.1"},
		"User-Agent": {"piwork"},
	}
	return s.next.RoundTrip(r)
}

func redirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errors.New("a redirect from https to http")
	}
	return check(r.URL)
}

func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("no address of the web: %q", u.Scheme)
	case u.User != nil:
		return errors.New("an address with a user")
	case u.Hostname() == "":
		return errors.New("an address without a host")
	case len(u.String()) > maxAddress:
		return errors.New("an address that is too long")
	}
	return nil
}

// Fetch gets a page of the web. A page that the server reports as missing or
// refused is a page, too: see Status. The error wraps that of dial, or says that
// the page is no text.
func (f *Fetcher) Fetch(ctx context.Context, address string) (Page, error) {
	return f.get(ctx, address, maxText)
}

// get is Fetch with at most so many bytes of text.
func (f *Fetcher) get(ctx context.Context, address string, most int) (Page, error) {
	u, err := Address(address)
	if err != nil {
		return Page{}, fmt.Errorf("fetch a page: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, fmt.Errorf("fetch a page: %w", err)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return Page{}, fmt.Errorf("fetch a page: %w", err)
	}
	defer answer.Body.Close()
	stall := time.AfterFunc(f.wait, func() { answer.Body.Close() }) // the body has no time of its own
	defer stall.Stop()
	p, err := read(answer, most)
	if err != nil {
		return Page{}, fmt.Errorf("read the page %s: %w", answer.Request.URL.Redacted(), err)
	}
	return p, nil
}

// read makes a page of an answer.
func read(answer *http.Response, most int) (Page, error) {
	p := Page{URL: answer.Request.URL.String(), Status: answer.StatusCode}
	said := cmp.Or(answer.Header.Get("Content-Type"), "text/html")
	var err error
	var params map[string]string
	if p.Type, params, err = mime.ParseMediaType(said); err != nil {
		return p, fmt.Errorf("its type: %w", err)
	}
	isHTML := p.Type == "text/html" || p.Type == "application/xhtml+xml"
	if !isHTML && !isText(p.Type) {
		return p, fmt.Errorf("it is no text but %s", p.Type)
	}
	body := &counted{r: answer.Body, left: maxBody}
	if !isHTML && params["charset"] == "" {
		said = p.Type + "; charset=utf-8" // what JSON is, and what text without a word about it is today
	}
	text, err := charset.NewReader(body, said)
	if errors.Is(err, io.EOF) {
		return p, nil // an empty page
	}
	if err != nil {
		return p, err
	}
	if isHTML {
		p.Title, p.Text, p.Truncated, err = readable(text, answer.Request.URL, most)
	} else {
		var b []byte
		b, err = io.ReadAll(text)
		p.Text = strings.ToValidUTF8(string(b), "\uFFFD")
	}
	if err != nil {
		return p, err
	}
	p.Truncated = p.Truncated || body.more
	if len(p.Text) > most {
		p.Text, p.Truncated = clip(p.Text, most), true
	}
	return p, nil
}

func isText(typ string) bool {
	for _, s := range []string{"application/json", "application/xml", "application/javascript", "application/yaml"} {
		if typ == s {
			return true
		}
	}
	return strings.HasPrefix(typ, "text/") || strings.HasSuffix(typ, "+json") || strings.HasSuffix(typ, "+xml")
}

// counted ends after so many bytes, and remembers that there were more.
type counted struct {
	r    io.Reader
	left int
	more bool
}

// Read reads what is left.
func (c *counted) Read(p []byte) (int, error) {
	if c.left == 0 {
		if !c.more {
			k, _ := io.ReadFull(c.r, make([]byte, 1))
			c.more = k > 0
		}
		return 0, io.EOF
	}
	k, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= k
	return k, err
}
