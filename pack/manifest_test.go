package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func validManifest(t testing.TB) Manifest {
	t.Helper()
	sum := strings.Repeat("ab", 32)
	return Manifest{
		Key: strings.Repeat("cd", 32), Schema: Schema, Name: "piwork-runtime", Version: "1.2.3",
		HostOS: "linux", HostArch: "amd64", GuestArch: "x86_64", RequiresApp: ">=0.1.0",
		Built: time.Unix(1_700_000_000, 0).UTC(),
		Files: []File{
			{Path: "guest/rootfs.img", Size: 5, Mode: 0o644, SHA256: sum, Role: RoleRootFS},
			{Path: "licenses/a/copyright", Size: 0, Mode: 0o644, SHA256: sum, Role: RoleLicence},
			{Path: "qemu/bin/qemu-system-x86_64", Size: MaxFileSize, Mode: 0o755, SHA256: sum, Role: RoleQEMU},
		},
		Tools:    []Tool{{Name: "qpdf", Version: "12.2.0", Operations: []string{"pdf.merge"}}},
		Licences: []Licence{{Package: "a", Version: "1", Licence: "GPL-2.0-only AND <x>", File: "licenses/a/copyright", Source: "https://example.org/a"}},
		Layers:   []Layer{{Name: "base", Version: "1.2.3", Path: "guest/rootfs.img"}},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	m := validManifest(t)
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseManifest(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := got.Encode()
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("%v\n%s\n%s", err, raw, again)
	}
	if id, ok := keyHint(raw); !ok || id != m.Key {
		t.Errorf("hint %q, %v", id, ok)
	}
	if m.ArchiveName() != "piwork-runtime-linux-amd64-1.2.3.tar.zst" || m.Bytes() != MaxFileSize+5 {
		t.Errorf("%s, %d", m.ArchiveName(), m.Bytes())
	}
	if !bytes.Contains(raw, []byte("<x>")) {
		t.Error("escaped as for HTML")
	}
}

// TestManifestForm: what is not the canonical form of this schema is refused, and
// a newer minor may have fields that this program does not know.
func TestManifestForm(t *testing.T) {
	m := validManifest(t)
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		t.Helper()
		if !bytes.Contains(raw, []byte(old)) {
			t.Fatalf("no %s in the manifest", old)
		}
		return strings.Replace(string(raw), old, new, 1)
	}
	newer := edit(`"schema": 1,`, `"schema": 1, "minor": 3,`)
	for name, tc := range map[string]struct {
		raw  string
		kind Kind
	}{
		"canonical":                      {string(raw), ""},
		"unknown field":                  {edit(`"schema": 1,`, "\"schema\": 1,\n \"new\": true,"), KindBadManifest},
		"unknown field of a newer minor": {edit(`"schema": 1,`, `"schema": 1, "minor": 3, "new": {"x": [1]},`), ""},
		"newer minor, unknown in a file": {strings.Replace(newer, `"path":`, `"new": 1, "path":`, 1), ""},
		"newer minor, bad name":          {strings.Replace(newer, "guest/rootfs.img", "../x", 1), KindUnsafeName},
		"newer minor, data after":        {newer + "x", KindBadManifest},
		"absurd minor":                   {edit(`"schema": 1,`, `"schema": 1, "minor": 4000,`), KindBadManifest},
		"newer schema":                   {edit(`"schema": 1,`, `"schema": 2,`), KindUnknownSchema},
		"older schema":                   {edit(`"schema": 1,`, `"schema": 0,`), KindBadManifest},
		"no schema":                      {edit(` "schema": 1,`, ``), KindBadManifest},
		"schema as text":                 {edit(`"schema": 1,`, `"schema": "1",`), KindBadManifest},
		"repeated field":                 {edit(`"schema": 1,`, "\"schema\": 1,\n \"schema\": 1,"), KindBadManifest},
		"another case":                   {edit(`"schema"`, `"Schema"`), KindBadManifest},
		"other spaces":                   {edit(`"schema": 1`, `"schema":1`), KindBadManifest},
		"no end of line":                 {strings.TrimSuffix(string(raw), "\n"), KindBadManifest},
		"two documents":                  {string(raw) + "{}\n", KindBadManifest},
		"cut":                            {string(raw[:len(raw)/2]), KindBadManifest},
		"empty":                          {"", KindBadManifest},
		"null":                           {"null\n", KindBadManifest},
		"size as a fraction":             {edit(`"size": 5`, `"size": 5.0`), KindBadManifest},
		"size beyond 64 bits":            {edit(`"size": 5`, `"size": 99999999999999999999`), KindBadManifest},
		"escaped name":                   {edit(`guest/rootfs`, `guest\u002frootfs`), KindBadManifest},
		"time with an offset":            {edit(`:20Z`, `:20+00:00`), KindBadManifest},
		"too large":                      {strings.Repeat(" ", MaxManifest) + string(raw), KindTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseManifest([]byte(tc.raw))
			if KindOf(err) != tc.kind || (err == nil) != (tc.kind == "") {
				t.Errorf("got %v, want %q", err, tc.kind)
			}
		})
	}
}

func TestManifestsThatAreRefused(t *testing.T) {
	many := func(n int) []string { return make([]string, n) }
	for name, tc := range map[string]struct {
		change func(m *Manifest)
		kind   Kind
	}{
		"name":                      {func(m *Manifest) { m.Name = "Piwork/../x" }, KindBadManifest},
		"no version":                {func(m *Manifest) { m.Version = "" }, KindBadManifest},
		"version with v":            {func(m *Manifest) { m.Version = "v1.2.3" }, KindBadManifest},
		"short version":             {func(m *Manifest) { m.Version = "1.2" }, KindBadManifest},
		"version in capitals":       {func(m *Manifest) { m.Version = "1.2.3-RC1" }, KindBadManifest},
		"long version":              {func(m *Manifest) { m.Version = "1.2.3-" + strings.Repeat("a", 64) }, KindBadManifest},
		"host":                      {func(m *Manifest) { m.HostOS = "" }, KindBadManifest},
		"host architecture":         {func(m *Manifest) { m.HostArch = "AMD 64" }, KindBadManifest},
		"guest architecture":        {func(m *Manifest) { m.GuestArch = "x86/64" }, KindBadManifest},
		"range":                     {func(m *Manifest) { m.RequiresApp = "newest" }, KindBadManifest},
		"long range":                {func(m *Manifest) { m.RequiresApp = strings.Repeat(">=1 ", 1000) }, KindBadManifest},
		"key":                       {func(m *Manifest) { m.Key = "mine" }, KindBadManifest},
		"not UTC":                   {func(m *Manifest) { m.Built = m.Built.In(time.FixedZone("x", 3600)) }, KindBadManifest},
		"part of a second":          {func(m *Manifest) { m.Built = m.Built.Add(1) }, KindBadManifest},
		"before 1970":               {func(m *Manifest) { m.Built = time.Unix(-1, 0).UTC() }, KindBadManifest},
		"no time":                   {func(m *Manifest) { m.Built = time.Time{} }, KindBadManifest},
		"far future":                {func(m *Manifest) { m.Built = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }, KindBadManifest},
		"unsorted":                  {func(m *Manifest) { m.Files[0], m.Files[1] = m.Files[1], m.Files[0] }, KindBadManifest},
		"mode":                      {func(m *Manifest) { m.Files[0].Mode = 0o777 }, KindBadManifest},
		"hash in capitals":          {func(m *Manifest) { m.Files[0].SHA256 = strings.Repeat("AB", 32) }, KindBadManifest},
		"short hash":                {func(m *Manifest) { m.Files[0].SHA256 = "ab" }, KindBadManifest},
		"role":                      {func(m *Manifest) { m.Files[0].Role = "" }, KindBadManifest},
		"too many files":            {func(m *Manifest) { m.Files = make([]File, MaxFiles+1) }, KindTooLarge},
		"too many tools":            {func(m *Manifest) { m.Tools = make([]Tool, maxTools+1) }, KindBadManifest},
		"too many operations":       {func(m *Manifest) { m.Tools[0].Operations = many(maxTools + 1) }, KindBadManifest},
		"empty operation":           {func(m *Manifest) { m.Tools[0].Operations = many(1) }, KindBadManifest},
		"tool with control codes":   {func(m *Manifest) { m.Tools[0].Name = "\x1b[31m" }, KindBadManifest},
		"tool that is not UTF-8":    {func(m *Manifest) { m.Tools[0].Version = "\xff" }, KindBadManifest},
		"licence without a package": {func(m *Manifest) { m.Licences[0].Package = "" }, KindBadManifest},
		"licence of no file":        {func(m *Manifest) { m.Licences[0].File = "licenses/b" }, KindBadManifest},
		"long source":               {func(m *Manifest) { m.Licences[0].Source = strings.Repeat("x", maxWord+1) }, KindBadManifest},
		"too many licences":         {func(m *Manifest) { m.Licences = make([]Licence, maxLicences+1) }, KindBadManifest},
		"layer of no file":          {func(m *Manifest) { m.Layers[0].Path = "guest/other.img" }, KindBadManifest},
		"layer twice":               {func(m *Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }, KindBadManifest},
		"layer version":             {func(m *Manifest) { m.Layers[0].Version = "1" }, KindBadManifest},
		"layer name":                {func(m *Manifest) { m.Layers[0].Name = "../x" }, KindBadManifest},
	} {
		t.Run(name, func(t *testing.T) {
			m := validManifest(t)
			tc.change(&m)
			if _, err := m.Encode(); KindOf(err) != tc.kind {
				t.Errorf("encode: got %v, want %s", err, tc.kind)
			}
			raw, err := json.MarshalIndent(m, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseManifest(append(raw, '\n')); KindOf(err) != tc.kind {
				t.Errorf("parse: got %v, want %s", err, tc.kind)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{
		"a", "a/b", "qemu/lib/libstdc++.so.6", "licenses/lib x/copyright", "a.b/c..d", "-rf", "~a", "a=b@c,d", "com", "com10", "nulls", "x/.hidden",
		strings.Repeat("a", 100), strings.Repeat("a", 100) + "/" + strings.Repeat("b", 100), "p/" + strings.Repeat("a", 153) + "/" + strings.Repeat("b", 100),
	} {
		if err := checkName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/..", "a/../b", `a\b`, "a:b", "C:/a", "a*", "a?", `a"`, "a<", "a>", "a|",
		"a\x00", "a\n", "a\x7f", "ä", "a\u202e", " a", "a ", "a.", "a./b", "a /b", "CON", "con.txt", "x/Aux", "nul", "PRN.", "com1", "LPT9.x", "conin$", "nul .txt",
		strings.Repeat("a", 101), strings.Repeat("a", 156) + "/b", "a/" + strings.Repeat("b", 101), strings.Repeat("a/", 16) + "a", strings.Repeat("a", 300),
	} {
		if err := checkName(name); err == nil {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestNameSet(t *testing.T) {
	for _, tc := range []struct {
		names []string
		kind  Kind // of the last one
	}{
		{[]string{"a", "b", "c/a", "c/b"}, ""},
		{[]string{"a", "a"}, KindDuplicateFile},
		{[]string{"a", "A"}, KindUnsafeName},
		{[]string{"x/a", "X/b"}, KindUnsafeName},
		{[]string{"x/y/a", "x/Y/b"}, KindUnsafeName},
		{[]string{"a", "a/b"}, KindUnsafeName},
		{[]string{"a/b", "a"}, KindUnsafeName},
		{[]string{"A/b", "a"}, KindUnsafeName},
		{[]string{"a", "A/b"}, KindUnsafeName},
	} {
		var s nameSet
		for i, n := range tc.names {
			want := Kind("")
			if i == len(tc.names)-1 {
				want = tc.kind
			}
			if err := s.add(n); KindOf(err) != want {
				t.Errorf("%q: got %v, want %q", tc.names, err, want)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	m := validManifest(t)
	for _, tc := range []struct {
		p        Policy
		requires string
		kind     Kind
	}{
		{Policy{HostOS: "linux", HostArch: "amd64"}, ">=1.0.0", ""},
		{Policy{HostOS: "linux", HostArch: "arm64"}, "", KindWrongPlatform},
		{Policy{HostOS: "windows", HostArch: "amd64"}, "", KindWrongPlatform},
		{Policy{AnyPlatform: true, HostOS: "windows"}, "", ""},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "1.2.0"}, ">=1.0.0 <2.0.0", ""},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "1.0.0-dev"}, ">=1.0.0 <2.0.0", ""},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "v1.0.0"}, ">=1.0.0", ""},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "2.0.0"}, ">=1.0.0 <2.0.0", KindWrongAppVersion},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "0.9.9"}, ">=1.0.0", KindWrongAppVersion},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "unknown"}, ">=1.0.0", KindWrongAppVersion},
		{Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "unknown"}, "", ""},
	} {
		m.RequiresApp = tc.requires
		if err := tc.p.check(&m); KindOf(err) != tc.kind {
			t.Errorf("%+v with %q: got %v, want %q", tc.p, tc.requires, err, tc.kind)
		}
	}
}

// FuzzParseManifest: whatever is accepted keeps every promise of a manifest.
func FuzzParseManifest(f *testing.F) {
	m := validManifest(f)
	raw, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(bytes.Replace(raw, []byte(`"schema": 1,`), []byte(`"schema": 1, "minor": 3, "x": [],`), 1))
	f.Add(bytes.Replace(raw, []byte("guest/rootfs.img"), []byte("../rootfs.img"), 1))
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		keyHint(data)
		m, err := ParseManifest(data)
		if err != nil {
			if KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		var names nameSet
		for i, file := range m.Files {
			if err := checkName(file.Path); err != nil {
				t.Errorf("accepted %q: %v", file.Path, err)
			}
			if err := names.add(file.Path); err != nil {
				t.Error(err)
			}
			if file.Size < 0 || i > 0 && file.Path <= m.Files[i-1].Path {
				t.Errorf("accepted %+v after %+v", file, m.Files[max(i-1, 0)])
			}
		}
		if m.Bytes() < 0 || m.Bytes() > MaxPackSize || checkVersion(m.Version) != nil {
			t.Errorf("accepted %d bytes, version %q", m.Bytes(), m.Version)
		}
		if m.Minor > minor {
			return
		}
		again, err := m.Encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("accepted what is not canonical: %v\n%s\n%s", err, data, again)
		}
	})
}

func ExampleKindOf() {
	_, err := ParseManifest([]byte("{}"))
	fmt.Println(KindOf(err))
	// Output: bad-manifest
}
