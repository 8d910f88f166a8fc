package image

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
)

// TestGoneFileFromSnapshots: with a mirror and an archive of snapshots named by the
// environment, a file that left the mirror is fetched from the archive, held to its
// SHA-256, and no lock file changes.
func TestGoneFileFromSnapshots(t *testing.T) {
	if _, err := os.Stat("/usr/lib/apt/apt-helper"); err != nil {
		t.Skip("this computer has no apt, which fetches the files: it is no Debian")
	}
	for _, v := range []string{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
		t.Setenv(v, "")
	}
	const content = "the package"
	sum := sha256.Sum256([]byte(content))
	p := fakePackage("aa", "1.2+deb13u1")
	p.Path, p.Size, p.SHA256 = "pool/main/a/aa/aa_1.2+deb13u1_amd64.deb", int64(len(content)), hex.EncodeToString(sum[:])
	s := set{name: "tools", arch: "amd64", want: []string{"aa"}}
	for name, tt := range map[string]struct {
		has        string // what the archive of snapshots has under the name; "" is nothing
		unset      bool
		log, fails string
	}{
		"the file":         {has: content, log: "aa 1.2+deb13u1 (" + p.Path + "). Getting these from the archive of snapshots"},
		"another content":  {has: "a package!!", fails: "fetch aa:"},
		"not there either": {fails: "does not have these either. Change to today's versions with ./scripts/pack --lock=tools"},
		"none is named":    {has: content, unset: true, fails: debian.EnvSnapshots},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/snapshots/archive/debian/20261121T081500Z/"+p.Path || tt.has == "" {
					http.NotFound(w, r)
					return
				}
				http.ServeContent(w, r, "", time.Unix(1700000000, 0), strings.NewReader(tt.has))
			}))
			t.Cleanup(server.Close)
			t.Setenv(debian.EnvMirror, server.URL+"/debian")
			t.Setenv(debian.EnvSecurityMirror, "")
			t.Setenv(debian.EnvSnapshots, server.URL+"/snapshots/")
			if tt.unset {
				t.Setenv(debian.EnvSnapshots, "")
			}
			var log strings.Builder
			b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir(), Log: func(line string) { log.WriteString(line + "\n") }})
			if err != nil {
				t.Fatal(err)
			}
			b.packages.src = t.TempDir()
			l := &debian.Lock{Schema: debian.LockSchema, Set: s.name, Suite: suite, Architecture: s.arch, Want: s.want, Packages: []debian.Package{p}}
			l.Time = time.Date(2026, 11, 20, 8, 15, 0, 0, time.UTC)
			if err := os.MkdirAll(filepath.Dir(s.file(b.packages.src)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := l.Write(s.file(b.packages.src)); err != nil {
				t.Fatal(err)
			}
			before := lockBytes(t, b.packages.src)
			if l, err = b.packages.lock(s); err != nil {
				t.Fatal(err)
			}
			err = b.packages.fetch(t.Context(), l)
			if (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %v, want one with %q", err, tt.fails)
			}
			got, err := os.ReadFile(b.store.Path(p))
			if tt.fails == "" && string(got) != content || tt.fails != "" && err == nil {
				t.Errorf("the store has %q, %v", got, err)
			}
			if !strings.Contains(log.String(), tt.log) {
				t.Errorf("no %q in %q", tt.log, &log)
			}
			if after := lockBytes(t, b.packages.src); !maps.Equal(before, after) {
				t.Errorf("the lock files were %q, are %q", before, after)
			}
		})
	}
}
