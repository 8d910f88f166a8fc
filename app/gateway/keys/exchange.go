package keys

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"
)

// Exchange is how what a login gave becomes the token that is sent to models. That
// one ends soon, and another is made of the same login, which is kept as
// [Credential.Refresh].
type Exchange struct {
	Method string
	URL    string
	Header map[string]string
	Body   string

	// Read finds the token and its end in an answer; a zero end is unknown.
	Read func(data []byte, now time.Time) (token string, ends time.Time, ok bool)
}

// change makes a new token of a login.
func (s *Source) change(ctx context.Context, x *Exchange, c Credential) (Credential, error) {
	r, err := http.NewRequestWithContext(ctx, x.Method, x.URL, bytes.NewReader([]byte(x.Body)))
	if err != nil {
		return Credential{}, fmt.Errorf("login of %s: the token address cannot be used", c.Provider)
	}
	r.Header.Set("Accept", "application/json")
	for k, v := range x.Header {
		r.Header.Set(k, v)
	}
	r.Header.Set("Authorization", "Bearer "+c.Refresh.Reveal())
	var data raw
	if err := s.send(c.Provider, r, &data); err != nil {
		return Credential{}, err
	}
	token, ends, ok := x.Read(data, s.now())
	c.Kind, c.Key, c.Access, c.Expires = KindOAuth, Secret{}, NewSecret(token), time.Time{}
	if ends.After(s.now()) && ends.Sub(s.now()) < maxLifetime {
		c.Expires = ends // else the clocks differ: it is renewed when it is refused
	}
	if !ok || token == "" || c.Check() != nil {
		return Credential{}, &LoginError{c.Provider, LoginAnswer}
	}
	return c, nil
}

// raw keeps an answer as it came.
type raw []byte

func (r *raw) UnmarshalJSON(data []byte) error {
	*r = bytes.Clone(data)
	return nil
}
