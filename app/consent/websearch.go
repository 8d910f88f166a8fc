package consent

import (
	"context"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/webtool"
)

// WebSearch says what searches the web.
func (c *Consent) WebSearch(context.Context) (WebSearch, error) {
	return c.o.Search.Get(), nil
}

// SetWebSearch chooses it, which the audit log has first.
func (c *Consent) SetWebSearch(ctx context.Context, s WebSearch) (WebSearch, error) {
	ctx, done, err := c.o.Registry.Use(ctx)
	if err != nil {
		return WebSearch{}, err
	}
	defer done()
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
	if err := c.o.Audit.Decide(ctx, "", audit.Chosen("web-search", s.URL)); err != nil {
		return WebSearch{}, err
	}
	if err := c.o.Search.Set(s); err != nil {
		return WebSearch{}, problem.From(err)
	}
	return c.WebSearch(ctx)
}
