package inspect

import (
	"net/url"
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	for _, good := range []string{"/", "/a", "/a/", "/a/b.git/info/refs", "/@scope%2fname", "/a%20b"[:2] + "%C3%A4", "/%E2%82%AC", "/a:b@c", "/(a)'b'*", "/.git", "/..a", "/a..", "/~a"} {
		if p, err := ParsePath(good); err != nil || p.String() != good {
			t.Errorf("%q: %q, %v", good, p, err)
		}
	}
	for name, bad := range map[string]string{
		"empty": "", "no slash": "a", "an address": "http://example.org/a", "a star": "*", "another host": "//example.org/a",
		"up": "/a/../b", "up at the end": "/a/..", "up, escaped": "/a/%2e%2e/b", "up, half escaped": "/a/.%2E/b", "here": "/a/./b",
		"up behind an escaped slash": "/a%2f..%2fb", "up behind an escaped slash at the end": "/a%2f..",
		"two slashes": "/a//b", "two slashes at the end": "/a//", "an escaped slash in front": "/%2fa", "an escaped slash at the end": "/a%2f", "two escaped ones": "/a%2f%2fb",
		"a parameter": "/a;b/c", "a parameter, escaped": "/a%3bb", "a parameter and up": "/a/..;/b",
		"a backslash": `/a\b`, "a backslash, escaped": "/a%5cb", "escaped twice": "/a%252fb", "an escaped percent sign": "/a%25b",
		"a question mark, escaped": "/a%3fb", "a fragment": "/a#b", "a fragment, escaped": "/a%23b",
		"a NUL": "/a%00b", "a line": "/a%0d%0ab", "a tab": "/a%09b", "a space": "/a%20b", "delete": "/a%7f", "a control of Latin-1": "/%c2%85",
		"no escape": "/a%", "half an escape": "/a%2", "a wrong escape": "/a%zz", "no UTF-8": "/%ff", "overlong": "/%c0%af",
		"bytes that are escaped on the way": `/@a%2fb"`, "not ASCII": "/ä", "long": "/" + strings.Repeat("a", maxPath), "deep": strings.Repeat("/a", maxSegments+1),
	} {
		if p, err := ParsePath(bad); err == nil {
			t.Errorf("%s: %q is read as %q", name, bad, p.segments)
		}
	}
}

func TestRulesDecide(t *testing.T) {
	rules, err := ParseRules([]string{
		"refuse DELETE,PUT /repos/**", "refuse * /admin", "allow get,post /repos/*/*/issues/**", "allow GET /files/*.txt", "allow GET /@*%2f*", "allow * /open/**", "allow GET /",
	})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"GET /repos/a/b/issues":      "",
		"GET /repos/a/b/issues/1/x":  "",
		"POST /repos/a/b/issues":     "",
		"HEAD /repos/a/b/issues":     "",
		"GET /repos/a/b":             ReasonNoRule,
		"GET /repos/a/b/c/issues":    ReasonNoRule,
		"GET /REPOS/a/b/issues":      ReasonNoRule,
		"PATCH /repos/a/b/issues":    ReasonNoRule,
		"DELETE /repos/a/b/issues":   ReasonRule,
		"DELETE /Repos/a":            ReasonRule,
		"DELETE /repos":              ReasonRule,
		"DELETE /repos/":             ReasonRule,
		"DELETE /repos%2fa":          ReasonRule,
		"PUT /repos/a%2fb/c":         ReasonRule,
		"GET /admin":                 ReasonRule,
		"GET /admin/":                ReasonRule,
		"GET /ADMIN":                 ReasonRule,
		"GET /files/a.txt":           "",
		"GET /files/.txt":            "",
		"GET /files/a.txt.exe":       ReasonNoRule,
		"GET /files/a/b.txt":         ReasonNoRule,
		"GET /files/a%2fb.txt":       ReasonNoRule,
		"GET /files/a.txt/":          ReasonNoRule,
		"GET /@types%2fnode":         "",
		"GET /@types%2fnode%2fmore":  ReasonNoRule,
		"GET /@types/node":           ReasonNoRule,
		"GET /open/anything/at/all":  "",
		"DELETE /open":               "",
		"GET /open/with%2fslash":     ReasonNoRule,
		"GET /open/a/with%2fslash/b": ReasonNoRule,
		"GET /openly":                ReasonNoRule,
		"GET /":                      "",
		"OPTIONS /":                  ReasonNoRule,
		"HEAD /open/x":               "",
		"GET /repos/a/b/issues%2f1":  ReasonNoRule,
		"GET /repos/a/b/ISSUES":      ReasonNoRule,
		"GET /repos/%61/%62/issues":  "",
		"DELETE /%72epos/a":          ReasonRule,
		"GET /repos/a/b/issues/":     "",
		"POST /files/a.txt":          ReasonNoRule,
		"PROPFIND /open/x":           "",
		"DELETE /x/repos/a":          ReasonNoRule,
		"GET /files/" + strings.Repeat("a", 4000) + ".txt": "",
	} {
		method, raw, _ := strings.Cut(request, " ")
		path, err := ParsePath(raw)
		if err != nil {
			t.Fatal(request, err)
		}
		if allowed, reason := Decide(rules, method, path); reason != want || allowed != (want == "") {
			t.Errorf("%s: %v, %q; want %q", request, allowed, reason, want)
		}
	}
}

func TestRulesAreReadAsWritten(t *testing.T) {
	for _, good := range []string{"allow * /**", "refuse GET,POST /a/*/b", "allow M-SEARCH /"} {
		if r, err := ParseRule(good); err != nil || r.String() != good {
			t.Errorf("%q: %q, %v", good, r, err)
		}
	}
	for _, bad := range []string{"", "allow", "allow GET", "GET /a", "permit GET /a", "allow GET a", "allow TRACE /", "allow CONNECT /", "allow GE_T /", "allow GET, /", "allow GET /a extra", "allow GET /../a", "allow GET /" + strings.Repeat("a", maxPattern)} {
		if r, err := ParseRule(bad); err == nil {
			t.Errorf("%q is read as %q", bad, r)
		}
	}
}

// FuzzPath: what is read is sent on as it came and means the same to Go's own parser; a rule
// that refuses all of it does, whatever its case.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/", "/a/b", "/@a%2fb", "/a/%2e%2e/b", "/a;b", "//a", "/%c3%a4/*", `/a"b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := ParsePath(raw)
		if err != nil {
			return
		}
		u, err := url.ParseRequestURI(raw)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		sent := (&url.URL{Scheme: "https", Host: "h", Path: u.Path, RawPath: raw}).EscapedPath()
		if sent != raw || u.Path != "/"+strings.Join(p.segments, "/") {
			t.Fatalf("%q is sent as %q, read as %q", raw, sent, p.segments)
		}
		for _, s := range strings.Split(u.Path, "/") {
			if s == "." || s == ".." || strings.ContainsAny(s, "\\;%\x00\r\n") {
				t.Fatalf("%q has %q", raw, s)
			}
		}
		refuse, err := ParseRule("refuse * /**")
		if err != nil {
			t.Fatal(err)
		}
		if !refuse.about("GET", p) {
			t.Fatalf("%q is not refused", raw)
		}
		if own, err := ParsePattern(raw); err == nil && !own.matches(p, true) {
			t.Fatalf("%q is not about itself", raw)
		}
		up, err := ParsePath(strings.ToUpper(raw))
		if own, perr := ParsePattern(raw); err == nil && perr == nil && up.raw == strings.ToUpper(raw) && isASCII(raw) && !strings.Contains(raw, "%") && !own.matches(up, true) {
			t.Fatalf("%q in capitals is not refused", raw)
		}
	})
}

func isASCII(s string) bool { return strings.Trim(s, sendable) == "" }
