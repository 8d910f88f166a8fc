package access

import (
	"testing"
	"time"

	"piwork/app/audit/audittest"
)

// An origin of a token is one, as browsers write it, and no page can decide.
func TestOriginsOfATokenAreChecked(t *testing.T) {
	list, err := OpenTokens(t.TempDir(), audittest.Open(t), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	try := func(scope Scope, origins ...string) error {
		_, err := list.CreateToken(t.Context(), TokenRequest{Name: "app", Scopes: []Scope{scope}, Origins: origins})
		if err == nil {
			err = list.RevokeToken(t.Context(), "app")
			if err != nil {
				t.Fatal(err)
			}
			return nil
		}
		return err
	}
	for _, good := range []string{"https://app.example", "https://app.example:8443", "http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:3000"} {
		if err := try(Read, good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "*", "null", "https://*", "https://*.example", "app.example", "https://app.example/", "https://App.example", "https://app.example:443", "http://localhost:80", "http://app.example",
		"http://localhost.evil.example", "https://me@app.example", "https://app.example?x", "https://app.example#x", "https://", "https://app.example:", "file:///x", "chrome-extension://abc"} {
		if err := try(Read, bad); err == nil {
			t.Errorf("%q is an origin", bad)
		}
	}
	for _, mighty := range []Scope{Decide, Manage} {
		if err := try(mighty, "https://app.example"); err == nil {
			t.Errorf("a page has %s", mighty)
		}
	}
	if try(Read, "https://a.example", "https://a.example") == nil {
		t.Error("one is there twice")
	}
}
