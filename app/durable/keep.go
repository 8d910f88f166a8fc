package durable

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// MarshalKeeping marshals v indented, keeping the members of the older document
// that v's type does not know: a record written by a newer program loses
// nothing when an older one changes it. known is what v's type made of old
// before the change, that is a value that old was unmarshalled into.
//
// Members are matched by name and the elements of arrays of equal length by
// index. A document without unknown members has the member order of v's type.
func MarshalKeeping(old []byte, known, v any) ([]byte, error) {
	fresh, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(old) > 0 {
		merged, changed, err := mergeUnknown(old, known, fresh)
		if err != nil {
			return nil, err
		}
		if changed {
			fresh = merged
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, fresh, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func mergeUnknown(old []byte, known any, fresh []byte) ([]byte, bool, error) {
	knownJSON, err := json.Marshal(known)
	if err != nil {
		return nil, false, err
	}
	var o, k, n any
	for _, p := range []struct {
		data []byte
		into *any
	}{{old, &o}, {knownJSON, &k}, {fresh, &n}} {
		d := json.NewDecoder(bytes.NewReader(p.data))
		d.UseNumber()
		if err := d.Decode(p.into); err != nil {
			return nil, false, err
		}
	}
	merged := keep(o, k, n)
	if reflect.DeepEqual(merged, n) {
		return nil, false, nil
	}
	out, err := json.Marshal(merged)
	return out, true, err
}

// keep returns fresh with the members of old that known lacks.
func keep(old, known, fresh any) any {
	switch f := fresh.(type) {
	case map[string]any:
		o, ok1 := old.(map[string]any)
		k, ok2 := known.(map[string]any)
		if !ok1 || !ok2 {
			return fresh
		}
		out := make(map[string]any, len(f))
		for name, v := range f {
			out[name] = keep(o[name], k[name], v)
		}
		for name, v := range o {
			if _, isKnown := k[name]; !isKnown {
				if _, set := f[name]; !set && v != nil {
					out[name] = v
				}
			}
		}
		return out
	case []any:
		o, ok1 := old.([]any)
		k, ok2 := known.([]any)
		if !ok1 || !ok2 || len(o) != len(f) || len(k) != len(f) {
			return fresh
		}
		out := make([]any, len(f))
		for i := range f {
			out[i] = keep(o[i], k[i], f[i])
		}
		return out
	default:
		return fresh
	}
}
