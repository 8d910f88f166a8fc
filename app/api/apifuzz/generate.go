package apifuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// generator makes values of the schemas of a document.
type generator struct {
	doc   map[string]any
	files []string // that are there
}

// at is the value at a reference of the document.
func (g generator) at(ref string) map[string]any {
	var v any = g.doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		v = v.(map[string]any)[name]
	}
	return v.(map[string]any)
}

func (g generator) resolved(s map[string]any) map[string]any {
	for s["$ref"] != nil {
		s = g.at(s["$ref"].(string))
	}
	return s
}

// deepest bounds the nesting of what is made.
const deepest = 6

// value makes a value that fits a schema, as far as the schema says.
func (g generator) value(t *rapid.T, s map[string]any, depth int) any {
	s = g.resolved(s)
	for _, word := range []string{"oneOf", "anyOf"} {
		if list, is := s[word].([]any); is {
			return g.value(t, rapid.SampledFrom(list).Draw(t, word).(map[string]any), depth)
		}
	}
	if list, is := s["enum"].([]any); is {
		return rapid.SampledFrom(list).Draw(t, "enum")
	}
	kind := s["type"]
	if list, is := kind.([]any); is { // may be null
		kind = rapid.SampledFrom(list).Draw(t, "type")
	}
	low, high := bound(s, "minimum", -1<<53), bound(s, "maximum", 1<<53)
	switch kind {
	case "string":
		return g.text(t, s)
	case "integer":
		near := rapid.Int64Range(low, min(high, low+100))
		return rapid.OneOf(near, rapid.SampledFrom([]int64{low, high}), rapid.Int64Range(low, high)).Draw(t, "integer")
	case "number":
		return rapid.Float64Range(float64(low), float64(high)).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "array":
		least := int(bound(s, "minItems", 0))
		most := min(int(bound(s, "maxItems", 1<<20)), least+3)
		if depth > deepest {
			most = least
		}
		out := []any{}
		items, _ := s["items"].(map[string]any)
		for range rapid.IntRange(least, most).Draw(t, "items") {
			out = append(out, g.value(t, items, depth+1))
		}
		return out
	case "object":
		return g.object(t, s, depth)
	case nil:
		return rapid.SampledFrom([]any{nil, "x", 1, true, []any{}, map[string]any{}}).Draw(t, "any")
	default:
		return nil
	}
}

func (g generator) object(t *rapid.T, s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		must := slices.Contains(required, any(name))
		if !must && (depth > deepest || !rapid.Bool().Draw(t, "has "+name)) {
			continue
		}
		out[name] = g.value(t, properties[name].(map[string]any), depth+1)
	}
	if more, is := s["additionalProperties"].(map[string]any); is {
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			out[rapid.StringN(1, 8, -1).Draw(t, "name")] = g.value(t, more, depth+1)
		}
	}
	return out
}

func bound(s map[string]any, word string, otherwise int64) int64 {
	if n, is := s[word].(float64); is {
		return int64(n)
	}
	return otherwise
}

// text makes a string. Those that are often wrong come often.
func (g generator) text(t *rapid.T, s map[string]any) string {
	least, most := int(bound(s, "minLength", 0)), int(bound(s, "maxLength", 1<<16))
	if p, is := s["pattern"].(string); is {
		v := rapid.StringMatching(p).Draw(t, "text of "+p)
		return v[:min(len(v), most)]
	}
	if s["format"] == "date-time" {
		return "2026-01-02T03:04:05Z"
	}
	odd := []string{ // "/proc/version" is outside of everything, and nobody can write over it
		"", "a", "a/b.pdf", "../../etc/passwd", "/proc/version", "-rf", "a\x00b", "\r\n\r\n", "ä日本\u202e", "%2e%2e%2f", "{{7*7}}", "\u0000", "null", "0", "*",
		strings.Repeat("x", 300),
	}
	gens := []*rapid.Generator[string]{rapid.SampledFrom(odd), rapid.StringN(least, least+20, -1)}
	for range 3 {
		gens = append(gens, rapid.SampledFrom(g.files))
	}
	v := rapid.OneOf(gens...).Draw(t, "text")
	if r := []rune(v); len(r) > most {
		v = string(r[:most])
	} else if len(r) < least {
		v += strings.Repeat("x", least-len(r))
	}
	return v
}

// bent changes one place of a value, so that it nearly fits.
func bent(t *rapid.T, v any) any {
	wrong := []any{
		nil, true, -1, 1e300, 0.5, "", "\x00", strings.Repeat("y", 100_000), []any{}, map[string]any{}, []any{nil}, map[string]any{"": nil}, nested(200),
	}
	other := func() any { return rapid.SampledFrom(wrong).Draw(t, "instead") }
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		how := rapid.IntRange(0, 3).Draw(t, "how")
		switch {
		case len(names) == 0 || how == 0:
			v[rapid.SampledFrom([]string{"", "x", "__proto__", "$ref", "id", "in", strings.Repeat("n", 10_000)}).Draw(t, "new")] = other()
		case how == 1:
			delete(v, rapid.SampledFrom(names).Draw(t, "without"))
		case how == 2:
			v[rapid.SampledFrom(names).Draw(t, "other")] = other()
		default:
			name := rapid.SampledFrom(names).Draw(t, "in")
			v[name] = bent(t, v[name])
		}
		return v
	case []any:
		if len(v) > 0 && rapid.Bool().Draw(t, "inside") {
			i := rapid.IntRange(0, len(v)-1).Draw(t, "which")
			v[i] = bent(t, v[i])
			return v
		}
		return append(v, other())
	default:
		return other()
	}
}

func nested(n int) any {
	var v any = "deep"
	for range n {
		v = []any{v}
	}
	return v
}

// form makes a body of multipart/form-data of a value of its schema: an array is
// many parts, of files where its items are.
func (g generator) form(t *rapid.T, s map[string]any, v any) (body []byte, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	properties, _ := g.resolved(s)["properties"].(map[string]any)
	object, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list, many := object[name].([]any)
		if !many {
			list = []any{object[name]}
		}
		property, _ := properties[name].(map[string]any)
		items, _ := property["items"].(map[string]any)
		for _, one := range list {
			h := textproto.MIMEHeader{}
			field := strings.NewReplacer("\r", "", "\n", "", `"`, "").Replace(name)
			text := fmt.Sprint(one)
			if items["format"] == "binary" {
				file := rapid.SampledFrom([]string{"a.jpg", "../x", "", "ä.png", `..\..\y`, "a.jpg", "con", strings.Repeat("z", 2000)}).Draw(t, "file name")
				h.Set("Content-Disposition", `form-data; name="`+field+`"; filename="`+file+`"`)
				text = text[:min(len(text), 50)]
			} else {
				h.Set("Content-Disposition", `form-data; name="`+field+`"`)
			}
			part, err := w.CreatePart(h)
			if err == nil {
				_, err = io.WriteString(part, text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// junk is a body that fits nothing.
func junk(t *rapid.T) []byte {
	return rapid.SampledFrom([][]byte{
		nil, []byte("{"), []byte("null"), []byte("[]"), []byte(`"x"`), []byte("\xff\xfe"), []byte(`{"a":1}{`), []byte(`{"in":1e999}`),
		bytes.Repeat([]byte("["), 100_000), []byte("--x\r\n\r\n"), []byte("<xml/>"), bytes.Repeat([]byte{0}, 5000),
	}).Draw(t, "junk")
}

// clone copies a value of JSON, so that it can be bent.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[name] = clone(one)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = clone(one)
		}
		return out
	default:
		return v
	}
}

func marshalled(t *rapid.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
