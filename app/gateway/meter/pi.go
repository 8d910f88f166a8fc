package meter

import (
	"encoding/json"
	"math"
)

// pi reads a line of pi's own protocol: the last one of an answer, "done" or "error",
// says what was used, and what that cost.
func (r *Reader) pi(data []byte) {
	var a struct {
		Type  string `json:"type"`
		Model string `json:"responseModel"`
		Usage *struct {
			Input      float64         `json:"input"`
			Output     float64         `json:"output"`
			CacheRead  float64         `json:"cacheRead"`
			CacheWrite float64         `json:"cacheWrite"`
			CacheHour  float64         `json:"cacheWrite1h"`
			Cost       json.RawMessage `json:"cost"`
		} `json:"usage"`
	}
	if json.Unmarshal(data, &a) != nil || a.Usage == nil || a.Type != "done" && a.Type != "error" {
		return
	}
	u := a.Usage
	r.model(a.Model)
	r.t.Input, r.t.Output, r.t.CacheRead, r.t.CacheWrite = whole(u.Input), whole(u.Output), whole(u.CacheRead), whole(u.CacheWrite)
	r.t.CacheHour = min(whole(u.CacheHour), r.t.CacheWrite)
	var cost struct {
		Total *float64 `json:"total"`
	}
	if json.Unmarshal(u.Cost, &cost) == nil && cost.Total != nil && *cost.Total >= 0 && *cost.Total < 1e6 {
		r.t.Dollars = cost.Total
	}
	r.done = true
}

// whole is a number of tokens.
func whole(v float64) int64 {
	return int64(math.Ceil(min(max(v, 0), maxTokens)))
}
