package debian

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mirror serves files and counts requests. Everything stays on this machine.
type mirror struct {
	files    map[string]string
	requests int
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.requests++
	text, ok := m.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "", time.Unix(1700000000, 0), strings.NewReader(text))
}

func fetchSetup(t *testing.T, files map[string]string) (*mirror, *Apt, *Store) {
	t.Helper()
	if _, err := os.Stat(helper); err != nil {
		t.Skip("needs apt")
	}
	for _, v := range []string{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
		t.Setenv(v, "")
	}
	m := &mirror{files: files}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	apt, err := NewApt(filepath.Join(t.TempDir(), "apt"), "trixie", "amd64", Mirrors{ArchiveMain: server.URL + "/debian", ArchiveSecurity: server.URL + "/sec"})
	if err != nil {
		t.Fatal(err)
	}
	conf, err := os.OpenFile(filepath.Join(apt.dir, "apt.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conf.Close()
	if _, err := conf.WriteString("Acquire::Retries \"0\";\n"); err != nil { // tests do not wait
		t.Fatal(err)
	}
	store, err := OpenStore(filepath.Join(t.TempDir(), "debs"))
	if err != nil {
		t.Fatal(err)
	}
	return m, apt, store
}

func packageOf(name, content string) Package {
	sum := sha256.Sum256([]byte(content))
	p := somePackage(name, "1+2~3")
	p.Path = "pool/main/x/" + name + "_1+2~3_amd64.deb"
	p.Size, p.SHA256 = int64(len(content)), hex.EncodeToString(sum[:])
	return p
}

func TestFetch(t *testing.T) {
	a, b := packageOf("aa", "content of a"), packageOf("bb", "content of b")
	b.Archive = ArchiveSecurity
	m, apt, store := fetchSetup(t, map[string]string{"/debian/" + a.Path: "content of a", "/sec/" + b.Path: "content of b"})
	files := 0
	progress := func(n int, _ int64) { files += n }
	if err := store.Fetch(t.Context(), apt, []Package{a, b, a}, progress); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(store.Path(b))
	if err != nil || string(got) != "content of b" || files != 2 {
		t.Errorf("%q, %v, %d files", got, err, files)
	}
	before := m.requests
	if err := store.Fetch(t.Context(), apt, []Package{a, b}, progress); err != nil || m.requests != before || files != 2 {
		t.Errorf("again: %v, %d more requests", err, m.requests-before)
	}
}

func TestFetchRefuses(t *testing.T) {
	good := packageOf("aa", "content of a")
	for name, c := range map[string]struct {
		served string // "" is nothing
		size   int64  // that the lock says
		gone   bool
	}{
		"left the mirror":        {gone: true},
		"other bytes":            {served: "content of x", size: good.Size},
		"longer":                 {served: "content of a and more", size: good.Size},
		"right hash, wrong size": {served: "content of a", size: good.Size + 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := good
			if c.size > 0 {
				p.Size = c.size
			}
			files := map[string]string{}
			if c.served != "" {
				files["/debian/"+p.Path] = c.served
			}
			other := packageOf("bb", "content of b")
			files["/debian/"+other.Path] = "content of b"
			_, apt, store := fetchSetup(t, files)
			err := store.Fetch(t.Context(), apt, []Package{p, other}, nil)
			var gone *GoneError
			if err == nil || errors.As(err, &gone) != c.gone {
				t.Fatalf("error %v", err)
			}
			if c.gone && (len(gone.Packages) != 1 || gone.Packages[0].Name != "aa" || !strings.Contains(err.Error(), "aa 1+2~3")) {
				t.Errorf("gone: %v", err)
			}
			if _, err := os.Stat(store.Path(p)); err == nil {
				t.Error("the file is in the store")
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(store.Path(p)), "fetch-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

func TestFetchWithoutMirror(t *testing.T) {
	_, apt, store := fetchSetup(t, nil)
	server := httptest.NewServer(http.NotFoundHandler())
	apt.mirrors[ArchiveMain] = server.URL
	server.Close()
	var gone *GoneError
	if err := store.Fetch(t.Context(), apt, []Package{packageOf("aa", "a")}, nil); err == nil || errors.As(err, &gone) {
		t.Errorf("a mirror that cannot be reached is not one without the package: %v", err)
	}
}
