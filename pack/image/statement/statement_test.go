package statement

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
)

func sample() (Pack, []Component) {
	p := Pack{
		Name: "piwork-runtime", Version: "1.2.3", Time: time.Unix(1700000000, 0),
		Files: []File{{"guest/rootfs.img", strings.Repeat("a", 64)}, {"guest/vmlinux", strings.Repeat("b", 64)}},
	}
	return p, []Component{
		{
			Name: "zlib1g", Version: "1:1.3+x", Licence: "Zlib AND LicenseRef-debian-odd", LicenceFile: "licenses/zlib1g/copyright",
			PURL: "pkg:deb/debian/zlib1g@1%3A1.3%2Bx?arch=amd64", Source: "debian:zlib 1:1.3+x", Checksum: "sha256:" + strings.Repeat("c", 64),
		},
		{Name: "@a/b", Version: "1.0.0", Licence: "MIT", LicenceFile: "licenses/npm/a/b/LICENSE", PURL: "pkg:npm/%40a/b@1.0.0", Checksum: "sha512:" + strings.Repeat("d", 128)},
		{Name: "a-b", Version: "1.0.0", LicenceFile: "licenses/a-b/copyright", PURL: "pkg:deb/debian/a-b@1.0.0"},
		{Name: "a-b", Version: "1.0.0", LicenceFile: "licenses/a-b/copyright.other", PURL: "pkg:deb/debian/a-b@1.0.0"},
	}
}

func TestSBOM(t *testing.T) {
	p, components := sample()
	var a, b bytes.Buffer
	if err := WriteSBOM(&a, p, components); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(components[:3])
	p.Time = p.Time.In(time.FixedZone("x", 3600))
	if err := WriteSBOM(&b, p, components); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("the order or the time zone shows:\n%s\n%s", &a, &b)
	}
	doc, err := spdxjson.Read(bytes.NewReader(a.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Packages) != 4 || len(doc.Relationships) != 4 || doc.SPDXVersion != "SPDX-2.3" || !strings.HasPrefix(doc.DocumentNamespace, "urn:uuid:") {
		t.Errorf("%d packages, %d relationships, %s, %s", len(doc.Packages), len(doc.Relationships), doc.SPDXVersion, doc.DocumentNamespace)
	}
	if len(doc.OtherLicenses) != 1 || !strings.Contains(doc.OtherLicenses[0].ExtractedText, "licenses/zlib1g/copyright") {
		t.Errorf("%+v", doc.OtherLicenses)
	}
	ids := map[string]bool{}
	for _, q := range doc.Packages {
		if ids[string(q.PackageSPDXIdentifier)] {
			t.Errorf("%s twice", q.PackageSPDXIdentifier)
		}
		ids[string(q.PackageSPDXIdentifier)] = true
	}
}

func TestIdentifiersDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, s := range []string{"a-b", "a+b", "a/b", "a@b", "a_b", "a:b", "a~b", "a b"} {
		id := idString(s)
		if other, ok := seen[id]; ok || notInID.MatchString(id) {
			t.Errorf("%q and %q are %q", s, other, id)
		}
		seen[id] = s
	}
}

func TestProvenance(t *testing.T) {
	p, _ := sample()
	b := Build{
		Pack: p, Parameters: map[string]string{"hostOS": "linux", "guestArch": "x86_64"}, Internal: map[string]string{"source": "sha256:1"},
		Versions: map[string]string{"go": "1.26.8"},
		Materials: []Material{
			{"zlib1g", "pkg:deb/debian/zlib1g@1", "sha256:" + strings.Repeat("c", 64)},
			{"b", "pkg:npm/b@1", "sha512:" + strings.Repeat("d", 128)},
			{"b", "pkg:npm/b@1", "sha512:" + strings.Repeat("d", 128)},
			{"m", "pkg:golang/m@v1", ""},
		},
	}
	var first bytes.Buffer
	if err := WriteProvenance(&first, b); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		slices.Reverse(b.Materials)
		slices.Reverse(b.Files)
		var again bytes.Buffer
		if err := WriteProvenance(&again, b); err != nil {
			t.Fatal(err)
		}
		if again.String() != first.String() {
			t.Fatalf("%s\n%s", &first, &again)
		}
	}
	var s struct {
		Type          string `json:"_type"`
		PredicateType string
		Subject       []struct {
			Name   string
			Digest map[string]string
		}
		Predicate struct {
			BuildDefinition struct {
				BuildType            string
				ExternalParameters   map[string]string
				ResolvedDependencies []struct{ URI string }
			}
			RunDetails struct{ Builder struct{ ID string } }
		}
	}
	if err := json.Unmarshal(first.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	d := s.Predicate.BuildDefinition
	if s.Type != "https://in-toto.io/Statement/v1" || s.PredicateType != predicateType || len(s.Subject) != 2 ||
		s.Subject[1].Digest["sha256"] != strings.Repeat("b", 64) || len(d.ResolvedDependencies) != 3 ||
		d.ExternalParameters["hostOS"] != "linux" || s.Predicate.RunDetails.Builder.ID == "" {
		t.Errorf("%s", &first)
	}
	if err := WriteProvenance(&first, Build{Pack: Pack{Files: []File{{"x", ""}}}}); err == nil {
		t.Error("a file without a hash was accepted")
	}
}
