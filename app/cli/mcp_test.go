//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/cli/flags"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
)

// An assistant speaks over the standard streams, a message a line, and nothing else is written
// there.
func TestMCP(t *testing.T) {
	f, _ := inBackground(t)
	dir := memdir.Disk(t) // no task may have a folder of /dev
	in, typed := io.Pipe()
	said, out := io.Pipe()
	var errs bytes.Buffer
	end := make(chan int, 1)
	go func() {
		end <- run(t.Context(), []string{"mcp", "--folder", dir + ":rw", "--network", "restricted"}, Options{Stdin: in, Stdout: out, Stderr: &errs, Open: f.held})
		out.Close()
	}()
	answers := bufio.NewScanner(said)
	answers.Buffer(nil, 1<<20)
	for _, tt := range []struct{ send, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "may be changed"},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_tasks","arguments":{}}}`, `"tasks":[]`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask_ai","arguments":{"text":"x"}}}`, "unknown tool"},
	} {
		if _, err := io.WriteString(typed, tt.send+"\n"); err != nil {
			t.Fatal(err)
		}
		if tt.want != "" && (!answers.Scan() || !json.Valid(answers.Bytes()) || !strings.Contains(answers.Text(), tt.want)) {
			t.Errorf("%s: %q", tt.send, answers.Text())
		}
	}
	typed.Close()
	for answers.Scan() {
		t.Errorf("written: %q", answers.Text())
	}
	if code := <-end; code != 0 || errs.Len() > 0 {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	for name, args := range map[string][]string{
		"no such folder": {"--folder", dir + "/none"}, "an argument": {"x"}, "not here": {"--http", "192.0.2.1:0"}, "no address": {"--http", "x"}, "no network": {"--network", "off-line"}, "no amount": {"--budget", "much"},
		"no certificate": {"--http", "127.0.0.1:0", "--cert", "none.pem", "--key", "none.pem"}, "no address for it": {"--cert", "a.pem", "--key", "a.pem"},
	} {
		code := run(t.Context(), append([]string{"mcp"}, args...), Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Open: f.held})
		if code != 2 {
			t.Errorf("%s: exit %d", name, code)
		}
	}
	if got := f.Started(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if all, err := f.FindTasks(t.Context(), task.Filter{}); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// What an assistant starts works where PIWORK_RUNTIME says, as what a person starts.
func TestMCPInThePlaceOfTheEnvironment(t *testing.T) {
	f, _ := inBackground(t)
	t.Setenv(flags.EnvRuntime, "sandbox")
	in, typed := io.Pipe()
	said, out := io.Pipe()
	go func() {
		run(t.Context(), []string{"mcp"}, Options{Stdin: in, Stdout: out, Stderr: io.Discard, Open: f.held})
		out.Close()
	}()
	answers := bufio.NewScanner(said)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"true"}}}`,
	} {
		if _, err := io.WriteString(typed, line+"\n"); err != nil || !answers.Scan() {
			t.Fatal(err)
		}
	}
	typed.Close()
	for answers.Scan() {
	}
	if got := f.Started(); len(got) != 1 || got[0].Runtime != "sandbox" {
		t.Errorf("%+v", got)
	}
}

// Over HTTP it says where, and with which token; with TLS there is none of the person.
func TestMCPOverHTTP(t *testing.T) {
	secure := httptest.NewTLSServer(nil) // has a certificate
	defer secure.Close()
	pair := secure.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "both.pem")
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	for scheme, more := range map[string][]string{"http": nil, "https": {"--cert", file, "--key", file}} {
		t.Run(scheme, func(t *testing.T) {
			f, _ := inBackground(t)
			in, out := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			end := make(chan int, 1)
			go func() {
				end <- run(ctx, append([]string{"mcp", "--http", "127.0.0.1:0", "--json"}, more...), Options{Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard, Open: f.held})
				out.Close()
			}()
			var where struct{ URL, Token string }
			if err := json.NewDecoder(in).Decode(&where); err != nil || (more == nil) != (len(where.Token) >= 40) || more != nil && where.Token != "" || !strings.HasPrefix(where.URL, scheme+"://") {
				t.Fatalf("%+v %v", where, err)
			}
			res, err := secure.Client().Post(where.URL, "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusUnauthorized {
				t.Error(res.Status)
			}
			cancel()
			_, _ = io.Copy(io.Discard, in)
			if code := <-end; code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}
