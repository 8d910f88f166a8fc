package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piwork/pack/spec"
)

func validManifest(t testing.TB) spec.Manifest {
	t.Helper()
	sum := strings.Repeat("ab", 32)
	return spec.Manifest{
		Key: strings.Repeat("cd", 32), Schema: spec.Schema, Name: "piwork-runtime", Version: "1.2.3",
		HostOS: "linux", HostArch: "amd64", GuestArch: "x86_64", RequiresApp: ">=0.1.0",
		Built: time.Unix(1_700_000_000, 0).UTC(),
		Files: []spec.File{
			{Path: "guest/rootfs.img", Size: 5, Mode: 0o644, SHA256: sum, Role: spec.RoleRootFS},
			{Path: "licenses/a/copyright", Size: 0, Mode: 0o644, SHA256: sum, Role: spec.RoleLicence},
			{Path: "qemu/bin/qemu-system-x86_64", Size: spec.MaxFileSize, Mode: 0o755, SHA256: sum, Role: spec.RoleQEMU},
		},
		Tools:    []spec.Tool{{Name: "qpdf", Version: "12.2.0", Operations: []string{"pdf.merge"}}},
		Licences: []spec.Licence{{Package: "a", Version: "1", Licence: "GPL-2.0-only AND <x>", File: "licenses/a/copyright", Source: "https://example.org/a"}},
		Layers:   []spec.Layer{{Name: "base", Version: "1.2.3", Path: "guest/rootfs.img"}},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	m := validManifest(t)
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := spec.ParseManifest(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := got.Encode()
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("%v\n%s\n%s", err, raw, again)
	}
	if id, ok := spec.KeyHint(raw); !ok || id != m.Key {
		t.Errorf("hint %q, %v", id, ok)
	}
	if m.ArchiveName() != "piwork-runtime-linux-amd64-1.2.3.tar.zst" || m.Bytes() != spec.MaxFileSize+5 {
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
		kind spec.Kind
	}{
		"canonical":                      {string(raw), ""},
		"unknown field":                  {edit(`"schema": 1,`, "\"schema\": 1,\n \"new\": true,"), spec.KindBadManifest},
		"unknown field of a newer minor": {edit(`"schema": 1,`, `"schema": 1, "minor": 3, "new": {"x": [1]},`), ""},
		"newer minor, unknown in a file": {strings.Replace(newer, `"path":`, `"new": 1, "path":`, 1), ""},
		"newer minor, bad name":          {strings.Replace(newer, "guest/rootfs.img", "../x", 1), spec.KindUnsafeName},
		"newer minor, data after":        {newer + "x", spec.KindBadManifest},
		"absurd minor":                   {edit(`"schema": 1,`, `"schema": 1, "minor": 4000,`), spec.KindBadManifest},
		"newer schema":                   {edit(`"schema": 1,`, `"schema": 2,`), spec.KindUnknownSchema},
		"older schema":                   {edit(`"schema": 1,`, `"schema": 0,`), spec.KindBadManifest},
		"no schema":                      {edit(` "schema": 1,`, ``), spec.KindBadManifest},
		"schema as text":                 {edit(`"schema": 1,`, `"schema": "1",`), spec.KindBadManifest},
		"repeated field":                 {edit(`"schema": 1,`, "\"schema\": 1,\n \"schema\": 1,"), spec.KindBadManifest},
		"another case":                   {edit(`"schema"`, `"Schema"`), spec.KindBadManifest},
		"other spaces":                   {edit(`"schema": 1`, `"schema":1`), spec.KindBadManifest},
		"no end of line":                 {strings.TrimSuffix(string(raw), "\n"), spec.KindBadManifest},
		"two documents":                  {string(raw) + "{}\n", spec.KindBadManifest},
		"cut":                            {string(raw[:len(raw)/2]), spec.KindBadManifest},
		"empty":                          {"", spec.KindBadManifest},
		"null":                           {"null\n", spec.KindBadManifest},
		"size as a fraction":             {edit(`"size": 5`, `"size": 5.0`), spec.KindBadManifest},
		"size beyond 64 bits":            {edit(`"size": 5`, `"size": 99999999999999999999`), spec.KindBadManifest},
		"escaped name":                   {edit(`guest/rootfs`, `guest\u002frootfs`), spec.KindBadManifest},
		"time with an offset":            {edit(`:20Z`, `:20+00:00`), spec.KindBadManifest},
		"too large":                      {strings.Repeat(" ", spec.MaxManifest) + string(raw), spec.KindTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := spec.ParseManifest([]byte(tc.raw))
			if spec.KindOf(err) != tc.kind || (err == nil) != (tc.kind == "") {
				t.Errorf("got %v, want %q", err, tc.kind)
			}
		})
	}
}

func TestManifestsThatAreRefused(t *testing.T) {
	many := func(n int) []string { return make([]string, n) }
	for name, tc := range map[string]struct {
		change func(m *spec.Manifest)
		kind   spec.Kind
	}{
		"name":                      {func(m *spec.Manifest) { m.Name = "Piwork/../x" }, spec.KindBadManifest},
		"no version":                {func(m *spec.Manifest) { m.Version = "" }, spec.KindBadManifest},
		"version with v":            {func(m *spec.Manifest) { m.Version = "v1.2.3" }, spec.KindBadManifest},
		"short version":             {func(m *spec.Manifest) { m.Version = "1.2" }, spec.KindBadManifest},
		"version in capitals":       {func(m *spec.Manifest) { m.Version = "1.2.3-RC1" }, spec.KindBadManifest},
		"long version":              {func(m *spec.Manifest) { m.Version = "1.2.3-" + strings.Repeat("a", 64) }, spec.KindBadManifest},
		"host":                      {func(m *spec.Manifest) { m.HostOS = "" }, spec.KindBadManifest},
		"host architecture":         {func(m *spec.Manifest) { m.HostArch = "AMD 64" }, spec.KindBadManifest},
		"guest architecture":        {func(m *spec.Manifest) { m.GuestArch = "x86/64" }, spec.KindBadManifest},
		"range":                     {func(m *spec.Manifest) { m.RequiresApp = "newest" }, spec.KindBadManifest},
		"long range":                {func(m *spec.Manifest) { m.RequiresApp = strings.Repeat(">=1 ", 1000) }, spec.KindBadManifest},
		"key":                       {func(m *spec.Manifest) { m.Key = "mine" }, spec.KindBadManifest},
		"not UTC":                   {func(m *spec.Manifest) { m.Built = m.Built.In(time.FixedZone("x", 3600)) }, spec.KindBadManifest},
		"part of a second":          {func(m *spec.Manifest) { m.Built = m.Built.Add(1) }, spec.KindBadManifest},
		"before 1970":               {func(m *spec.Manifest) { m.Built = time.Unix(-1, 0).UTC() }, spec.KindBadManifest},
		"no time":                   {func(m *spec.Manifest) { m.Built = time.Time{} }, spec.KindBadManifest},
		"far future":                {func(m *spec.Manifest) { m.Built = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }, spec.KindBadManifest},
		"unsorted":                  {func(m *spec.Manifest) { m.Files[0], m.Files[1] = m.Files[1], m.Files[0] }, spec.KindBadManifest},
		"mode":                      {func(m *spec.Manifest) { m.Files[0].Mode = 0o777 }, spec.KindBadManifest},
		"hash in capitals":          {func(m *spec.Manifest) { m.Files[0].SHA256 = strings.Repeat("AB", 32) }, spec.KindBadManifest},
		"short hash":                {func(m *spec.Manifest) { m.Files[0].SHA256 = "ab" }, spec.KindBadManifest},
		"role":                      {func(m *spec.Manifest) { m.Files[0].Role = "" }, spec.KindBadManifest},
		"too many files":            {func(m *spec.Manifest) { m.Files = make([]spec.File, spec.MaxFiles+1) }, spec.KindTooLarge},
		"too many tools":            {func(m *spec.Manifest) { m.Tools = make([]spec.Tool, spec.MaxTools+1) }, spec.KindBadManifest},
		"too many operations":       {func(m *spec.Manifest) { m.Tools[0].Operations = many(spec.MaxTools + 1) }, spec.KindBadManifest},
		"empty operation":           {func(m *spec.Manifest) { m.Tools[0].Operations = many(1) }, spec.KindBadManifest},
		"tool with control codes":   {func(m *spec.Manifest) { m.Tools[0].Name = "\x1b[31m" }, spec.KindBadManifest},
		"tool that is not UTF-8":    {func(m *spec.Manifest) { m.Tools[0].Version = "\xff" }, spec.KindBadManifest},
		"licence without a package": {func(m *spec.Manifest) { m.Licences[0].Package = "" }, spec.KindBadManifest},
		"licence of no file":        {func(m *spec.Manifest) { m.Licences[0].File = "licenses/b" }, spec.KindBadManifest},
		"long source":               {func(m *spec.Manifest) { m.Licences[0].Source = strings.Repeat("x", spec.MaxWord+1) }, spec.KindBadManifest},
		"too many licences":         {func(m *spec.Manifest) { m.Licences = make([]spec.Licence, spec.MaxLicences+1) }, spec.KindBadManifest},
		"layer of no file":          {func(m *spec.Manifest) { m.Layers[0].Path = "guest/other.img" }, spec.KindBadManifest},
		"layer twice":               {func(m *spec.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }, spec.KindBadManifest},
		"layer version":             {func(m *spec.Manifest) { m.Layers[0].Version = "1" }, spec.KindBadManifest},
		"layer name":                {func(m *spec.Manifest) { m.Layers[0].Name = "../x" }, spec.KindBadManifest},
	} {
		t.Run(name, func(t *testing.T) {
			m := validManifest(t)
			tc.change(&m)
			if _, err := m.Encode(); spec.KindOf(err) != tc.kind {
				t.Errorf("encode: got %v, want %s", err, tc.kind)
			}
			raw, err := json.MarshalIndent(m, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := spec.ParseManifest(append(raw, '\n')); spec.KindOf(err) != tc.kind {
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
		if err := spec.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/..", "a/../b", `a\b`, "a:b", "C:/a", "a*", "a?", `a"`, "a<", "a>", "a|",
		"a\x00", "a\n", "a\x7f", "ä", "a\u202e", " a", "a ", "a.", "a./b", "a /b", "CON", "con.txt", "x/Aux", "nul", "PRN.", "com1", "LPT9.x", "conin$", "nul .txt",
		strings.Repeat("a", 101), strings.Repeat("a", 156) + "/b", "a/" + strings.Repeat("b", 101), strings.Repeat("a/", 16) + "a", strings.Repeat("a", 300),
	} {
		if err := spec.CheckName(name); err == nil {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestNameSet(t *testing.T) {
	for _, tc := range []struct {
		names []string
		kind  spec.Kind // of the last one
	}{
		{[]string{"a", "b", "c/a", "c/b"}, ""},
		{[]string{"a", "a"}, spec.KindDuplicateFile},
		{[]string{"a", "A"}, spec.KindUnsafeName},
		{[]string{"x/a", "X/b"}, spec.KindUnsafeName},
		{[]string{"x/y/a", "x/Y/b"}, spec.KindUnsafeName},
		{[]string{"a", "a/b"}, spec.KindUnsafeName},
		{[]string{"a/b", "a"}, spec.KindUnsafeName},
		{[]string{"A/b", "a"}, spec.KindUnsafeName},
		{[]string{"a", "A/b"}, spec.KindUnsafeName},
	} {
		var s spec.NameSet
		for i, n := range tc.names {
			want := spec.Kind("")
			if i == len(tc.names)-1 {
				want = tc.kind
			}
			if err := s.Add(n); spec.KindOf(err) != want {
				t.Errorf("%q: got %v, want %q", tc.names, err, want)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	m := validManifest(t)
	for _, tc := range []struct {
		p        spec.Policy
		requires string
		kind     spec.Kind
	}{
		{spec.Policy{HostOS: "linux", HostArch: "amd64"}, ">=1.0.0", ""},
		{spec.Policy{HostOS: "linux", HostArch: "arm64"}, "", spec.KindWrongPlatform},
		{spec.Policy{HostOS: "windows", HostArch: "amd64"}, "", spec.KindWrongPlatform},
		{spec.Policy{AnyPlatform: true, HostOS: "windows"}, "", ""},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "1.2.0"}, ">=1.0.0 <2.0.0", ""},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "1.0.0-dev"}, ">=1.0.0 <2.0.0", ""},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "v1.0.0"}, ">=1.0.0", ""},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "2.0.0"}, ">=1.0.0 <2.0.0", spec.KindWrongAppVersion},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "0.9.9"}, ">=1.0.0", spec.KindWrongAppVersion},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "unknown"}, ">=1.0.0", spec.KindWrongAppVersion},
		{spec.Policy{HostOS: "linux", HostArch: "amd64", AppVersion: "unknown"}, "", ""},
	} {
		m.RequiresApp = tc.requires
		if err := tc.p.Check(&m); spec.KindOf(err) != tc.kind {
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
		spec.KeyHint(data)
		m, err := spec.ParseManifest(data)
		if err != nil {
			if spec.KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		var names spec.NameSet
		for i, file := range m.Files {
			if err := spec.CheckName(file.Path); err != nil {
				t.Errorf("accepted %q: %v", file.Path, err)
			}
			if err := names.Add(file.Path); err != nil {
				t.Error(err)
			}
			if file.Size < 0 || i > 0 && file.Path <= m.Files[i-1].Path {
				t.Errorf("accepted %+v after %+v", file, m.Files[max(i-1, 0)])
			}
		}
		if m.Bytes() < 0 || m.Bytes() > spec.MaxPackSize || spec.CheckVersion(m.Version) != nil {
			t.Errorf("accepted %d bytes, version %q", m.Bytes(), m.Version)
		}
		if m.Minor > spec.Minor {
			return
		}
		again, err := m.Encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("accepted what is not canonical: %v\n%s\n%s", err, data, again)
		}
	})
}

func ExampleKindOf() {
	_, err := spec.ParseManifest([]byte("{}"))
	fmt.Println(spec.KindOf(err))
	// Output: bad-manifest
}
