package answer

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// JSONFormat writes a nil slice or map as an empty one, because the document
// promises lists and objects, never null.
var JSONFormat = huma.Format{
	Marshal:   WriteJSON,
	Unmarshal: Unmarshal,
}

// Bounds of a request. Decoded, a value takes many times the bytes that it was sent in: an empty
// object two of them, and some fifty in memory.
const (
	maxValues = 1 << 20
	maxNested = 1 << 16 // lists and objects
)

// Unmarshal is json.Unmarshal of a request, within the bounds of one.
func Unmarshal(data []byte, v any) error {
	values, nested, text := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case text:
		case c == '[' || c == '{':
			nested++
		case c == ',' || c == ':':
			values++
		}
	}
	if values > maxValues || nested > maxNested {
		return fmt.Errorf("it has more than %d values, or more than %d lists and objects", maxValues, maxNested)
	}
	return json.Unmarshal(data, v)
}

// WriteJSON writes v as one line, its nil slices and maps as empty ones.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(NoNull(v))
}

// NoNull returns a copy of v in which no slice and no map is nil.
func NoNull(v any) any { return filler{}.copied(v) }

// filler copies a value. With visit, which sees each struct of the copy, what is nil stays.
type filler struct{ visit func(reflect.Value) }

func (f filler) copied(v any) any {
	if v == nil {
		return nil
	}
	return f.filled(reflect.ValueOf(v)).Interface()
}

func (f filler) filled(v reflect.Value) reflect.Value {
	t := v.Type()
	if t.Implements(marshalerType) {
		return v // it knows better
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || reflect.PointerTo(t.Elem()).Implements(marshalerType) {
			return v
		}
		p := reflect.New(t.Elem())
		p.Elem().Set(f.filled(v.Elem()))
		return p
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		i := reflect.New(t).Elem()
		i.Set(f.filled(v.Elem()))
		return i
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 || v.IsNil() && f.visit != nil {
			return v
		}
		s := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			s.Index(i).Set(f.filled(v.Index(i)))
		}
		return s
	case reflect.Map:
		if v.IsNil() && f.visit != nil {
			return v
		}
		m := reflect.MakeMapWithSize(t, v.Len())
		for it := v.MapRange(); it.Next(); {
			m.SetMapIndex(it.Key(), f.filled(it.Value()))
		}
		return m
	case reflect.Struct:
		s := reflect.New(t).Elem()
		s.Set(v)
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				s.Field(i).Set(f.filled(v.Field(i)))
			}
		}
		if f.visit != nil {
			f.visit(s)
		}
		return s
	default:
		return v
	}
}

var marshalerType = reflect.TypeFor[json.Marshaler]()
