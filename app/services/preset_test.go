package services

import (
	"io"
	"net"
	"strings"
	"testing"

	"piwork/vmhost/network/inspect"
)

// connect answers a CONNECT and carries both ways.
func connect(t *testing.T, c net.Conn, to string) {
	t.Helper()
	defer c.Close()
	up, err := net.Dial("tcp", to)
	if err != nil {
		t.Error(err)
		return
	}
	defer up.Close()
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() { io.Copy(up, c); up.Close() }()
	io.Copy(c, up)
}

// What the presets let a task do with the person's token, and what not.
func TestPresetsAllowWhatTheySay(t *testing.T) {
	for _, row := range []struct {
		preset, host, request string
		allowed               bool
	}{
		{"github", "api.github.com", "GET /user", true},
		{"github", "api.github.com", "GET /repos/a/b/contents/c", true},
		{"github", "api.github.com", "POST /repos/a/b/issues", false},
		{"github", "api.github.com", "POST /graphql", false},
		{"github", "api.github.com", "DELETE /repos/a/b", false},
		{"github", "github.com", "GET /a/b.git/info/refs", true},
		{"github", "github.com", "POST /a/b.git/git-upload-pack", true},
		{"github", "github.com", "POST /a/b.git/git-receive-pack", false},
		{"github-write", "github.com", "POST /a/b.git/git-receive-pack", true},
		{"github-write", "api.github.com", "POST /repos/a/b/issues", true},
		{"github-write", "api.github.com", "PUT /repos/a/b/pulls/1/merge", true},
		{"github-write", "api.github.com", "PUT /repos/a/b/contents/d/e", true},
		{"github-write", "api.github.com", "PATCH /repos/a/b/git/refs/heads/c", true},
		{"github-write", "api.github.com", "POST /repos/a/b/releases", true},
		{"github-write", "api.github.com", "POST /repos/a/b/statuses/c", true},
		{"github-write", "api.github.com", "PATCH /repos/a/b/check-runs/1", true},
		{"github-write", "api.github.com", "DELETE /repos/a/b/releases/1", false},
		{"github-write", "api.github.com", "DELETE /repos/a/b", false},
		{"github-write", "api.github.com", "PATCH /repos/a/b", false},
		{"github-write", "api.github.com", "POST /repos/a/b/keys", false},
		{"github-write", "api.github.com", "POST /repos/a/b/hooks", false},
		{"github-write", "api.github.com", "PUT /repos/a/b/actions/secrets/c", false},
		{"github-write", "api.github.com", "PUT /repos/a/b/collaborators/c", false},
		{"github-write", "api.github.com", "POST /user/keys", false},
		{"github-write", "api.github.com", "POST /graphql", false},
		{"npm", "registry.npmjs.org", "GET /left-pad", true},
		{"npm", "registry.npmjs.org", "GET /@types%2fnode", true},
		{"npm", "registry.npmjs.org", "GET /@types%2Fnode", true},
		{"npm", "registry.npmjs.org", "GET /@types/node/-/node-1.tgz", true},
		{"npm", "registry.npmjs.org", "POST /-/npm/v1/security/advisories/bulk", true},
		{"npm", "registry.npmjs.org", "PUT /left-pad", false},
		{"npm", "registry.npmjs.org", "POST /-/npm/v1/tokens", false},
		{"pypi-upload", "upload.pypi.org", "POST /legacy/", true},
		{"pypi-upload", "upload.pypi.org", "GET /legacy/", false},
	} {
		p, ok := FindPreset(row.preset)
		if !ok {
			t.Fatal(row.preset)
		}
		found := false
		for _, h := range p.Hosts {
			if h.Host != row.host {
				continue
			}
			rules, err := inspect.ParseRules(h.Rules)
			if err != nil {
				t.Fatal(err)
			}
			method, raw, _ := strings.Cut(row.request, " ")
			path, err := inspect.ParsePath(raw)
			if err != nil {
				t.Fatal(err)
			}
			found = true
			if allowed, reason := inspect.Decide(rules, method, path); allowed != row.allowed {
				t.Errorf("%s: %s to %s: %v, %s", row.preset, row.request, row.host, allowed, reason)
			}
		}
		if !found {
			t.Errorf("%s has no %s", row.preset, row.host)
		}
	}
}
