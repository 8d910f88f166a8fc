package mcpservers

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/app/problem"
)

// A service that takes only programs that it knows is signed in to with what the person
// registered. Its secret goes there alone, and away with the server. Who comes back without what
// the browser was sent away with is nobody.
func TestRegisteredClient(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	s.knows, s.revokeAt = "app-1 hush-hush-hush", s.URL+"/revoke"
	host := strings.TrimPrefix(s.URL, "http://")
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp", Client: "app-1", ClientSecret: "hush-hush-hush"}); err != nil {
		t.Fatal(err)
	}
	l, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{host}})
	if err != nil || l.State != LoginWaiting {
		t.Fatalf("%+v %v", l, err)
	}
	u, err := url.Parse(l.Address)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(u.Query().Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" || back.Path != "/mcp" || u.Query().Get("client_id") != "app-1" || strings.Contains(l.Address, "hush") {
		t.Errorf("%s %v", l.Address, err)
	}
	for _, forged := range []string{"?code=x&state=guessed", "?code=x", "?error=access_denied&state=", "?code=x&state=" + u.Query().Get("state")[1:]} {
		if code, _ := browse(t, back.String()+forged); code != http.StatusBadRequest {
			t.Errorf("%s: %d", forged, code)
		}
	}
	if code, page := browse(t, l.Address); code != http.StatusOK {
		t.Errorf("%d %s", code, page)
	}
	if l = settled(t, w, "far"); l.State != LoginDone {
		t.Fatalf("%+v", l)
	}
	w.open(t) // it is kept
	w.checked(t, "far")
	for _, h := range f.heads {
		if strings.Contains(strings.Join(h.Values("Authorization"), " "), "Basic") {
			t.Error("the server got the secret of where one signs in")
		}
	}
	if kept, err := os.ReadFile(filepath.Join(w.dir, listName)); err != nil || strings.Contains(string(kept), "hush") || !strings.Contains(string(kept), "app-1") {
		t.Errorf("%s %v", kept, err)
	}
	refresh := s.refresh
	if out, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || !out.Revoked || out.State != LoginNone {
		t.Errorf("%+v %v", out, err)
	}
	if len(s.revoked) != 1 || s.revoked[0].Get("token") != refresh || s.revoked[0].Has("client_secret") {
		t.Errorf("%v", s.revoked)
	}
	// It is still known there: another sign-in needs no other registration.
	if l, err = w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{host}}); err != nil {
		t.Fatal(err)
	}
	browse(t, l.Address)
	if settled(t, w, "far").State != LoginDone {
		t.Fatal("the second sign-in failed")
	}
	if err := w.RemoveMCPServer(t.Context(), "far"); err != nil || len(s.revoked) != 2 {
		t.Errorf("%v, revoked: %v", err, s.revoked)
	}
	if left, _ := w.secrets.List(t.Context()); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestWrongClients(t *testing.T) {
	w, _ := newRemote(t, nil)
	for name, a := range map[string]Addition{
		"of a program":       {Name: "x", Command: "node", Client: "app"},
		"a secret of nobody": {Name: "x", URL: "https://mcp.example/", ClientSecret: "s"},
		"a line feed":        {Name: "x", URL: "https://mcp.example/", Client: "a\nb"},
		"a secret with one":  {Name: "x", URL: "https://mcp.example/", Client: "a", ClientSecret: "a\r\nX-Other: b"},
	} {
		if v, err := w.AddMCPServer(t.Context(), a); err == nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if left, _ := w.secrets.List(t.Context()); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A second sign-in that is broken off leaves the first as it was.
func TestSignInBrokenOff(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	l, err := w.signsIn(t, f, s)
	if err != nil {
		t.Fatal(err)
	}
	browse(t, l.Address)
	if settled(t, w, "far").State != LoginDone {
		t.Fatal("the sign-in failed")
	}
	if l, err = w.LoginMCPServer(t.Context(), "far", LoginRequest{}); err != nil || l.State != LoginWaiting {
		t.Fatalf("%+v %v", l, err)
	}
	if out, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || out.State != LoginDone || out.Revoked {
		t.Fatalf("%+v %v", out, err)
	}
	if v := w.checked(t, "far"); !v.SignedIn {
		t.Errorf("%+v", v)
	}
	if out, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || out.State != LoginNone {
		t.Errorf("%+v %v", out, err)
	}
	if all, _ := w.MCPServers(t.Context()); all[0].SignedIn {
		t.Errorf("%+v", all[0])
	}
}

// What signs one in goes to no host that the person did not agree to, even to be taken back; and
// a service that refuses is not said to have been told.
func TestServiceThatIsNotTold(t *testing.T) {
	for name, tt := range map[string]func(*signs, string){
		"nowhere":              func(*signs, string) {},
		"at another host":      func(s *signs, other string) { s.revokeAt = other + "/taken" },
		"it has no such place": func(s *signs, _ string) { s.revokeAt = s.URL + "/nothing" },
		"no address":           func(s *signs, _ string) { s.revokeAt = s.URL + "/%zz" },
		"not with https":       func(s *signs, _ string) { s.revokeAt = "http://localhost/revoke" },
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newRemote(t, nil)
			f := newFar(t)
			s, other := newSigns(t, f), newSigns(t, newFar(t))
			other.taken = func(r *http.Request) { t.Errorf("a host that nobody agreed to is asked: %v", r.Header) }
			tt(s, other.URL)
			l, err := w.signsIn(t, f, s)
			if err != nil {
				if name == "no address" || name == "not with https" { // the protocol's own client refuses such a service
					return
				}
				t.Fatal(err)
			}
			browse(t, l.Address)
			if settled(t, w, "far").State != LoginDone {
				t.Fatal("the sign-in failed")
			}
			if out, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || out.Revoked {
				t.Errorf("%+v %v", out, err)
			}
			if all, _ := w.MCPServers(t.Context()); all[0].SignedIn {
				t.Errorf("%+v", all[0])
			}
		})
	}
}

// A server does not say where what signs one in is taken back: that goes to who gave it out.
func TestServerThatWantsWhatSignsIn(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	s.knows = "app-1 hush-hush-hush"
	const place = "/.well-known/oauth-authorization-server/mcp" // it describes itself there, and the service as well
	s.described = f.URL + place
	took := make(chan *http.Request, 8)
	before := f.guard
	f.guard = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case place:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{
				"resource": f.URL + "/mcp", "authorization_servers": []string{s.URL}, "token_endpoint": s.URL + "/token", "revocation_endpoint": f.URL + "/taken",
			})
			return true
		case "/taken":
			_ = r.ParseForm()
			took <- r
			return true
		}
		return before(w, r)
	}
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp", Client: "app-1", ClientSecret: "hush-hush-hush"}); err != nil {
		t.Fatal(err)
	}
	l, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{strings.TrimPrefix(s.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	browse(t, l.Address)
	if now := settled(t, w, "far"); now.State != LoginDone {
		t.Fatalf("%+v", now)
	}
	if out, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || out.Revoked || out.State != LoginNone {
		t.Errorf("%+v %v", out, err)
	}
	if len(took) > 0 {
		r := <-took
		t.Errorf("the server got %v, %s", r.Form, r.Header.Get("Authorization"))
	}
}

// A person signs out while a sign-in has only begun: it does not go on.
func TestSignOutWhileASignInBegins(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	begun, on := make(chan struct{}), make(chan struct{})
	before, first := f.guard, sync.OnceFunc(func() { close(begun); <-on })
	f.guard = func(w http.ResponseWriter, r *http.Request) bool {
		first()
		return before(w, r)
	}
	came := make(chan Login, 1)
	go func() {
		l, _ := w.signsIn(t, f, s)
		came <- l
	}()
	<-begun
	out, err := w.LogoutMCPServer(t.Context(), "far")
	close(on)
	if err != nil || out.State != LoginNone {
		t.Errorf("%+v %v", out, err)
	}
	if l := <-came; l.State == LoginWaiting {
		code, _ := browse(t, l.Address)
		t.Errorf("a browser that comes is answered %d", code)
	}
	if all, _ := w.MCPServers(t.Context()); all[0].SignedIn {
		t.Errorf("%+v", all[0])
	}
}

// The secret of a client that the person registered goes to nobody to whom they did not agree: not
// to the server either, which says of itself that one signs in there.
func TestServerThatWantsTheSecretOfAClient(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*signs, string) // the server's address
		agrees bool                 // to the service where one signs in
		at     string               // where the sign-in ends
	}{
		"it is where one signs in": {func(s *signs, at string) { s.issuer, s.loginAt, s.tokenAt = at, at+"/authorize", at+"/token" }, false, "before"},
		"it hands out the tokens":  {func(s *signs, at string) { s.tokenAt = at + "/token" }, true, "after"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newRemote(t, nil)
			f := newFar(t)
			s := newSigns(t, f)
			s.knows = "app-1 hush-hush-hush"
			own := strings.TrimPrefix(f.URL, "http://")
			tt.change(s, f.URL)
			before := f.guard
			f.guard = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") && !tt.agrees:
					w.Header().Set("Content-Type", "application/json")
					_ = json.NewEncoder(w).Encode(map[string]any{"resource": f.URL + "/mcp", "authorization_servers": []string{f.URL}})
				case r.URL.Path == "/.well-known/oauth-authorization-server", r.URL.Path == "/authorize", r.URL.Path == "/token":
					s.Config.Handler.ServeHTTP(w, r)
				default:
					return before(w, r)
				}
				return true
			}
			if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp", Client: "app-1", ClientSecret: "hush-hush-hush"}); err != nil {
				t.Fatal(err)
			}
			confirm := LoginRequest{}
			if tt.agrees {
				confirm.Confirm = []string{strings.TrimPrefix(s.URL, "http://")}
			}
			l, err := w.LoginMCPServer(t.Context(), "far", confirm)
			if tt.at == "after" {
				if err != nil {
					t.Fatal(err)
				}
				browse(t, l.Address)
				now := settled(t, w, "far")
				if l = now; now.Problem != nil {
					err = now.Problem
				}
			}
			if p, is := errors.AsType[*problem.Problem](err); !is || p.Cause != CauseHost || p.Params["host"] != own || len(s.seen) > 0 {
				t.Errorf("%+v %+v, sent %v", l, err, s.seen)
			}
			// A person who agrees gets in.
			confirm.Confirm = append(confirm.Confirm, own)
			if l, err = w.LoginMCPServer(t.Context(), "far", confirm); err != nil {
				t.Fatal(err)
			}
			browse(t, l.Address)
			if now := settled(t, w, "far"); now.State != LoginDone {
				t.Errorf("%+v", now.Problem)
			}
		})
	}
}
