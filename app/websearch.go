package app

import (
	"cmp"
	"context"

	"piwork/app/problem"
	"piwork/app/webtool"
)

// WebSearch says what searches the web; see Service.
func (c *Controller) WebSearch(context.Context) (WebSearch, error) {
	s := c.config.get().Search
	s.Kind = cmp.Or(s.Kind, SearchNone)
	return s, nil
}

// SetWebSearch chooses it; see Service.
func (c *Controller) SetWebSearch(ctx context.Context, s WebSearch) (WebSearch, error) {
	switch s.Kind {
	case SearchNone:
		s = WebSearch{}
	case SearchSearXNG:
		u, err := webtool.SearchAddress(s.URL)
		if err != nil {
			return WebSearch{}, badRequest("url", "%w", err)
		}
		s.URL = u
	default:
		return WebSearch{}, badRequest("kind", "%q is not a choice", s.Kind)
	}
	if err := c.config.set(func(all *settings) { all.Search = s }); err != nil {
		return WebSearch{}, problem.From(err)
	}
	return c.WebSearch(ctx)
}
