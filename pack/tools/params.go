package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"piwork/vmhost/wire"
)

// Parameters are struct members of the kinds string, bool, int and []string
// with
//
//	`json:"name"`
//	`schema:"default=…,enum=a|b,min=1,max=9,maxLength=100,maxItems=5,required=true,secret=true,byName=true"`
//
// Everything about one parameter is read from there. Members of embedded
// structs count as its own. A secret is never shown, logged or recorded. byName marks
// the format of the result, see [Operation.FormatOf].

// rule is what a schema tag says of one parameter.
type rule struct {
	name      string
	index     []int // of the member
	kind      reflect.Kind
	byDefault any
	enum      []string
	min, max  *int64
	maxLength int // of a text, or of each in a list
	maxItems  int
	required  bool // there is no default
	secret    bool
	byName    bool
}

// maxText bounds a string parameter without a bound of its own, in bytes.
const maxText = 4096

// rules reads the tags of a struct. A wrong tag is a mistake of this package,
// found by its tests.
func rules(t reflect.Type) ([]rule, error) {
	var out []rule
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			return nil, fmt.Errorf("%s.%s has no JSON name", t, f.Name)
		}
		r := rule{name: name, index: f.Index, kind: f.Type.Kind(), maxLength: maxText}
		if r.kind == reflect.Slice && f.Type.Elem().Kind() != reflect.String {
			return nil, fmt.Errorf("%s.%s: a parameter cannot be a %s", t, f.Name, f.Type)
		}
		if err := r.read(f.Tag.Get("schema")); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (r *rule) read(tag string) error {
	text := map[string]string{}
	if tag != "" {
		for part := range strings.SplitSeq(tag, ",") {
			k, v, ok := strings.Cut(part, "=")
			if !ok {
				return fmt.Errorf("schema tag %q", part)
			}
			text[k] = v
		}
	}
	number := func(key string) (*int64, error) {
		v, ok := text[key]
		if !ok {
			return nil, nil
		}
		n, err := strconv.ParseInt(v, 10, 64)
		return &n, err
	}
	var err error
	if r.min, err = number("min"); err != nil {
		return err
	}
	if r.max, err = number("max"); err != nil {
		return err
	}
	if v, ok := text["enum"]; ok {
		r.enum = strings.Split(v, "|")
	}
	if n, err := number("maxLength"); err != nil {
		return err
	} else if n != nil {
		r.maxLength = int(*n)
	}
	r.secret, r.byName = text["secret"] == "true", text["byName"] == "true"
	byDefault, ok := text["default"]
	switch r.kind {
	case reflect.String:
		r.byDefault, r.required = byDefault, r.enum != nil && !ok || text["required"] == "true"
	case reflect.Bool:
		r.byDefault = byDefault == "true"
	case reflect.Int:
		n := int64(0)
		if ok {
			if n, err = strconv.ParseInt(byDefault, 10, 64); err != nil {
				return err
			}
		}
		r.byDefault = n
	case reflect.Slice:
		n, err := number("maxItems")
		if err != nil || n == nil {
			return fmt.Errorf("a list needs maxItems (%w)", err)
		}
		r.maxItems, r.byDefault, r.required = int(*n), []string{}, text["required"] == "true"
	default:
		return fmt.Errorf("a parameter cannot be a %s", r.kind)
	}
	return nil
}

// Decode makes parameters of what came as JSON, with defaults for what is
// absent or null. Unknown names, wrong types and values out of bounds are
// *wire.InvalidError. Numbers and switches may also come as the text that a
// command line has.
func (o Operation) Decode(given map[string]any) (Params, error) {
	p := o.params()
	v := reflect.ValueOf(p).Elem()
	list, err := rules(v.Type())
	if err != nil {
		return nil, err
	}
	for name := range given {
		if !slices.ContainsFunc(list, func(r rule) bool { return r.name == name }) {
			return nil, &wire.InvalidError{Field: "params." + wire.Short(name), Reason: "there is no such parameter"}
		}
	}
	for _, r := range list {
		value, ok := given[r.name]
		if !ok || value == nil {
			if r.required {
				return nil, &wire.InvalidError{Field: "params." + r.name, Reason: strings.TrimSuffix("is missing: one of "+strings.Join(r.enum, ", "), ": one of ")}
			}
			value = r.byDefault
		}
		if err := r.set(v.FieldByIndex(r.index), value); err != nil {
			return nil, &wire.InvalidError{Field: "params." + r.name, Reason: err.Error()}
		}
	}
	return p, nil
}

// set puts a value into a member when it fits.
func (r rule) set(field reflect.Value, value any) error {
	switch r.kind {
	case reflect.String:
		s, err := r.text(value)
		if err != nil {
			return err
		}
		if r.required && s == "" {
			return errors.New("is empty")
		}
		field.SetString(s)
	case reflect.Slice:
		list, err := r.list(value)
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(list))
	case reflect.Bool:
		b, ok := value.(bool)
		if s, text := value.(string); text {
			b, ok = s == "true", s == "true" || s == "false"
		}
		if !ok {
			return fmt.Errorf("%v is neither true nor false", wire.Short(fmt.Sprint(value)))
		}
		field.SetBool(b)
	case reflect.Int:
		n, ok := integer(value)
		if !ok {
			return fmt.Errorf("%v is not a whole number", wire.Short(fmt.Sprint(value)))
		}
		if r.min != nil && n < *r.min || r.max != nil && n > *r.max {
			return fmt.Errorf("%d is not within %s and %s", n, bound(r.min), bound(r.max))
		}
		field.SetInt(n)
	}
	return nil
}

// text returns a text within the bounds.
func (r rule) text(value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("%T is not a text", value)
	}
	if len(s) > r.maxLength || strings.IndexByte(s, 0) >= 0 {
		return "", fmt.Errorf("a text of %d bytes, at most %d and none of them NUL", len(s), r.maxLength)
	}
	if r.enum != nil && !slices.Contains(r.enum, s) {
		return "", fmt.Errorf("%q is none of %s", wire.Short(s), strings.Join(r.enum, ", "))
	}
	return s, nil
}

// list returns a list of texts; the text of a command line has commas between
// them.
func (r rule) list(value any) ([]string, error) {
	var all []any
	switch v := value.(type) {
	case string:
		for s := range strings.SplitSeq(v, ",") {
			all = append(all, s)
		}
	case []any:
		all = v
	case []string:
		for _, s := range v {
			all = append(all, s)
		}
	default:
		return nil, fmt.Errorf("%T is not a list", value)
	}
	if len(all) > r.maxItems || r.required && len(all) == 0 {
		return nil, fmt.Errorf("%d texts, at most %d", len(all), r.maxItems)
	}
	out := make([]string, len(all))
	for i, v := range all {
		s, err := r.text(v)
		if err != nil {
			return nil, fmt.Errorf("number %d: %w", i+1, err)
		}
		out[i] = s
	}
	return out, nil
}

func integer(value any) (int64, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	case string:
		i, err := strconv.ParseInt(n, 10, 64)
		return i, err == nil && strconv.FormatInt(i, 10) == n
	}
	return 0, false
}

func bound(n *int64) string {
	if n == nil {
		return "any"
	}
	return strconv.FormatInt(*n, 10)
}

// Schema returns the JSON schema (draft 2020-12) of the parameters.
func (o Operation) Schema() map[string]any {
	list, err := rules(reflect.TypeOf(o.params()).Elem())
	if err != nil {
		return map[string]any{"not": map[string]any{}} // a mistake of this package: nothing fits
	}
	properties, required := map[string]any{}, []string{}
	for _, r := range list {
		properties[r.name] = r.schema()
		if r.required {
			required = append(required, r.name)
		}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type":    "object", "additionalProperties": false, "properties": properties, "required": required,
	}
}

func (r rule) schema() map[string]any {
	s := map[string]any{}
	if !r.required {
		s["default"] = r.byDefault
	}
	switch r.kind {
	case reflect.String:
		r.textSchema(s)
		if r.required && r.enum == nil {
			s["minLength"] = 1
		}
	case reflect.Slice:
		items := map[string]any{}
		r.textSchema(items)
		s["type"], s["items"], s["maxItems"] = "array", items, r.maxItems
		if r.required {
			s["minItems"] = 1
		}
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.Int:
		s["type"] = "integer"
		if r.min != nil {
			s["minimum"] = *r.min
		}
		if r.max != nil {
			s["maximum"] = *r.max
		}
	}
	return s
}

func (r rule) textSchema(s map[string]any) {
	s["type"] = "string"
	if r.enum != nil {
		s["enum"] = r.enum
	} else {
		s["maxLength"] = r.maxLength
	}
	if r.secret {
		s["format"], s["writeOnly"] = "password", true
	}
}

// Secrets are the names of parameters that must not be kept: whoever records a
// call leaves their values out.
func (o Operation) Secrets() []string {
	list, err := rules(reflect.TypeOf(o.params()).Elem())
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range list {
		if r.secret {
			out = append(out, r.name)
		}
	}
	return out
}
