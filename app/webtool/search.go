package webtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Bounds of the results of a search.
const (
	maxResults = 10
	maxTitle   = 300  // bytes
	maxSnippet = 1000 // bytes
)

// Results are what a search found.
type Results struct {
	Results []Result `json:"results"`
}

// Result is one page that was found.
type Result struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text,omitempty"`
}

// SearchAddress makes the address of a server that searches normal: https, or http
// to an address of a private network, without user, query and fragment. It ends in
// a slash.
func SearchAddress(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", errors.New("no address")
	}
	if err := check(u); err != nil {
		return "", fmt.Errorf("address of a search: %w", err)
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", errors.New("address of a search: it has a query")
	}
	if a, err := netip.ParseAddr(u.Hostname()); u.Scheme == "http" && (err != nil || !a.IsPrivate() && !a.IsLoopback()) {
		return "", errors.New("address of a search: what is searched for could be read on the way; it needs https")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/search") + "/"
	u.RawPath = ""
	return u.String(), nil
}

// SearchURL is what a server that answers as SearXNG does is asked: base is as
// [SearchAddress] made it.
func SearchURL(base, query string) string {
	return base + "search?" + url.Values{"q": {query}, "format": {"json"}}.Encode()
}

// Search asks a server that answers as SearXNG does with format=json.
func (f *Fetcher) Search(ctx context.Context, base, query string) (Results, error) {
	p, err := f.get(ctx, SearchURL(base, query), maxBody)
	switch {
	case err != nil:
		return Results{}, fmt.Errorf("search the web: %w", err)
	case p.Status != 200:
		return Results{}, fmt.Errorf("search the web: the server answered with status %d", p.Status)
	case p.Type != "application/json":
		return Results{}, fmt.Errorf("search the web: the answer is no JSON but %s; does the server allow format=json?", p.Type)
	case p.Truncated:
		return Results{}, errors.New("search the web: the answer is too long")
	}
	return readResults([]byte(p.Text))
}

// readResults takes of an answer what is plain text and an address of the web.
func readResults(data []byte) (Results, error) {
	var a struct {
		Results []struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Content string `json:"content"`
		} `json:"results"`
	}
	if json.Unmarshal(data, &a) != nil {
		return Results{}, errors.New("search the web: the answer cannot be read")
	}
	out := Results{Results: []Result{}}
	for _, r := range a.Results {
		u, err := Address(r.URL)
		if err != nil {
			continue
		}
		out.Results = append(out.Results, Result{Title: plain(r.Title, maxTitle), URL: u.String(), Text: plain(r.Content, maxSnippet)})
		if len(out.Results) == maxResults {
			break
		}
	}
	return out, nil
}

// plain is a text on one line.
func plain(s string, most int) string {
	return clip(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " "), most)
}
