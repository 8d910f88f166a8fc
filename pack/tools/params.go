package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"piwork/vmhost/wire"
)

// Parameters are struct members of the kinds string, bool and int with
//
//	`json:"name"`
//	`schema:"default=…,enum=a|b,min=1,max=9,maxLength=100"`
//
// Everything about one parameter is read from there.

// rule is what a schema tag says of one parameter.
type rule struct {
	name      string
	index     int // of the member
	kind      reflect.Kind
	byDefault any
	enum      []string
	min, max  *int64
	maxLength int
	required  bool // there is no default
}

// maxText bounds a string parameter without a bound of its own, in bytes.
const maxText = 4096

// rules reads the tags of a struct. A wrong tag is a mistake of this package,
// found by its tests.
func rules(t reflect.Type) ([]rule, error) {
	var out []rule
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			return nil, fmt.Errorf("%s.%s has no JSON name", t, f.Name)
		}
		r := rule{name: name, index: i, kind: f.Type.Kind(), maxLength: maxText}
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
	byDefault, ok := text["default"]
	switch r.kind {
	case reflect.String:
		r.byDefault, r.required = byDefault, r.enum != nil && !ok
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
				return nil, &wire.InvalidError{Field: "params." + r.name, Reason: "is missing: one of " + strings.Join(r.enum, ", ")}
			}
			value = r.byDefault
		}
		if err := r.set(v.Field(r.index), value); err != nil {
			return nil, &wire.InvalidError{Field: "params." + r.name, Reason: err.Error()}
		}
	}
	return p, nil
}

// set puts a value into a member when it fits.
func (r rule) set(field reflect.Value, value any) error {
	switch r.kind {
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("%T is not a text", value)
		}
		if len(s) > r.maxLength || strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("a text of %d bytes, at most %d and none of them NUL", len(s), r.maxLength)
		}
		if r.enum != nil && !slices.Contains(r.enum, s) {
			return fmt.Errorf("%q is none of %s", wire.Short(s), strings.Join(r.enum, ", "))
		}
		field.SetString(s)
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
		s["type"] = "string"
		if r.enum != nil {
			s["enum"] = r.enum
		} else {
			s["maxLength"] = r.maxLength
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
