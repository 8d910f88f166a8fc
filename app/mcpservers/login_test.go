package mcpservers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"piwork/app/problem"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/network/scrub"
)

// signs is a service where one signs in to a server, as the specification has it.
type signs struct {
	*httptest.Server
	far *far

	mu        sync.Mutex
	codes     map[string]string // challenge by code
	valid     map[string]bool   // access tokens
	refresh   string
	issued    int
	lifetime  int    // seconds of a token
	tokenAt   string // another place for tokens
	loginAt   string // another place to sign in
	issuer    string // who it says that it is, in its description
	answers   string // who it says that it is, when the person comes back
	resource  string // whose sign-in the server says that it is
	taken     func(*http.Request)
	pad       string // at the end of each token
	codePad   string // and of each code
	namesSelf bool   // it says in its description that it names itself when the person comes back
	seen      []http.Header
	knows     string // the only program that it takes: its name, a space, its secret
	revokeAt  string // where it takes back what it gave out; "" is nowhere
	revoked   []url.Values
	described string // where the server says that its sign-in is described; "" is the usual place
	fails     int    // what the place of tokens answers; 0 is with tokens
	relay     *signs // whose tokens it gives out, at /relayed/token
}

// signsIn adds a server, and begins to sign in to it.
func (w *world) signsIn(t *testing.T, f *far, s *signs) (Login, error) {
	t.Helper()
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp"}); err != nil {
		t.Fatal(err)
	}
	return w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{strings.TrimPrefix(s.URL, "http://")}})
}

func newSigns(t *testing.T, f *far) *signs {
	t.Helper()
	s := &signs{far: f, codes: map[string]string{}, valid: map[string]bool{}, lifetime: 3600}
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := func(other, path string) string {
			if other != "" {
				return other
			}
			return s.URL + path
		}
		issuer := s.URL
		if s.issuer != "" {
			issuer = s.issuer
		}
		m := map[string]any{"issuer": issuer, "authorization_response_iss_parameter_supported": s.namesSelf, "authorization_endpoint": at(s.loginAt, "/authorize"), "token_endpoint": at(s.tokenAt, "/token"), "registration_endpoint": issuer + "/register",
			"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"}}
		if s.knows != "" {
			delete(m, "registration_endpoint")
			m["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"}
		}
		if s.revokeAt != "" {
			m["revocation_endpoint"] = s.revokeAt
		}
		write(w, m)
	})
	mux.HandleFunc("/taken", func(_ http.ResponseWriter, r *http.Request) { s.taken(r) })
	mux.HandleFunc("POST /relayed/token", func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/relayed", s.relay.Config.Handler).ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		_ = json.NewDecoder(r.Body).Decode(&m)
		m["client_id"] = "client-1"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(m)
	})
	mux.HandleFunc("POST /revoke", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.mu.Lock()
		defer s.mu.Unlock()
		id, secret, _ := r.BasicAuth()
		if s.knows != "" && id+" "+secret != s.knows {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Form.Get("token") == s.refresh {
			s.refresh, s.valid = "", nil
		}
		s.revoked = append(s.revoked, r.Form)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		s.mu.Lock()
		code := fmt.Sprintf("code-%d", len(s.codes)) + s.codePad
		s.codes[code] = q.Get("code_challenge")
		s.mu.Unlock()
		if q.Get("code_challenge_method") != "S256" || q.Get("resource") == "" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		back := url.Values{"code": {code}, "state": {q.Get("state")}}
		if s.answers != "" {
			back.Set("iss", s.answers)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, r.Header.Clone())
		if s.fails != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(s.fails)
			_, _ = io.WriteString(w, `{"error":"no","error_description":"`+s.refresh+`"}`)
			return
		}
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		challenge, known := s.codes[r.Form.Get("code")]
		if id, secret, _ := r.BasicAuth(); s.knows != "" && id+" "+secret != s.knows {
			known = false
		}
		switch {
		case r.Form.Get("grant_type") == "refresh_token" && r.Form.Get("refresh_token") == s.refresh && s.refresh != "":
		case r.Form.Get("grant_type") == "authorization_code" && known && base64.RawURLEncoding.EncodeToString(sum[:]) == challenge:
			delete(s.codes, r.Form.Get("code"))
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
			return
		}
		s.issued++
		access := fmt.Sprintf("access-token-%d", s.issued) + s.pad
		s.refresh = fmt.Sprintf("refresh-token-%d", s.issued)
		s.valid = map[string]bool{access: true}
		write(w, map[string]any{"access_token": access, "token_type": "Bearer", "refresh_token": s.refresh, "expires_in": s.lifetime})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	f.guard = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			resource := f.URL + "/mcp"
			if s.resource != "" {
				resource = s.resource
			}
			write(w, map[string]any{"resource": resource, "authorization_servers": []string{s.URL}})
			return true
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.valid[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
			return false
		}
		described := f.URL + "/.well-known/oauth-protected-resource/mcp"
		if s.described != "" {
			described = s.described
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+described+`"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	return s
}

// browse opens an address as a browser does, and returns the last page.
func browse(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

// settled waits for the end of a sign-in.
func settled(t *testing.T, w *world, name string) Login {
	t.Helper()
	v, err := w.find(name)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	l := w.logins[v.ID]
	w.mu.Unlock()
	if l == nil {
		t.Fatal("there is no sign-in")
	}
	select {
	case <-l.over:
	case <-t.Context().Done():
	case <-time.After(time.Minute):
		t.Fatal("the sign-in does not end")
	}
	now, err := w.MCPServerLogin(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A person signs in: each other host is agreed to first; what signs them in is kept where keys
// are, renewed, sent to the server alone, and forgotten with it. A task signs in to nothing.
func TestLogin(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp", Headers: map[string]string{"X-Key": "s3cr3t-s3cr3t"}}); err != nil {
		t.Fatal(err)
	}
	cause := func(err error, want string) *problem.Problem {
		t.Helper()
		var p *problem.Problem
		if !errors.As(err, &p) || p.Code != problem.CodeMCPServer || p.Cause != want {
			t.Fatalf("%v, not %s", err, want)
		}
		return p
	}
	_, err := w.CheckMCPServer(t.Context(), "far")
	cause(err, "sign-in")
	_, err = w.LoginMCPServer(t.Context(), "far", LoginRequest{})
	p := cause(err, CauseHost)
	host := strings.TrimPrefix(s.URL, "http://")
	if p.Params["host"] != host || len(s.seen) > 0 {
		t.Fatalf("%+v", p)
	}
	l, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{host}})
	if err != nil || l.State != LoginWaiting || !strings.HasPrefix(l.Address, s.URL+"/authorize?") {
		t.Fatalf("%+v %v", l, err)
	}
	if code, page := browse(t, l.Address); code != http.StatusOK || !strings.Contains(page, "back") {
		t.Errorf("%d %s", code, page)
	}
	if l = settled(t, w, "far"); l.State != LoginDone {
		t.Fatalf("%+v", l)
	}
	w.open(t) // it is kept
	v := w.checked(t, "far")
	if !v.SignedIn || len(v.Hosts) != 1 || v.Hosts[0] != host {
		t.Errorf("%+v", v)
	}
	who := &person{}
	if code, a := do(t, w.use(t, who), "far__look", "{}"); code != http.StatusOK {
		t.Errorf("%d %+v", code, a)
	}
	for _, h := range s.seen {
		if h.Get("X-Key") != "" {
			t.Error("the header of the server went to where one signs in")
		}
	}
	kept, err := os.ReadFile(filepath.Join(w.dir, listName))
	if err != nil || strings.Contains(string(kept), "access-token") || strings.Contains(string(kept), "refresh-token") {
		t.Errorf("%s %v", kept, err)
	}

	// The token ends: it is renewed, and what is new is kept.
	s.mu.Lock()
	s.lifetime = 1 // the client takes such a one for ended
	s.mu.Unlock()
	if l, err = w.LoginMCPServer(t.Context(), "far", LoginRequest{}); err != nil {
		t.Fatal(err)
	}
	browse(t, l.Address)
	if settled(t, w, "far").State != LoginDone {
		t.Fatal("the second sign-in failed")
	}
	// Two tasks at once: neither renews with what the other has used.
	one, two := w.use(t, &person{}), w.use(t, &person{})
	for range 2 {
		for _, u := range []*Use{one, two} {
			code, a := do(t, u, "far__look", "{}")
			if code != http.StatusOK || strings.Contains(a.Text, "token") {
				t.Errorf("%d %+v", code, a)
			}
		}
	}
	before := s.issued
	for range 2 {
		if _, err := w.CheckMCPServer(t.Context(), "far"); err != nil {
			t.Fatal(err)
		}
	}
	if s.issued < before+2 {
		t.Errorf("it was renewed %d times", s.issued-before)
	}

	// It is taken back elsewhere: the model hears it, and nobody is signed in.
	s.mu.Lock()
	s.valid, s.refresh = map[string]bool{}, ""
	s.mu.Unlock()
	code, a := do(t, w.use(t, who), "far__look", "{}")
	if code != http.StatusBadGateway || a.Error == nil || strings.Contains(a.Error.Message, "token-") {
		t.Errorf("%d %+v", code, a)
	}
	if l, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || l.State != LoginNone || l.Revoked {
		t.Fatal(l, err)
	}
	if all, _ := w.MCPServers(t.Context()); all[0].SignedIn || len(all[0].Hosts) > 0 {
		t.Errorf("%+v", all[0])
	}
	if err := w.RemoveMCPServer(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	if left, _ := w.secrets.List(t.Context()); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A host that looks like another one is shown as it is: the person does not agree to it for that.
func TestLookalikeHosts(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	s.loginAt = "https://\u0430ccounts.example/authorize" // a Cyrillic а
	_, err := w.signsIn(t, f, s)
	if p, is := errors.AsType[*problem.Problem](err); !is || p.Params["host"] != "xn--ccounts-1fg.example" {
		t.Errorf("%v %+v", err, p)
	}
	for address, want := range map[string]string{
		"https://M\u00fcller.example:443/x": "xn--mller-kva.example", "https://EXAMPLE.org:8443": "example.org:8443", "http://[::1]:80/": "[::1]", "http://[::1]:8080/": "[::1]:8080", "https://a_b.example/": "a_b.example",
		"https://\u202egro.elpmaxe/": `\u202egro.elpmaxe`,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := originOf(u); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// Tokens and codes without an end, and tokens without end, are no way to fill the memory: what is
// looked for in texts takes some thousand times its length.
func TestSignInsAreBounded(t *testing.T) {
	tier.Unraced(t)
	for name, change := range map[string]func(*signs){
		"a token":           func(s *signs) { s.pad = strings.Repeat("x", 16<<10) },
		"a code":            func(s *signs) { s.codePad = strings.Repeat("x", 16<<10) },
		"a token of quotes": func(s *signs) { s.pad = strings.Repeat(`'"`, 3500) }, // HTML has each in five ways
		"a token of bytes":  func(s *signs) { s.pad = "\u00e4\u0446" },
		"a code of quotes":  func(s *signs) { s.codePad = strings.Repeat(`'"`, 3500) },
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newRemote(t, nil)
			f := newFar(t)
			s := newSigns(t, f)
			change(s)
			l, err := w.signsIn(t, f, s)
			if err != nil {
				t.Fatal(err)
			}
			ofCode := strings.HasPrefix(name, "a code")
			if code, _ := browse(t, l.Address); ofCode && code != http.StatusBadRequest {
				t.Errorf("the browser saw %d", code)
			}
			if !ofCode {
				if now := settled(t, w, "far"); now.State != LoginFailed {
					t.Errorf("%+v", now)
				}
			}
		})
	}
	hidden := newSecrets(map[string]string{"X-Key": "s3cr3t-s3cr3t"})
	for i := range 100 {
		l := login{Access: oauth2.Token{AccessToken: fmt.Sprintf("access-token-%d", i), RefreshToken: fmt.Sprintf("refresh-token-%d", i)}, Secret: "client-secret"}
		l.hide(hidden)
	}
	if n := len(hidden.values) + len(hidden.turned); n > 16 {
		t.Errorf("%d are remembered", n)
	}
	if text := hidden.clean("s3cr3t-s3cr3t client-secret access-token-99 refresh-token-98"); strings.ContainsAny(text, "scrtaef") {
		t.Errorf("%s", text)
	}
	// The longest that fit: those of now are found, and of before as many as there is room for.
	size, last := 0, login{}
	for i := range 10 {
		last = login{Access: oauth2.Token{AccessToken: fmt.Sprint(i) + strings.Repeat("aB+/", 2000), RefreshToken: fmt.Sprint(i) + strings.Repeat("cd.~", 200)}}
		if err := last.fits(); err != nil {
			t.Fatal(err)
		}
		last.hide(hidden)
	}
	for _, one := range hidden.turned {
		size += scrub.Size(one)
	}
	if size > maxForms {
		t.Errorf("they take %d states", size)
	}
	if text := hidden.clean(last.Access.AccessToken + last.Access.RefreshToken); strings.Trim(text, "*") != "" {
		t.Errorf("%.40q", text)
	}
}

// What services give out fits.
func TestUsualTokensFit(t *testing.T) {
	for name, l := range map[string]login{
		"a JWT, and what renews it": {Access: oauth2.Token{AccessToken: strings.Repeat("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.", 120), RefreshToken: strings.Repeat("1//0gZ-x_", 120)}},
		"as long as is kept":        {Access: oauth2.Token{AccessToken: strings.Repeat("aZ09-._~+/", 800), RefreshToken: strings.Repeat("aZ09-._~", 300)}},
		"of Salesforce":             {Access: oauth2.Token{AccessToken: "00Dx0000000BV7z!AR8AQP0jITN80ESEsj5EbaZTFG0RNBaT1cyWk7TrqoDjoNIWQ2ME_sTZzBjfmOE6zMHq6y8PIW4eWze9JksNEkWUl.Cju7m4", RefreshToken: "5Aep8614iLM.Dq661ePDmPEgaAW9Oh_L3JKkDpB4xReb54_pZebnUG0h6Sb4KUVDpNtWEofWM39yg=="}},
		"of Laravel":                {Access: oauth2.Token{AccessToken: "12|laravel_sanctum_W0pnHoYbbrIGTBOXjCyHvCxLrMlpgmPA6KYPJbIw"}},
		"of Asana":                  {Access: oauth2.Token{AccessToken: "2/1200000000000/1200000000001:0123456789abcdef0123456789abcdef"}},
		"with a secret":             {Access: oauth2.Token{AccessToken: "gho_16C7e42F292c6912E7710c838347Ae178B4a"}, Secret: `p"a's<s>&w{o}r%d`},
	} {
		if err := l.fits(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What runs does not go on with a sign-in that the person ended, nor as whom they were before.
func TestLogoutEndsWhatRuns(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp"}); err != nil {
		t.Fatal(err)
	}
	signIn := func() {
		t.Helper()
		l, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{strings.TrimPrefix(s.URL, "http://")}})
		if err != nil {
			t.Fatal(err)
		}
		if browse(t, l.Address); settled(t, w, "far").State != LoginDone {
			t.Fatal("the sign-in failed")
		}
	}
	signIn()
	w.checked(t, "far")
	u := w.use(t, &person{})
	if code, a := do(t, u, "far__look", "{}"); code != http.StatusOK {
		t.Fatalf("%d %+v", code, a)
	}
	if _, err := w.LogoutMCPServer(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	sent := func() (out []string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, h := range f.heads {
			if a := h.Get("Authorization"); a != "" {
				out = append(out, a)
			}
		}
		f.heads = nil
		return out
	}
	sent()
	if code, a := do(t, u, "far__look", "{}"); code == http.StatusOK || len(sent()) > 0 {
		t.Errorf("a task goes on as the person: %d %+v", code, a)
	}
	signIn()
	sent()
	if code, a := do(t, u, "far__look", "{}"); code != http.StatusOK {
		t.Errorf("%d %+v", code, a)
	}
	for _, a := range sent() {
		if a != "Bearer access-token-2" {
			t.Errorf("sent %s", a)
		}
	}
}

// Sign-ins that are forged, declined, or given up.
func TestLoginAttacks(t *testing.T) {
	start := func(t *testing.T, change func(*signs)) (*world, Login, error) {
		w, o := newRemote(t, map[string]string{"rebound.example": "127.0.0.1"})
		f := newFar(t)
		s := newSigns(t, f)
		change(s)
		l, err := w.signsIn(t, f, s)
		t.Cleanup(func() {
			for _, at := range o.dialled {
				if at != strings.TrimPrefix(f.URL, "http://") && at != strings.TrimPrefix(s.URL, "http://") {
					t.Errorf("%s was dialled", at)
				}
			}
		})
		return w, l, err
	}
	for name, change := range map[string]func(*signs){
		"to sign in elsewhere":             func(s *signs) { s.loginAt = "https://evil.example/authorize" },
		"to run a script":                  func(s *signs) { s.loginAt = "javascript:alert(1)//" },
		"to a file":                        func(s *signs) { s.loginAt = "file:///etc/passwd" },
		"without https":                    func(s *signs) { s.loginAt = "http://evil.example/authorize" },
		"metadata of a cloud":              func(s *signs) { s.loginAt = "http://169.254.169.254/latest" },
		"a name that leads to the inside":  func(s *signs) { s.loginAt = "https://rebound.example/authorize" },
		"an address that no browser opens": func(s *signs) { s.loginAt = s.URL + "/authorize?x=" + strings.Repeat("x", 64<<10) },
		"as another program":               func(s *signs) { s.loginAt = s.URL + "/authorize?client_id=theirs" },
		"for what is another server's":     func(s *signs) { s.loginAt = s.URL + "/authorize?resource=https%3A%2F%2Fbank.example" },
		"with another's name":              func(s *signs) { s.issuer = "https://bank.example" },
	} {
		t.Run(name, func(t *testing.T) {
			_, l, err := start(t, change)
			if err == nil || l.Address != "" {
				t.Errorf("%+v", l)
			}
		})
	}
	t.Run("the token elsewhere", func(t *testing.T) {
		w, l, err := start(t, func(s *signs) { s.tokenAt = "https://evil.example/token" })
		if err != nil {
			t.Fatal(err)
		}
		browse(t, l.Address)
		if got := settled(t, w, "far"); got.State != LoginFailed || got.Problem.Params["host"] != "evil.example" {
			t.Errorf("%+v %+v", got, got.Problem)
		}
	})
	back := func(l Login, state, code string) string {
		u, _ := url.Parse(l.Address)
		return u.Query().Get("redirect_uri") + "?" + url.Values{"state": {state}, "code": {code}}.Encode()
	}
	t.Run("another browser comes back", func(t *testing.T) {
		w, l, err := start(t, func(*signs) {})
		if err != nil {
			t.Fatal(err)
		}
		if code, _ := browse(t, back(l, "forged", "code-0")); code != http.StatusBadRequest {
			t.Errorf("%d", code)
		}
		browse(t, l.Address) // it takes nothing from the person's
		if got := settled(t, w, "far"); got.State != LoginDone {
			t.Errorf("%+v", got)
		}
	})
	for name, change := range map[string]func(*signs){
		"another one answers":                  func(s *signs) { s.namesSelf, s.answers = true, "https://evil.example" },
		"another one answers without being to": func(s *signs) { s.answers = "https://evil.example" },
		"nobody says who answers":              func(s *signs) { s.namesSelf = true },
	} {
		t.Run(name, func(t *testing.T) {
			w, l, err := start(t, change)
			if err != nil {
				t.Fatal(err)
			}
			browse(t, l.Address)
			if got := settled(t, w, "far"); got.State != LoginFailed {
				t.Errorf("%+v", got)
			}
			if left, _ := w.secrets.List(t.Context()); len(left) > 0 {
				t.Errorf("%v are kept", left)
			}
		})
	}
	t.Run("for another server", func(t *testing.T) {
		_, l, err := start(t, func(s *signs) { s.resource = "https://bank.example/mcp" })
		if u, _ := url.Parse(l.Address); err == nil && strings.Contains(u.Query().Get("resource"), "bank") {
			t.Errorf("one signs in for %s", l.Address)
		}
	})
	t.Run("what signs in is led to another host, which was agreed to", func(t *testing.T) {
		var s *signs
		w, l, err := start(t, func(made *signs) { s = made })
		if err != nil {
			t.Fatal(err)
		}
		browse(t, l.Address)
		if got := settled(t, w, "far"); got.State != LoginDone {
			t.Fatalf("%+v", got)
		}
		v, _ := w.find("far")
		took := make(chan string, 8)
		s.far.guard = func(rw http.ResponseWriter, r *http.Request) bool {
			http.Redirect(rw, r, "http://"+v.Hosts[0]+"/taken", http.StatusTemporaryRedirect)
			return true
		}
		s.taken = func(r *http.Request) { took <- r.Header.Get("Authorization") }
		if _, err := w.CheckMCPServer(t.Context(), "far"); err == nil {
			t.Error("it was followed")
		}
		if len(took) > 0 {
			t.Errorf("it came with %q", <-took)
		}
	})
	t.Run("somebody knocks", func(t *testing.T) {
		w, l, err := start(t, func(*signs) {})
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(back(l, "", ""))
		if code, _ := browse(t, u.Scheme+"://"+u.Host+"/"); code != http.StatusNotFound {
			t.Errorf("%d", code)
		}
		if code, _ := browse(t, back(l, "", "")); code != http.StatusBadRequest {
			t.Errorf("%d", code)
		}
		browse(t, l.Address)
		if got := settled(t, w, "far"); got.State != LoginDone {
			t.Errorf("%+v", got)
		}
	})
	t.Run("declined", func(t *testing.T) {
		w, l, err := start(t, func(*signs) {})
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(l.Address)
		browse(t, strings.Replace(back(l, u.Query().Get("state"), ""), "code=", "error=access_denied", 1))
		if got := settled(t, w, "far"); got.State != LoginFailed || got.Problem.Cause != "declined" {
			t.Errorf("%+v %+v", got, got.Problem)
		}
	})
	t.Run("given up", func(t *testing.T) {
		w, l, err := start(t, func(*signs) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.LogoutMCPServer(t.Context(), "far"); err != nil {
			t.Fatal(err)
		}
		w.Servers.Close()
		if _, err := net.DialTimeout("tcp", strings.Split(strings.TrimPrefix(back(l, "", ""), "http://"), "/")[0], time.Second); err == nil {
			t.Error("somebody still waits for the browser")
		}
	})
}
