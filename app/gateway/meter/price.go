package meter

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"
	"time"

	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

//go:embed prices.json
var pricesJSON []byte

// searchPrice is what Anthropic takes for one search, in millionths of a dollar.
const searchPrice = 10_000

// Price of a model, in US dollars for a million tokens, which is also millionths
// of a dollar for one. A zero for a cache is the price of other input.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Tiers      []Tier  `json:"tiers,omitempty"` // for the whole of a request that is longer
}

// Tier is the price of a request with more input than a number of tokens.
type Tier struct {
	Above int64 `json:"inputTokensAbove"`
	Price
}

// Table has the prices of models, by "<provider>/<model>".
type Table struct {
	Date   string           `json:"date"` // of the last look at them
	Source string           `json:"source"`
	Models map[string]Price `json:"models"`
}

// Prices is the table that the program came with, read when it is used first.
var Prices = sync.OnceValues(func() (Table, error) {
	var t Table
	if err := json.Unmarshal(pricesJSON, &t); err != nil {
		return Table{}, err
	}
	_, err := time.Parse(time.DateOnly, t.Date)
	return t, err
})

// dated is what providers add to the name of a model for one state of it.
var dated = lazyregexp.New(`-(\d{8}|\d{4}-\d{2}-\d{2})$`)

// Find returns the price of a provider's model, also under a name with a date.
func (t Table) Find(provider, model string) (Price, bool) {
	if p, ok := t.Models[provider+"/"+model]; ok {
		return p, true
	}
	p, ok := t.Models[provider+"/"+dated().ReplaceAllString(model, "")]
	return p, ok
}

// Cost is what tokens cost, in millionths of a dollar, rounded up.
func (p Price) Cost(t Tokens) int64 {
	in := t.Input + t.CacheRead + t.CacheWrite
	q := p
	above := int64(-1)
	for _, tier := range p.Tiers {
		if in > tier.Above && tier.Above > above {
			q, above = tier.Price, tier.Above
		}
	}
	or := func(v float64) float64 {
		if v == 0 {
			return q.Input
		}
		return v
	}
	five := t.CacheWrite - t.CacheHour
	sum := float64(t.Input)*q.Input + float64(t.Output)*q.Output + float64(t.CacheRead)*or(q.CacheRead) +
		float64(five)*or(q.CacheWrite) + float64(t.CacheHour)*2*q.Input + float64(t.Searches)*searchPrice
	return micro(sum)
}

func micro(v float64) int64 {
	// A sum of prices with a few digits is not exact: 0.1+0.2 is no more than 0.3.
	v = math.Ceil(v - 1e-6)
	if !(v > 0) { // also not a number
		return 0
	}
	return int64(math.Min(v, math.MaxInt64/4))
}

// Add returns a sum with one more request. A price that is not known leaves the
// cost and marks it.
func Add(u task.Usage, t Tokens, p Price, known bool) task.Usage {
	u.Requests++
	u.Input += t.Input
	u.Output += t.Output
	u.CacheRead += t.CacheRead
	u.CacheWrite += t.CacheWrite
	switch {
	case t.Dollars != nil:
		u.Cost += micro(*t.Dollars * 1e6)
	case known:
		u.Cost += p.Cost(t)
	default:
		u.Unknown = true
	}
	return u
}
