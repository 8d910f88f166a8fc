package update

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority issues certificates for tests.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	File string // PEM
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1000 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, key: key, File: filepath.Join(t.TempDir(), "ca.pem")}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.File, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// server is the configuration of a server with a certificate that ends after a
// while.
func (a *authority) server(valid time.Duration, names ...string) *tls.Config {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, DNSNames: names,
		NotBefore: time.Now().Add(-10 * time.Hour), NotAfter: time.Now().Add(valid),
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// Whom we believe to be whom they say.
func TestTLS(t *testing.T) {
	arch := newArchive(20, 5)
	good := content(arch.data, `"1"`)
	tests := []struct {
		name   string
		trust  bool
		server func(*authority) *tls.Config
		plain  bool // the server speaks no TLS
		want   Code
		issuer string
	}{
		{name: "own authority", trust: true, server: func(a *authority) *tls.Config { return a.server(time.Hour, "m0.test") }},
		{name: "unknown authority", server: func(a *authority) *tls.Config { return a.server(time.Hour, "m0.test") }, want: CodeTLSUntrusted, issuer: "Corp Inspection CA"},
		{name: "ended", trust: true, server: func(a *authority) *tls.Config { return a.server(-time.Hour, "m0.test") }, want: CodeTLSInvalid, issuer: "Corp Inspection CA"},
		{name: "of another", trust: true, server: func(a *authority) *tls.Config { return a.server(time.Hour, "m9.test") }, want: CodeTLSInvalid, issuer: "Corp Inspection CA"},
		{name: "old TLS", trust: true, server: func(a *authority) *tls.Config {
			c := a.server(time.Hour, "m0.test")
			c.MaxVersion = tls.VersionTLS11
			return c
		}, want: CodeBadAnswer},
		{name: "no TLS", trust: true, plain: true, server: func(*authority) *tls.Config { return nil }, want: CodeBadAnswer},
	}
	for _, tt := range tests {
		run(t, tt.name, func(t *testing.T, w *world) {
			ca := newAuthority(t, "Corp Inspection CA")
			srv := w.serve("m0.test:443", good, tt.server(ca))
			o := Options{Mirrors: []string{"https://m0.test"}}
			if tt.trust {
				o.CAFiles = []string{ca.File}
			}
			s := arch.store()
			err := w.client(o).get(t.Context(), "x", arch.length(), s, nil)
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if err == nil {
				return
			}
			if e := err.(*Error); e.Issuer != tt.issuer || e.Server != "m0.test" {
				t.Errorf("issuer %q, server %q", e.Issuer, e.Server)
			}
			if srv.requests.Load() > 0 && !tt.plain {
				t.Error("a request reached the server")
			}
		})
	}
}

// An authority may be given as Windows exports it.
func TestDER(t *testing.T) {
	run(t, "", func(t *testing.T, w *world) {
		ca := newAuthority(t, "CA")
		w.serve("m0.test:443", content([]byte("x"), ""), ca.server(time.Hour, "m0.test"))
		file := filepath.Join(t.TempDir(), "ca.cer")
		if err := os.WriteFile(file, ca.cert.Raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.client(Options{Mirrors: []string{"https://m0.test"}, CAFiles: []string{file}}).Fetch(t.Context(), "x", 10); err != nil {
			t.Error(err)
		}
	})
}

// An https address never leads to an http one.
func TestNoDowngrade(t *testing.T) {
	arch := newArchive(3, 6)
	run(t, "", func(t *testing.T, w *world) {
		ca := newAuthority(t, "CA")
		w.serve("m0.test:443", http.RedirectHandler("http://m1.test/x", 302), ca.server(time.Hour, "m0.test"))
		open := w.serve("m1.test:80", content(arch.data, ""), nil)
		c := w.client(Options{Mirrors: []string{"https://m0.test"}, CAFiles: []string{ca.File}})
		err := c.get(t.Context(), "x", arch.length(), arch.store(), nil)
		if CodeOf(err) != CodeRedirect || open.requests.Load() != 0 {
			t.Errorf("got %v, %d requests to the open server", err, open.requests.Load())
		}
	})
}

// What is wrong with the options is said before anything is sent.
func TestOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("-----BEGIN NOTHING-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		o    Options
		want Code
	}{
		"none":                                  {Options{}, ""},
		"a mirror":                              {Options{Mirrors: []string{"https://files.example/piwork/", "http://10.0.0.1:8080", "file:///srv/channel"}}, ""},
		"a mirror of another kind":              {Options{Mirrors: []string{"ftp://files.example"}}, CodeBadAddress},
		"a mirror without a kind":               {Options{Mirrors: []string{"files.example"}}, CodeBadAddress},
		"a mirror without a host":               {Options{Mirrors: []string{"https:///x"}}, CodeBadAddress},
		"a mirror with a query":                 {Options{Mirrors: []string{"https://files.example/?x=1"}}, CodeBadAddress},
		"a proxy":                               {Options{Proxy: "http://ann:pw@proxy.example:3128"}, ""},
		"a proxy of another kind":               {Options{Proxy: "gopher://proxy.example"}, CodeBadAddress},
		"an authority's file that is not there": {Options{CAFiles: []string{empty + "x"}}, CodeBadCA},
		"an authority's file with nothing":      {Options{CAFiles: []string{empty}}, CodeBadCA},
	} {
		c, err := New(tt.o)
		if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if c != nil {
			c.Close()
		}
	}
}

// A path can not leave the mirror.
func TestPaths(t *testing.T) {
	m, err := newMirror("https://files.example/base/")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"targets/packs/ab.x-1.0.0+b.tar.zst": "https://files.example/base/targets/packs/ab.x-1.0.0+b.tar.zst",
		"a b?c#d%2e":                         "https://files.example/base/a%20b%3Fc%23d%252e",
		"../x":                               "", "a/../b": "", "/x": "", "a//b": "", "": "", "a/.": "", `a\b`: "", "a\x00": "",
	} {
		u, err := m.at(path)
		if (err == nil) != (want != "") || err == nil && u.String() != want {
			t.Errorf("%q: got %v, %v; want %q", path, u, err, want)
		}
	}
	for in, want := range map[string]string{"file:///C:/dir": "C:/dir", "file:///srv/x": "/srv/x", "file://host/share": "//host/share", "file://localhost/srv": "/srv"} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(directory(u)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
