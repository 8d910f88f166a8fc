package keys

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// codexLife is how long a person has to type a code of ChatGPT's, as in pi: the answer
// does not say.
const codexLife = 15 * time.Minute

// codexPending is OpenAI's own word for a person who has not answered yet.
const codexPending = "deviceauth_authorization_pending"

// beginCodex is [Source.beginDevice] with OpenAI's own questions.
func (s *Source) beginCodex(ctx context.Context, l *Login) error {
	var a struct {
		Device   string          `json:"device_auth_id"`
		User     string          `json:"user_code"`
		Interval json.RawMessage `json:"interval"` // a number, or one as a text
	}
	if err := s.post(ctx, l.Provider, l.e.DeviceURL, l.e, map[string]string{"client_id": l.e.ClientID}, &a); err != nil {
		return err
	}
	if a.Device == "" || len(a.Device) > maxSecret || !typable(a.User) {
		return &LoginError{l.Provider, LoginAnswer}
	}
	l.URL, l.UserCode, l.Expires = l.e.PageURL, a.User, s.now().Add(codexLife)
	l.device = device{NewSecret(a.Device), pollUsual}
	if n, err := strconv.ParseFloat(strings.Trim(string(a.Interval), "\" "), 64); err == nil {
		l.device.every(n)
	}
	return nil
}

// codexCode asks once whether the person has typed the code. Then there is one of RFC
// 6749, with the verifier that belongs to it, which is exchanged as a browser's is.
func (s *Source) codexCode(ctx context.Context, l *Login) (finish func() (Credential, error), err error) {
	var a struct {
		Code     string `json:"authorization_code"`
		Verifier string `json:"code_verifier"`
	}
	err = s.post(ctx, l.Provider, l.e.CodeURL, l.e, map[string]string{"device_auth_id": l.device.code.Reveal(), "user_code": l.UserCode}, &a)
	if refused, ok := errors.AsType[*OAuthError](err); ok && (refused.Status == http.StatusForbidden || refused.Status == http.StatusNotFound) {
		refused.Code = codexPending
	}
	if err != nil {
		return nil, err
	}
	g := grant{code: a.Code}
	if !g.good(l.e) || a.Verifier == "" || len(a.Verifier) > maxSecret {
		return nil, &LoginError{l.Provider, LoginAnswer}
	}
	l.verifier = NewSecret(a.Verifier)
	return func() (Credential, error) { return s.exchange(ctx, l, g) }, nil
}
