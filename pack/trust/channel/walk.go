package channel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"piwork/pack/lazyregexp"
)

// maxDepth of nested objects and lists. Metadata takes 6.
const maxDepth = 12

var (
	keyPattern    = lazyregexp.New(`^[\x20-\x7e]{1,256}$`)
	numberPattern = lazyregexp.New(`^(0|[1-9][0-9]{0,15})$`)
)

// walk refuses JSON that different parsers, or the same parser at different
// times, could take for different things, and what makes parsers stumble: null,
// a key twice in any case (encoding/json ignores case), fractions and large or
// negative numbers, broken UTF-8, deep nesting, anything after the value.
func walk(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := walkValue(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

func walkValue(dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return notJSON(err)
	}
	switch t := token.(type) {
	case json.Delim: // only an opening one: the decoder checks the grammar
		if depth == maxDepth {
			return fmt.Errorf("nested more than %d deep", maxDepth)
		}
		if t == '{' {
			return walkObject(dec, depth+1)
		}
		for dec.More() {
			if err := walkValue(dec, depth+1); err != nil {
				return err
			}
		}
		_, err := dec.Token()
		return notJSON(err)
	case json.Number:
		if !numberPattern().MatchString(t.String()) {
			return fmt.Errorf("number %.40q is not a plain whole number", t)
		}
	case nil:
		return errors.New("null stands for nothing here")
	}
	return nil
}

func walkObject(dec *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return notJSON(err)
		}
		key, ok := token.(string)
		if !ok || !keyPattern().MatchString(key) {
			return fmt.Errorf("key %.40q is not plain text", token)
		}
		folded := strings.ToLower(key)
		if seen[folded] {
			return fmt.Errorf("key %.40q is there twice", key)
		}
		seen[folded] = true
		if err := walkValue(dec, depth); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return notJSON(err)
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("not JSON: %w", err)
}
