// Package paging gives lists of the API in pages.
//
//	GET /v1/tasks?limit=50
//	200 [ … 50 tasks … ]
//	Link: </v1/tasks?cursor=49.8c2f1a77d0e3b5a4.03b1c6e2f4a7985d&limit=50>; rel="next"
//
// A page has at most limit entries, and never more than [Most]. Where more follow, the header
// Link (RFC 8288) has the address of the next page; the answer itself stays a list. A cursor
// has the place of the last entry of its page, and digests of the names of that and of the two that
// follow: what is added or removed elsewhere meanwhile shifts nothing, nor does it when the page
// itself is removed. Where all three were, the next page begins at the place. A cursor is for the
// list that gave it, and means nothing else.
package paging

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Most is how many entries a page can have.
const Most = 5000

// marked is how many entries a cursor has digests of.
const marked = 3

// Request says which page is meant. It is embedded in the request of a list.
type Request struct {
	Limit  int    `query:"limit" minimum:"0" doc:"no more than so many at once; 0, and more than 5000, are 5000"`
	Cursor string `query:"cursor" maxLength:"64" doc:"of the page before: its header Link has the whole address of this one"`

	address url.URL
}

// Page returns the request itself, from whatever embeds it.
func (r *Request) Page() *Request { return r }

// Resolve implements huma.Resolver.
func (r *Request) Resolve(hc huma.Context) []error {
	r.address = hc.URL()
	return nil
}

// errCursor is a cursor that no list gave.
var errCursor = errors.New("is no cursor of this list")

// Of cuts the page that r means from a list, whose entries have names. next is the Link of the
// page that follows, "" at the end.
func Of[T any](r *Request, list []T, name func(T) string) (page []T, next string, err error) {
	limit := Most
	if r.Limit > 0 {
		limit = min(limit, r.Limit)
	}
	begin := 0
	if r.Cursor != "" {
		at, marks, _ := strings.Cut(r.Cursor, ".")
		near := strings.Split(marks, ".")
		place, err := strconv.Atoi(at)
		if err != nil || place < 0 || len(near) > marked || slices.ContainsFunc(near, func(d string) bool { return len(d) != 16 }) {
			return nil, "", huma.Error422UnprocessableEntity("validation failed", &huma.ErrorDetail{Message: errCursor.Error(), Location: "query.cursor"})
		}
		begin = min(place, len(list))
		best := marked
		for i, one := range list {
			n := slices.Index(near[:min(best, len(near))], digest(name(one)))
			if n == 0 {
				begin = i + 1
				break
			}
			if n > 0 {
				begin, best = i, n
			}
		}
	}
	end := min(begin+limit, len(list))
	if page = list[begin:end]; end < len(list) {
		cursor := strconv.Itoa(end - 1)
		for _, one := range list[end-1 : min(end-1+marked, len(list))] {
			cursor += "." + digest(name(one))
		}
		next = Link(r.address, "cursor", cursor)
	}
	return page, next, nil
}

// Link is the header Link for the page after that at an address, by the parameter that says where
// it begins.
func Link(address url.URL, name, begin string) string {
	q := address.Query()
	q.Set(name, begin)
	to := url.URL{Path: address.Path, RawQuery: q.Encode()}
	return "<" + to.String() + `>; rel="next"`
}

// Next is the address of the page after an answer, "" where it is the last one.
func Next(h http.Header) string {
	for _, link := range h.Values("Link") {
		if to, rel, ok := strings.Cut(strings.TrimPrefix(link, "<"), ">"); ok && strings.HasPrefix(to, "/v1/") && strings.Contains(rel, `rel="next"`) {
			return to
		}
	}
	return ""
}

// digest stands for a name.
func digest(name string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it takes anything
	return fmt.Sprintf("%016x", h.Sum64())
}
