package provider

import (
	"strconv"
	"strings"

	"piwork/pack/lazyregexp"
)

// thinking is how the models of a family are told how long to think, as pi's
// models.json has it (docs/models.md).
type thinking struct {
	Reasoning bool           `json:"reasoning,omitempty"`
	Levels    map[string]any `json:"thinkingLevelMap,omitempty"` // what the service calls a level; nil: it has none
	Compat    map[string]any `json:"compat,omitempty"`
}

var (
	claude  = lazyregexp.New(`^claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:$|[-.:@])`)
	gpt     = lazyregexp.New(`^gpt-(\d{1,2})(?:\.(\d{1,2}))?(-[a-z0-9-]*)?$`)
	oSeries = lazyregexp.New(`^o[1-9](?:$|-)`)
	gemini  = lazyregexp.New(`^gemini-(\d{1,2})(?:\.(\d{1,2}))?-`)
	// Models that people run themselves. Of qwen3 and its kin there are some that do
	// not think.
	own     = lazyregexp.New(`^(?:gpt-oss|deepseek-r1|magistral|qwen3)(?:$|[-.:])`)
	qwen    = lazyregexp.New(`^qwen3(?:\.(\d{1,2}))?`)
	ownDull = lazyregexp.New(`coder|instruct|embed|rerank|guard|-vl|-next|-max|-omni|-tts|-asr|-2507`)
)

// howThinks is how a model that pi does not know is told how long to think. can is
// what is known beside its name, nil nothing. One that is known to think, by nothing
// else than that, is told in the way of most of its protocol.
func howThinks(p Protocol, model string, can *bool) thinking {
	t := thinks(p, model)
	switch {
	case can != nil && !*can:
		return thinking{}
	case can != nil && !t.Reasoning:
		t = thinking{Reasoning: true}
		if p == OpenAI {
			t.Levels, t.Compat = levels("low", "medium", "high"), map[string]any{"supportsReasoningEffort": true}
		}
	}
	return t
}

// thinks is what is known of a model that pi does not know, by its name. A service
// refuses a request that tells a model to think which cannot, so what is not known
// to is not told to.
func thinks(p Protocol, model string) thinking {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, maker := range []string{"anthropic.", "openai.", "qwen.", "google."} {
		name = strings.TrimPrefix(name, maker)
	}
	switch p {
	case Anthropic:
		return claudeThinks(name)
	case Google:
		if m := gemini().FindStringSubmatch(name); m != nil && edition(m[1], m[2]) >= 205 && !strings.Contains(name, "image") && !strings.Contains(name, "tts") {
			t := thinking{Reasoning: true}
			if edition(m[1], m[2]) >= 300 {
				t.Levels = levels("low", "medium", "high")
			}
			return t
		}
	case OpenAI:
		if l := effortLevels(name); l != nil {
			return thinking{Reasoning: true, Levels: l, Compat: map[string]any{"supportsReasoningEffort": true}}
		}
	}
	return thinking{}
}

func claudeThinks(name string) thinking {
	m := claude().FindStringSubmatch(name)
	if m == nil {
		return thinking{}
	}
	v := edition(m[2], m[3])
	if v < 307 {
		return thinking{}
	}
	t := thinking{Reasoning: true}
	if v >= 406 { // it decides by itself how many tokens it needs, and is told an effort
		t.Compat = map[string]any{"forceAdaptiveThinking": true}
	}
	if m[1] == "fable" || v >= 505 && m[1] != "haiku" {
		t.Levels = map[string]any{"off": nil}
	}
	return t
}

// effortLevels are the values of reasoning_effort that a model has, nil of one that
// has none.
func effortLevels(name string) map[string]any {
	switch m := gpt().FindStringSubmatch(name); {
	case m != nil:
		v, kind := edition(m[1], m[2]), m[3]
		switch {
		case v < 500 || strings.Contains(kind, "chat"):
			return nil
		case strings.HasSuffix(kind, "-pro"):
			return levels("high")
		case v == 500 && kind != "-codex":
			return levels("minimal", "low", "medium", "high")
		case v < 600 && (kind == "" || kind == "-mini" || kind == "-nano"):
			return withOff(levels("low", "medium", "high"))
		}
		return levels("low", "medium", "high")
	case oSeries().MatchString(name) && !strings.HasPrefix(name, "o1-mini") && !strings.HasPrefix(name, "o1-preview") && !strings.Contains(name, "deep-research"):
		return levels("low", "medium", "high")
	case own().MatchString(name) && (strings.Contains(name, "thinking") || !ownDull().MatchString(name)):
		switch q := qwen().FindStringSubmatch(name); {
		case q != nil && edition("3", q[1]) >= 308: // services differ in what is above
			return levels("low", "medium")
		case q != nil && !strings.Contains(name, "thinking"):
			return withOff(levels("low", "medium", "high"))
		}
		return levels("low", "medium", "high")
	}
	return nil
}

// levels says that a model has these, and no others.
func levels(have ...string) map[string]any {
	out := map[string]any{"off": nil, "minimal": nil, "low": nil, "medium": nil, "high": nil}
	for _, l := range have {
		out[l] = l
	}
	return out
}

func withOff(l map[string]any) map[string]any {
	l["off"] = "none"
	return l
}

// edition makes numbers that compare as versions do: 4.6 is 406.
func edition(major, minor string) int {
	a, _ := strconv.Atoi(major) // digits, or ""
	b, _ := strconv.Atoi(minor)
	return a*100 + b
}
