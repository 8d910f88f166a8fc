package paging

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func names(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("n", i))
	}
	return out
}

func self(s string) string { return s }

// follow asks for a list page by page; change is called between two of them.
func follow(t *testing.T, list []string, limit int, change func([]string) []string) (all []string, pages int) {
	t.Helper()
	address, _ := url.Parse(fmt.Sprintf("/v1/tasks?q=a+%%3E%%22&limit=%d", limit))
	for {
		r := &Request{Limit: limit, Cursor: address.Query().Get("cursor"), address: *address}
		page, link, err := Of(r, list, self)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		all = append(all, page...)
		to := Next(http.Header{"Link": {link}})
		if to == "" {
			return all, pages
		}
		if address, err = url.Parse(to); err != nil || address.Query().Get("q") != `a >"` || pages > 100 {
			t.Fatal(to, err)
		}
		if change != nil {
			list = change(list)
		}
	}
}

// Pages are the list, whatever their size.
func TestPagesAreTheList(t *testing.T) {
	for _, tt := range []struct{ n, limit, pages int }{{0, 5, 1}, {5, 5, 1}, {6, 5, 2}, {10, 3, 4}, {3, 0, 1}, {Most, 0, 1}, {2*Most + 1, 0, 3}, {Most + 1, 10 * Most, 2}} {
		all, pages := follow(t, names(tt.n), tt.limit, nil)
		if !slices.Equal(all, names(tt.n)) || pages != tt.pages {
			t.Errorf("%+v: %d entries on %d pages", tt, len(all), pages)
		}
	}
}

// What is added or removed elsewhere shifts nothing, nor does it when the last entry of a page
// goes, alone or with others.
func TestPagesOfAListThatChanges(t *testing.T) {
	all, _ := follow(t, names(9), 3, func(l []string) []string { return append([]string{fmt.Sprint("new", len(l))}, l...) })
	if !slices.Equal(all, names(9)) {
		t.Errorf("new ones come first: %v", all)
	}
	all, _ = follow(t, names(9), 3, func(l []string) []string { return slices.Delete(slices.Clone(l), 0, 1) })
	if !slices.Equal(all, names(9)) {
		t.Errorf("the first ones go: %v", all)
	}
	all, _ = follow(t, names(6), 3, func(l []string) []string { return slices.Delete(slices.Clone(l), 2, 3) })
	if !slices.Equal(all, names(6)) {
		t.Errorf("the last one of a page goes: %v", all)
	}
	for limit, gone := range map[int][2]int{50: {0, 50}, 40: {0, 41}, 10: {5, 11}, 3: {2, 5}} { // pages that are emptied, and those around their ends
		once := true
		all, _ = follow(t, names(100), limit, func(l []string) []string {
			if !once {
				return l
			}
			once = false
			return slices.Delete(slices.Clone(l), gone[0], gone[1])
		})
		want := names(100)
		if gone[1] > limit {
			want = slices.Delete(want, limit, gone[1])
		}
		if !slices.Equal(all, want) {
			t.Errorf("pages of %d, %v go: %v", limit, gone, all)
		}
	}
}

// A cursor that no list gave is refused, and a Link that leads elsewhere is none.
func TestForeignCursors(t *testing.T) {
	for _, cursor := range []string{"x", "1", "-1.0123456789abcdef", "1.", "99999999999999999999.0123456789abcdef", "1.0123456789abcde", "1.0123456789abcdef.", "1.0123456789abcdef.x", "1" + strings.Repeat(".0123456789abcdef", 4)} {
		if _, _, err := Of(&Request{Cursor: cursor}, names(3), self); err == nil {
			t.Errorf("%s is taken", cursor)
		}
	}
	page, next, err := Of(&Request{Cursor: "1000000.0123456789abcdef"}, names(3), self)
	if len(page) != 0 || next != "" || err != nil {
		t.Error(page, next, err)
	}
	for _, link := range []string{"", "<https://evil.example/>; rel=\"next\"", "<//evil.example/v1/>; rel=\"next\"", "</v1/tasks>; rel=\"prev\"", "</v1/tasks", strings.Repeat("<", 9)} {
		if to := Next(http.Header{"Link": {link}}); to != "" {
			t.Errorf("%s leads to %s", link, to)
		}
	}
}
