package keys

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a secret says to everybody but its reader.
const hidden = "[secret]"

// Secret is a key or a token. The zero value is none. It holds a pointer, so
// that even code that prints unexported fields by reflection meets an address.
type Secret struct{ v *string }

// NewSecret makes a secret of a text; of "" it is none.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{v: &s}
}

// Reveal tells the secret. It is for the header of a request and for a store.
func (s Secret) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero reports whether there is none.
func (s Secret) IsZero() bool { return s.v == nil }

// Equal compares in constant time.
func (s Secret) Equal(o Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(o.Reveal())) == 1
}

// Last is the end of the secret that may be shown: four characters of one that
// is long enough to keep the rest, else nothing.
func (s Secret) Last() string {
	if v := s.Reveal(); len(v) >= 16 {
		return v[len(v)-4:]
	}
	return ""
}

func (s Secret) String() string {
	if s.v == nil {
		return ""
	}
	return hidden
}

// Format hides the secret from every verb of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) } //nolint:errcheck // fmt.State keeps its own

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret from encoders: JSON, XML, YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the secret from log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
