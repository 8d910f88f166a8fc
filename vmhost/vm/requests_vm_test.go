//go:build vm && linux

package vm

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/network/scrub"
)

// tokenOfTask is what must not be in the machine; the marker is what the guest computes, so
// that a search which does not find it there would not find the token either.
const (
	tokenOfTask   = "ghp_5c1f0e9a7d3b4286vwxyz"
	memoryMarker  = "marked-in-memory-622553"
	leaveInMemory = `node -e "global.x = 'marked-in-memory-' + 617*1009; setTimeout(() => {}, 600000)" >/dev/null 2>&1 & sleep 1; mkdir -p /work/x; echo marked-in-memory-$((617*1009)) > /work/x/marker`
)

// servers are some of the world: an API, git over HTTP, and another host, each with a
// certificate of the world's own authority.
type servers struct {
	roots *x509.CertPool
	front *httptest.Server

	mu  sync.Mutex
	got []string // method, host, path and authorization
}

func newServers(t *testing.T, repository string) *servers {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the world"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{"api.example.org", "git.example.org", "other.example.org"}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	own, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s := &servers{roots: x509.NewCertPool()}
	s.roots.AddCert(own)
	files := http.FileServer(http.Dir(repository))
	s.front = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.got = append(s.got, r.Method+" "+r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
		s.mu.Unlock()
		switch r.Host {
		case "git.example.org":
			if user, password, _ := r.BasicAuth(); user != "me" || password != tokenOfTask {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			files.ServeHTTP(w, r)
		case "api.example.org":
			w.Header().Set("X-Echo", r.Header.Get("Authorization"))
			fmt.Fprintf(w, "%s %s with %s", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		default:
			fmt.Fprint(w, "another host")
		}
	}))
	s.front.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.front.StartTLS()
	t.Cleanup(s.front.Close)
	return s
}

// fingerprint is that of the world's certificate, as Node shows it.
func (s *servers) fingerprint() string {
	sum := sha256.Sum256(s.front.TLS.Certificates[0].Certificate[0])
	var out []string
	for _, b := range sum {
		out = append(out, strings.ToUpper(hex.EncodeToString([]byte{b})))
	}
	return strings.Join(out, ":")
}

// newRepository makes one that any web server can serve.
func newRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, words := range []string{
		"init -q work", "-C work config user.email a@example.org", "-C work config user.name a", "-C work commit -q --allow-empty -m first", "clone -q --bare work repo.git", "-C repo.git update-server-info",
	} {
		cmd := exec.Command("git", strings.Fields(words)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", words, err, out)
		}
	}
	return dir
}

// Programs inside reach a named host with the secret put in, which is nowhere in their
// machine; another host stays end to end.
func TestRequestsForReal(t *testing.T) {
	f := realFactory(t)
	world := newServers(t, newRepository(t))
	rules := func(list ...string) []inspect.Rule {
		out, err := inspect.ParseRules(list)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	put := func(value string) func() (inspect.Credential, bool) {
		return func() (inspect.Credential, bool) {
			return inspect.Credential{Header: "Authorization", Value: value, Scrub: scrub.New(tokenOfTask)}, true
		}
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+tokenOfTask))
	allowed, err := policy.ParseRules([]string{"api.example.org:443", "git.example.org:443", "other.example.org"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var recorded []inspect.Request
	n, err := network.New(network.Config{
		Policy: vmhost.NetworkRestricted, Rules: allowed, Resolver: oneAddress{}, Proxy: func(*url.URL) (*url.URL, error) { return nil, nil },
		Dial: func(ctx context.Context, network, to string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, world.front.Listener.Addr().String())
			if err != nil {
				return nil, err
			}
			return &elsewhere{c.(*net.TCPConn), net.TCPAddrFromAddrPort(netip.MustParseAddrPort(to))}, nil
		},
		Inspect: &inspect.Config{
			Roots: world.roots,
			Sites: []inspect.Site{
				{Service: "api", Host: "api.example.org", Rules: rules("refuse DELETE /**", "allow * /repos/**"), Credential: put("Bearer " + tokenOfTask)},
				{Service: "git", Host: "git.example.org", Rules: rules("allow GET /**"), Credential: put(basic)},
			},
			OnRequest: func(r inspect.Request) { mu.Lock(); recorded = append(recorded, r); mu.Unlock() },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	g := n.Guest()
	v := linkedVM(t, f, HowRestored, func(c *Config) {
		c.Env.Network = vmhost.NetworkRestricted
		c.NIC = &NIC{Serve: n.Serve, MAC: g.MAC, Address: g.Address, Gateway: g.Gateway, DNS: g.DNS, MTU: g.MTU, Authority: g.Authority}
	})
	shown := "Bearer " + strings.Repeat("*", len(tokenOfTask))
	node := func(script string) string { return "node -e '" + script + "'" }
	for name, row := range map[string]struct{ script, want string }{
		"Node":    {node(`fetch("https://api.example.org/repos/a", {headers: {Authorization: "mine"}}).then(async r => console.log(r.status, await r.text(), r.headers.get("x-echo")))`), "200 GET /repos/a with " + shown + " " + shown},
		"a rule":  {node(`fetch("https://api.example.org/repos/a", {method: "DELETE"}).then(r => console.log(r.status, r.headers.get("x-piwork-refused")))`), "403 rule"},
		"no rule": {node(`fetch("https://api.example.org/user").then(r => console.log(r.status, r.headers.get("x-piwork-refused")))`), "403 no-rule"},
		"Python": {`python3 -c '
import urllib.request as u
print(u.urlopen("https://api.example.org/repos/a").read().decode())'`, "GET /repos/a with " + shown},
		"git": {"cd /work && git clone -q https://git.example.org/repo.git cloned && git -C cloned log --format=%s", "first"},
		"OpenSSL's own files": {`python3 -c '
import ssl, os, urllib.request as u
c = ssl.create_default_context(cafile="/etc/ssl/certs/ca-certificates.crt")
print(u.urlopen("https://api.example.org/repos/b", context=c).read().decode())'`, "GET /repos/b with " + shown},
		"another host is who it is":    {node(`const s = require("tls").connect(443, "other.example.org", {servername: "other.example.org", rejectUnauthorized: false}, () => { console.log(s.authorized, s.getPeerCertificate().fingerprint256); s.destroy() })`), "false " + world.fingerprint()},
		"another host is not believed": {node(`fetch("https://other.example.org/").then(r => console.log(r.status), e => console.log(e.cause.code))`), "DEPTH_ZERO_SELF_SIGNED_CERT"},
	} {
		if got := shell(t, v, row.script); got != row.want {
			t.Errorf("%s: %q, not %q", name, got, row.want)
		}
	}
	world.mu.Lock()
	for _, got := range world.got {
		if strings.HasPrefix(got, "DELETE") || strings.Contains(got, "/user ") || strings.Contains(got, "mine") || strings.Contains(got, "api.example.org") && !strings.HasSuffix(got, " Bearer "+tokenOfTask) {
			t.Errorf("a server got %q", got)
		}
	}
	world.mu.Unlock()
	mu.Lock()
	if len(recorded) < 6 {
		t.Errorf("recorded: %+v", recorded)
	}
	mu.Unlock()

	// The secret is nowhere in the machine: not in its files, environments, or memory.
	shell(t, v, leaveInMemory)
	found := shell(t, v, `for form in "$(printf %s_%s ghp 5c1f0e9a7d3b4286)" Z2hwXzVjMWYwZTlh; do grep -rlsF "$form" /etc /home /work /tmp /var /run /dev/shm --exclude-dir=proc 2>/dev/null | head; cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -F "$form" | grep -v '^form='; done; true`)
	if found != "" {
		t.Errorf("in the machine: %q", found)
	}
	marked, leaked := inMemory(t, v.PID())
	if !marked {
		t.Error("the memory of the machine was not searched: its marker is not there")
	}
	if leaked != "" {
		t.Errorf("the memory of the machine has the secret %s", leaked)
	}
	dir := v.cfg.Dir
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := v.Close(ctx); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(tokenOfTask)) {
			t.Errorf("%s has the secret", file)
		}
	}
}

// inMemory looks for the marker and the token in all memory of a process.
func inMemory(t *testing.T, pid int) (marked bool, leaked string) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	forms := map[string][]byte{"as it is": []byte(tokenOfTask), "in base64": []byte(base64.StdEncoding.EncodeToString([]byte("me:" + tokenOfTask))[:28]), "in hexadecimal": []byte(hex.EncodeToString([]byte(tokenOfTask)))}
	const overlap = 128
	buf := make([]byte, 4<<20)
	total := int64(0)
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasPrefix(mode, "r") {
			continue
		}
		for at := from; at < to; at += int64(len(buf) - overlap) {
			n, err := mem.ReadAt(buf[:min(int64(len(buf)), to-at)], at)
			if err != nil && !errors.Is(err, io.EOF) && n == 0 {
				break // of a device
			}
			total += int64(n)
			marked = marked || bytes.Contains(buf[:n], []byte(memoryMarker))
			for name, form := range forms {
				if bytes.Contains(buf[:n], form) {
					leaked = name
				}
			}
		}
	}
	t.Logf("searched %d MiB of memory", total>>20)
	return marked, leaked
}
