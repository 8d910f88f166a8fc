package root

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var now = time.Unix(1700000000, 0)

// item is an entry for a bootstrap archive, and what is read back.
type item struct {
	name string
	kind byte
	mode int64
	id   int
	text string // content, or target of a link
	time int64
}

func file644(name, text string) item { return item{name, tar.TypeReg, 0o644, 0, text, 1600000000} }

func archiveOf(t *testing.T, items ...item) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, i := range items {
		h := &tar.Header{Name: "./" + i.name, Typeflag: i.kind, Mode: i.mode, Uid: i.id, Gid: i.id, Uname: "someone", ModTime: time.Unix(i.time, 500)}
		if i.kind == tar.TypeReg {
			h.Size = int64(len(i.text))
		} else {
			h.Linkname = i.text
		}
		if i.kind == tar.TypeLink {
			h.Linkname = "./" + i.text
		}
		if i.name == "usr/bin/ping" {
			h.PAXRecords = map[string]string{"SCHILY.xattr.security.capability": "x"}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, map[bool]string{true: i.text}[i.kind == tar.TypeReg]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// rewrite returns names in order, and the entries.
func rewrite(t *testing.T, o Options, items ...item) ([]string, map[string]item, error) {
	t.Helper()
	if o.Time.IsZero() {
		o.Time = now
	}
	in := archiveOf(t, items...)
	var out bytes.Buffer
	stats, err := Rewrite(&out, in, in.Size(), o)
	if err != nil {
		return nil, nil, err
	}
	var order []string
	got := map[string]item{}
	r := tar.NewReader(&out)
	var size int64
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uname != "" || len(h.PAXRecords) > 0 || h.ModTime.Nanosecond() != 0 {
			t.Errorf("%s carries %q, %v, %v", h.Name, h.Uname, h.PAXRecords, h.ModTime)
		}
		size += int64(len(text))
		order = append(order, h.Name)
		name := strings.TrimSuffix(h.Name, "/")
		got[name] = item{name, h.Typeflag, h.Mode, h.Uid, string(text) + h.Linkname, h.ModTime.Unix()}
	}
	if stats.Entries != len(order)-1 || stats.Bytes != size {
		t.Errorf("stats %+v, read %d entries and %d bytes", stats, len(order), size)
	}
	return order, got, nil
}

func TestRewrite(t *testing.T) {
	order, got, err := rewrite(t, Options{},
		item{"", tar.TypeDir, 0o700, 0, "", 1600000000},
		item{"usr", tar.TypeDir, 0o755, 0, "", 1600000000},
		item{"usr/bin/ping", tar.TypeReg, 0o4755, 0, "ping", 1600000000},
		item{"usr/bin/wall", tar.TypeReg, 0o2755, 0, "wall", 1800000000},
		item{"usr-local", tar.TypeReg, 0o644, 0, "", 1600000000},
		item{"tmp", tar.TypeDir, 0o1777, 0, "", 1600000000},
		item{"tmp/left", tar.TypeReg, 0o644, 0, "x", 1600000000},
		item{"dev", tar.TypeDir, 0o755, 0, "", 1600000000},
		item{"dev/null", tar.TypeChar, 0o666, 0, "", 1600000000},
		item{"usr/pipe", tar.TypeFifo, 0o666, 0, "", 1600000000},
		item{"bin", tar.TypeSymlink, 0o777, 0, "usr/bin", 1600000000},
		item{"var/mail/x", tar.TypeReg, 0o660, 8, "m", 1600000000},
	)
	if err != nil {
		t.Fatal(err)
	}
	wantOrder := []string{"./", "bin", "dev/", "tmp/", "usr/", "usr/bin/", "usr/bin/ping", "usr/bin/wall", "usr-local", "var/", "var/mail/", "var/mail/x"}
	if !slices.Equal(order, wantOrder) {
		t.Errorf("order %q\nwant  %q", order, wantOrder)
	}
	for _, want := range []item{
		{".", tar.TypeDir, 0o755, 0, "", now.Unix()},
		{"usr/bin/ping", tar.TypeReg, 0o755, 0, "ping", 1600000000},
		{"usr/bin/wall", tar.TypeReg, 0o755, 0, "wall", now.Unix()},
		{"usr/bin", tar.TypeDir, 0o755, 0, "", now.Unix()},
		{"tmp", tar.TypeDir, 0o1777, 0, "", 1600000000},
		{"bin", tar.TypeSymlink, 0o777, 0, "usr/bin", 1600000000},
		{"var/mail/x", tar.TypeReg, 0o660, 8, "m", 1600000000},
	} {
		if got[want.name] != want {
			t.Errorf("%+v, want %+v", got[want.name], want)
		}
	}
}

func TestHardLinks(t *testing.T) {
	_, got, err := rewrite(t, Options{},
		file644("usr/z", "content"),
		item{"usr/a", tar.TypeLink, 0o644, 0, "usr/z", 1600000000},
		item{"usr/m", tar.TypeLink, 0o644, 0, "usr/z", 1600000000},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got["usr/a"].text != "content" || got["usr/a"].kind != tar.TypeReg {
		t.Errorf("%+v", got["usr/a"])
	}
	for _, n := range []string{"usr/m", "usr/z"} {
		if got[n].kind != tar.TypeLink || got[n].text != "usr/a" {
			t.Errorf("%+v", got[n])
		}
	}
	if _, _, err := rewrite(t, Options{}, item{"usr/a", tar.TypeLink, 0o644, 0, "usr/absent", 0}); err == nil {
		t.Error("a link to nothing was accepted")
	}
	if _, _, err := rewrite(t, Options{}, file644("tmp/x", ""), item{"usr/a", tar.TypeLink, 0o644, 0, "tmp/x", 0}); err == nil {
		t.Error("a link to a file that is left out was accepted")
	}
}

func TestUser(t *testing.T) {
	o := Options{User: User{Name: "worker", ID: 1000, Home: "/home/worker"}}
	base := []item{file644("etc/passwd", "root:x:0:0::/root:/bin/sh\n"), file644("etc/group", "root:x:0:\n")}
	_, got, err := rewrite(t, o, base...)
	if err != nil {
		t.Fatal(err)
	}
	if want := "root:x:0:0::/root:/bin/sh\nworker:x:1000:1000:worker:/home/worker:/bin/bash\n"; got["etc/passwd"].text != want {
		t.Errorf("passwd %q", got["etc/passwd"].text)
	}
	if got["etc/group"].text != "root:x:0:\nworker:x:1000:\n" {
		t.Errorf("group %q", got["etc/group"].text)
	}
	if h := got["home/worker"]; h.kind != tar.TypeDir || h.id != 1000 || h.mode != 0o755 {
		t.Errorf("home %+v", h)
	}
	if _, ok := got["etc/shadow"]; ok {
		t.Error("a shadow file was made")
	}
	_, got, err = rewrite(t, o, append(base, item{"etc/shadow", tar.TypeReg, 0o640, 0, "root:*:1::::::\n", 0})...)
	if s := got["etc/shadow"]; err != nil || s.text != "root:*:1::::::\nworker:!:::::::\n" || s.mode != 0o640 {
		t.Errorf("shadow %+v, %v", s, err)
	}
	for name, bad := range map[string][]item{
		"no passwd":   {base[1]},
		"passwd link": {base[1], {"etc/passwd", tar.TypeSymlink, 0o777, 0, "/x", 0}},
		"huge passwd": {base[1], file644("etc/passwd", strings.Repeat("x", maxEdited+1))},
	} {
		if _, _, err := rewrite(t, o, bad...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAdditions(t *testing.T) {
	overlay := fstest.MapFS{
		"etc/policy/a.xml": {Data: []byte("ours"), Mode: 0o600},
		"usr/bin/run":      {Data: []byte("#!"), Mode: 0o700},
		"usr/bin/alias":    {Data: []byte("../../opt/run"), Mode: fs.ModeSymlink | 0o777},
		"etc/hostname":     {Data: []byte("overlay"), Mode: 0o644},
	}
	_, got, err := rewrite(t, Options{
		Content:  map[string]string{"etc/hostname": "x\n", "etc/machine-id": ""},
		Dirs:     []Dir{{Name: "work", Mode: 0o755, ID: 1000}, {Name: "etc/policy", Mode: 0o700}},
		Overlays: []fs.FS{overlay},
	},
		file644("etc/hostname", "builder"), file644("etc/policy/a.xml", "theirs"), file644("etc/policy/b.xml", "theirs"),
		item{"work", tar.TypeDir, 0o777, 5, "", 0}, item{"etc", tar.TypeDir, 0o755, 0, "", 1600000000},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []item{
		{"etc/policy/a.xml", tar.TypeReg, 0o644, 0, "ours", now.Unix()},
		{"etc/policy/b.xml", tar.TypeReg, 0o644, 0, "theirs", 1600000000},
		{"usr/bin/run", tar.TypeReg, 0o755, 0, "#!", now.Unix()},
		{"usr/bin/alias", tar.TypeSymlink, 0o777, 0, "../../opt/run", now.Unix()},
		{"etc/hostname", tar.TypeReg, 0o644, 0, "overlay", now.Unix()},
		{"etc/machine-id", tar.TypeReg, 0o644, 0, "", now.Unix()},
		{"work", tar.TypeDir, 0o755, 1000, "", now.Unix()},
		{"etc/policy", tar.TypeDir, 0o700, 0, "", now.Unix()},
		{"etc", tar.TypeDir, 0o755, 0, "", 1600000000},
	} {
		if got[want.name] != want {
			t.Errorf("%+v, want %+v", got[want.name], want)
		}
	}
}

func TestAdditionsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		overlay fstest.MapFS
		items   []item
	}{
		"a pipe in the overlay": {overlay: fstest.MapFS{"etc/x": {Mode: fs.ModeNamedPipe}}},
		"below a link":          {overlay: fstest.MapFS{"bin/x": {}}, items: []item{{"bin", tar.TypeSymlink, 0o777, 0, "usr/bin", 0}}},
		"below a file":          {overlay: fstest.MapFS{"etc/hosts/x": {}}, items: []item{file644("etc/hosts", "")}},
	} {
		if _, _, err := rewrite(t, Options{Overlays: []fs.FS{c.overlay}}, c.items...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSameBytesInAnyOrder(t *testing.T) {
	items := []item{
		file644("etc/a", "1"), file644("etc/b", "2"), file644("usr/x", "3"), file644("etc/passwd", ""), file644("etc/group", ""),
		{"usr/y", tar.TypeLink, 0o644, 0, "usr/x", 1600000000},
	}
	o := Options{Time: now, User: User{"u", 1000, "/home/u"}, Content: map[string]string{"etc/c": "4"}}
	var first []byte
	for range 5 {
		in := archiveOf(t, items...)
		var out bytes.Buffer
		if _, err := Rewrite(&out, in, in.Size(), o); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Fatal("another order of the source gives other bytes")
		}
		items = append(items[1:], items[0])
	}
}

func TestDrop(t *testing.T) {
	for name, want := range map[string]bool{
		"usr/share/doc":                                  false,
		"usr/share/doc/x":                                false,
		"usr/share/doc/x/copyright":                      false,
		"usr/share/doc/x/changelog.gz":                   true,
		"usr/share/doc/x/examples/copyright":             true,
		"usr/share/man":                                  false,
		"usr/share/man/man1/ls.1.gz":                     true,
		"usr/share/locale/de/LC_MESSAGES/x.mo":           true,
		"usr/share/locale":                               true,
		"usr/share/localely":                             false,
		"var/cache":                                      false,
		"var/cache/ldconfig/aux-cache":                   true,
		"var/lib/apt/extended_states":                    true,
		"var/lib/dpkg/status":                            false,
		"var/lib/dpkg/status-old":                        true,
		"etc/apt":                                        false,
		"etc/apt/sources.list":                           true,
		"etc/resolv.conf":                                true,
		"etc/shadow":                                     false,
		"etc/shadow-":                                    true,
		"usr/bin/env":                                    false,
		"dev/console":                                    true,
		"usr/lib/git-core/git-remote-http":               false,
		"usr/lib/git-core/git-daemon":                    true,
		"usr/lib/x86_64-linux-gnu/libperl.so.5.40":       true,
		"usr/lib/x86_64-linux-gnu/libpng16.so.16":        false,
		"usr/lib/x86_64-linux-gnu/perl/5.40/CORE/perl.h": true,
		"usr/share/perl5/Image/ExifTool/TagNames.pod":    true,
		"usr/share/perl5/Image/ExifTool/Lang/de.pm":      true,
		"usr/share/perl5/Image/ExifTool.pm":              false,
		"usr/share/fonts/type1/urw-base35/C059-Bold.afm": true,
		"usr/share/fonts/type1/urw-base35/C059-Bold.t1":  false,
		"var/lib/dpkg/info/zip.list":                     false,
		"var/lib/dpkg/info/zip.postinst":                 true,
	} {
		if Drop(name) != want {
			t.Errorf("Drop(%q) is %t", name, !want)
		}
	}
}

func TestNotAnArchive(t *testing.T) {
	r := strings.NewReader(strings.Repeat("nonsense", 200))
	if _, err := Rewrite(io.Discard, r, r.Size(), Options{Time: now}); err == nil {
		t.Error("accepted")
	}
}
