package debian

import (
	"strings"
	"testing"
)

func TestSourcesList(t *testing.T) {
	got := sourcesList("trixie", Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"})
	want := ""
	for _, suite := range []string{"http://a.example/debian trixie", "http://a.example/debian trixie-updates", "http://s.example/sec trixie-security"} {
		for _, kind := range []string{"deb", "deb-src"} {
			want += kind + " [signed-by=" + Keyring + "] " + suite + " main\n"
		}
	}
	if got != want {
		t.Errorf("%s", got)
	}
}

func TestNewAptRefusesPathsItCannotQuote(t *testing.T) {
	for _, dir := range []string{`/x"y`, "/x{y", "/x;y", "/x\ny"} {
		if _, err := NewApt(dir, "trixie", "amd64", Mirrors{}); err == nil {
			t.Errorf("%q accepted", dir)
		}
	}
}

const uris = `'http://a.example/debian/pool/main/g/glibc/libc6_2.41-12%2bdeb13u4_amd64.deb' libc6_2.41-12+deb13u4_amd64.deb 2846580 SHA256:967aa62605721081c3eb2a17650611a792aa802d76a6511d1840242623d204c9
'http://s.example/sec/pool/updates/main/q/qemu/qemu_10_amd64.deb' qemu_1%3a10.0_amd64.deb 20 SHA256:` + someHash + "\n"

const shown = `Package: libc6
Source: glibc
Version: 2.41-12+deb13u4
Architecture: amd64
Description: words
 folded
Filename: pool/main/g/glibc/libc6_2.41-12+deb13u4_amd64.deb
Size: 2846580
SHA256: 967aa62605721081c3eb2a17650611a792aa802d76a6511d1840242623d204c9

Package: qemu
Version: 1:10.0
Architecture: amd64
Filename: pool/updates/main/q/qemu/qemu_10_amd64.deb
Size: 20
SHA256: ` + someHash + `

Package: qemu
Version: 1:10.0
Architecture: amd64
Filename: pool/main/q/qemu/qemu_10_amd64.deb
Size: 21
SHA256: 1111111111111111111111111111111111111111111111111111111111111111
`

func TestResolved(t *testing.T) {
	a := &Apt{mirrors: Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"}}
	places, err := a.parseURIs([]byte(uris))
	if err != nil {
		t.Fatal(err)
	}
	got, err := describe(places, []byte(shown))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Fatalf("%d packages", len(got))
	}
	if p := got[0]; p.Name != "libc6" || p.Source != "glibc" || p.SourceVersion != p.Version || p.Archive != ArchiveMain || p.Size != 2846580 {
		t.Errorf("%+v", p)
	}
	if p := got[1]; p.Version != "1:10.0" || p.Archive != ArchiveSecurity || p.Path != "pool/updates/main/q/qemu/qemu_10_amd64.deb" || p.Source != "qemu" {
		t.Errorf("%+v", p)
	}
	if u := a.url(got[0]); !strings.Contains(uris, "'"+u+"'") {
		t.Errorf("URL %s", u)
	}
}

func TestResolvedRefuses(t *testing.T) {
	a := &Apt{mirrors: Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"}}
	for name, text := range map[string]string{
		"nothing":      "",
		"other mirror": "'http://x.example/p.deb' p_1_amd64.deb 1 SHA256:" + someHash,
		"weak hash":    "'http://a.example/debian/pool/p.deb' p_1_amd64.deb 1 MD5Sum:abc",
		"no hash":      "'http://a.example/debian/pool/p.deb' p_1_amd64.deb 1",
		"odd name":     "'http://a.example/debian/pool/p.deb' p.deb 1 SHA256:" + someHash,
	} {
		if _, err := a.parseURIs([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	places := []place{{name: "libc6", version: "2", archive: ArchiveMain, sha256: someHash}}
	for name, text := range map[string]string{
		"not described": "",
		"no size":       strings.Replace(shown, "Size: 20\n", "", 1),
		"path outside":  strings.Replace(shown, "pool/updates/main/q/qemu", "../..", 1),
	} {
		if _, err := describe(places, []byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSourceOf(t *testing.T) {
	for text, want := range map[string][2]string{
		"":              {"p", "1"},
		"src":           {"src", "1"},
		"src (2:3.4-5)": {"src", "2:3.4-5"},
	} {
		n, v := sourceOf(Paragraph{"package": "p", "version": "1", "source": text})
		if n != want[0] || v != want[1] {
			t.Errorf("%q: %s %s", text, n, v)
		}
	}
}

func TestLeftMirror(t *testing.T) {
	const url = "http://a.example/debian/pool/p.deb"
	for text, want := range map[string]bool{
		"E: Failed to fetch " + url + "  404  Not Found [IP: 1.2.3.4 80]":                                                true,
		"E: Failed to fetch file:/x.deb  File not found - /x.deb":                                                        false,
		"E: Failed to fetch " + url + "  File not found - /x":                                                            true,
		"E: Failed to fetch " + url + "  Could not connect to a.example:80":                                              false,
		"E: Failed to fetch " + url + "x  404  Not Found":                                                                false,
		"E: Failed to fetch " + url + "  500  Internal Error\nE: Failed to fetch http://a.example/q.deb  404  Not Found": false,
		"": false,
	} {
		if got := leftMirror(text, url); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
