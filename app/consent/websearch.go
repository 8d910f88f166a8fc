package consent

import (
	"context"

	"piwork/app/problem"
	"piwork/app/webtool"
)

// WebSearch says what searches the web.
func (c *Consent) WebSearch(context.Context) (WebSearch, error) {
	return c.o.Search.Get(), nil
}

// SetWebSearch chooses it.
func (c *Consent) SetWebSearch(ctx context.Context, s WebSearch) (WebSearch, error) {
	switch s.Kind {
	case SearchNone:
		s = WebSearch{Kind: SearchNone}
	case SearchSearXNG:
		u, err := webtool.SearchAddress(s.URL)
		if err != nil {
			return WebSearch{}, problem.BadRequest("url", "%w", err)
		}
		s.URL = u
	default:
		return WebSearch{}, problem.BadRequest("kind", "%q is not a choice", s.Kind)
	}
	if err := c.o.Search.Set(s); err != nil {
		return WebSearch{}, problem.From(err)
	}
	return c.WebSearch(ctx)
}
