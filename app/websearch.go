package app

import (
	"context"

	"piwork/app/problem"
	"piwork/app/webtool"
)

// WebSearch says what searches the web; see Service.
func (c *Controller) WebSearch(context.Context) (WebSearch, error) {
	return c.config.Get().Search, nil
}

// SetWebSearch chooses it; see Service.
func (c *Controller) SetWebSearch(ctx context.Context, s WebSearch) (WebSearch, error) {
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
	if err := c.config.Update(func(all *choices) error { all.Search = s; return nil }); err != nil {
		return WebSearch{}, problem.From(err)
	}
	return c.WebSearch(ctx)
}
