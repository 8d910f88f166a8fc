package diagnostics

import "encoding/json"

// Known are names that the caller knows.
type Known struct{}

// Redactor takes out what must not leave the computer.
type Redactor struct{}

// Text redacts.
func (*Redactor) Text(s string) string { return s }

// JSON redacts.
func (r *Redactor) JSON(v any) (string, error) {
	out, err := decode(v)
	if err != nil {
		return "", err
	}
	data, err := json.MarshalIndent(out, "", "  ")
	return string(data), err
}
