package debian

import (
	"strings"
	"testing"
	"time"
)

const sourceURIs = `'http://a.example/debian/pool/main/q/qemu/qemu_10%2bds-1.dsc' qemu_10+ds-1.dsc 12 SHA256:` + someHash + `
'http://a.example/debian/pool/main/q/qemu/qemu_10%2bds.orig.tar.xz' qemu_10+ds.orig.tar.xz 400 SHA256:` + otherHash + `
'http://s.example/sec/pool/updates/main/g/glib/glib_2.dsc' glib_2.dsc 7 SHA256:` + thirdHash + "\n"

const (
	otherHash = "1111111111111111111111111111111111111111111111111111111111111111"
	thirdHash = "2222222222222222222222222222222222222222222222222222222222222222"
)

const sourcesShown = `Package: qemu
Version: 1:9+ds-1
Directory: pool/main/q/qemu
Checksums-Sha256:
 ` + thirdHash + ` 12 qemu_9+ds-1.dsc

Package: qemu
Version: 1:10+ds-1
Directory: pool/main/q/qemu
Checksums-Sha256:
 ` + someHash + ` 12 qemu_10+ds-1.dsc
 ` + otherHash + ` 400 qemu_10+ds.orig.tar.xz

Package: glib
Version: 2
Directory: pool/updates/main/g/glib
Checksums-Sha256:
 ` + thirdHash + ` 7 glib_2.dsc
`

func TestResolvedSources(t *testing.T) {
	a := &Apt{mirrors: Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"}}
	got, err := a.describeSources([]string{"qemu", "glib"}, []byte(sourceURIs), []byte(sourcesShown))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "glib" || got[0].Archive != ArchiveSecurity || got[1].Version != "1:10+ds-1" || len(got[1].Files) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, f := range append(got[0].Fetchable(), got[1].Fetchable()...) {
		if u := a.url(f); !strings.Contains(sourceURIs, "'"+u+"'") {
			t.Errorf("URL %s", u)
		}
	}
	l := &Lock{Schema: LockSchema, Suite: "trixie", Architecture: "amd64", Time: time.Unix(1700000000, 0).UTC(), WantSources: []string{"qemu", "glib"}, Sources: got}
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseLock(data)
	if err != nil {
		t.Fatal(err)
	}
	if all := back.All(); len(all) != 3 || all[0].Path != "pool/updates/main/g/glib/glib_2.dsc" {
		t.Errorf("%+v", all)
	}
	if d := Diff(nil, back); len(d) != 2 || d[1].String() != "source of qemu: new, 1:10+ds-1" {
		t.Errorf("%v", d)
	}
	for name, change := range map[string][2]string{
		"file elsewhere":     {"qemu_10+ds-1.dsc", "../qemu_10+ds-1.dsc"},
		"file of another":    {"qemu_10+ds-1.dsc", "evil_10+ds-1.dsc"},
		"directory outside":  {"pool/main/q/qemu", "pool/../../q"},
		"not of the pool":    {"pool/main/q/qemu", "main/q/qemu"},
		"order":              {"qemu_10+ds.orig", "qemu_0+ds.orig"},
		"short hash":         {someHash, someHash[1:]},
		"no description":     {"ds-1.dsc", "ds-1.tar"},
		"unknown archive":    {`"debian"`, `"elsewhere"`},
		"version with space": {"1:10+ds-1", "1:10 ds-1"},
	} {
		if _, err := ParseLock([]byte(strings.ReplaceAll(string(data), change[0], change[1]))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestResolvedSourcesRefuses(t *testing.T) {
	a := &Apt{mirrors: Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"}}
	for name, c := range map[string]struct {
		want        []string
		uris, shown string
	}{
		"nothing":        {[]string{"qemu"}, "", sourcesShown},
		"one is missing": {[]string{"glib", "qemu", "zlib"}, sourceURIs, sourcesShown},
		"one too many":   {[]string{"qemu"}, sourceURIs, sourcesShown},
		"other mirror":   {[]string{"glib", "qemu"}, strings.ReplaceAll(sourceURIs, "a.example", "b.example"), sourcesShown},
		"weak hash":      {[]string{"glib", "qemu"}, strings.ReplaceAll(sourceURIs, "SHA256:", "MD5Sum:"), sourcesShown},
		"not described":  {[]string{"glib", "qemu"}, sourceURIs, strings.ReplaceAll(sourcesShown, otherHash, thirdHash)},
		"no size":        {[]string{"glib", "qemu"}, strings.ReplaceAll(sourceURIs, " 400 ", " many "), sourcesShown},
	} {
		if _, err := a.describeSources(c.want, []byte(c.uris), []byte(c.shown)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
