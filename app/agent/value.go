package agent

import (
	"encoding/json"
	"math"
	"strings"
)

// object is a JSON object of which only some members are known. Its methods
// answer with zero values for members that are missing or of another kind, so
// that one odd member does not cost the rest.
type object map[string]json.RawMessage

func parseObject(data []byte) (object, bool) {
	var o object
	if json.Unmarshal(data, &o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

func (o object) str(key string) string {
	var s string
	_ = json.Unmarshal(o[key], &s) // "" when it is something else
	return s
}

func (o object) flag(key string) bool {
	var b bool
	_ = json.Unmarshal(o[key], &b)
	return b
}

// num is a whole number; fractions are cut, what does not fit is 0.
func (o object) num(key string) int64 {
	var f float64
	if json.Unmarshal(o[key], &f) != nil || math.IsNaN(f) || math.Abs(f) > 1<<53 {
		return 0
	}
	return int64(f)
}

func (o object) has(key string) bool {
	raw, ok := o[key]
	return ok && string(raw) != "null"
}

func (o object) obj(key string) object {
	p, _ := parseObject(o[key])
	return p
}

func (o object) list(key string) []json.RawMessage {
	var l []json.RawMessage
	_ = json.Unmarshal(o[key], &l)
	return l
}

func (o object) strs(key string) []string {
	var out []string
	for _, raw := range o.list(key) {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// blocks are the parts of a message's content, which may also be one string.
func (o object) blocks(key string) []object {
	if s := o.str(key); s != "" {
		text, _ := json.Marshal(s)
		return []object{{"type": json.RawMessage(`"text"`), "text": text}}
	}
	var out []object
	for _, raw := range o.list(key) {
		if p, ok := parseObject(raw); ok {
			out = append(out, p)
		}
	}
	return out
}

// textOf joins the text of all blocks of a kind.
func textOf(blocks []object, kind, member string) string {
	var parts []string
	for _, b := range blocks {
		if b.str("type") == kind {
			if s := b.str(member); s != "" {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}
