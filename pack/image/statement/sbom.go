package statement

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// Pack is what the statements are about.
type Pack struct {
	Name, Version string
	Time          time.Time
	Files         []File // that it consists of; their order does not matter
}

// File is a file of the pack.
type File struct{ Name, SHA256 string }

// Component is a package in the pack.
type Component struct {
	Name, Version string
	Licence       string // SPDX expression, "" when only its text says
	LicenceFile   string // in the pack
	PURL          string
	Source        string // where its source is offered
	Checksum      string // "sha256:" or "sha512:" and hex, "" when there is no package file
}

// reference matches licences that SPDX has no name for.
var reference = regexp.MustCompile(`LicenseRef-[A-Za-z0-9.-]+`)

const noAssertion = "NOASSERTION"

// WriteSBOM writes the bill of materials.
func WriteSBOM(w io.Writer, p Pack, components []Component) error {
	self := &spdx.Package{
		PackageName: p.Name, PackageSPDXIdentifier: "Pack", PackageVersion: p.Version, PackageDownloadLocation: noAssertion,
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
	}
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: p.Name + "-" + p.Version,
		CreationInfo: &spdx.CreationInfo{
			Created:  p.Time.UTC().Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "piwork-pack-build"}},
		},
		Packages:      []*spdx.Package{self},
		Relationships: []*spdx.Relationship{relation("DOCUMENT", "DESCRIBES", "Pack")},
	}
	refs := map[string][]string{} // licence → files with its text
	ids := map[string]bool{}
	for _, c := range slices.SortedFunc(slices.Values(components), byIdentity) {
		id := common.ElementID("Package-" + idString(c.Name+"-"+c.Version))
		if ids[string(id)] { // the same in two sets
			continue
		}
		ids[string(id)] = true
		q := &spdx.Package{
			PackageName: c.Name, PackageSPDXIdentifier: id, PackageVersion: c.Version, PackageDownloadLocation: noAssertion,
			PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
			PackageSourceInfo: c.Source, PackageLicenseComments: "Terms: " + c.LicenceFile,
			PackageExternalReferences: []*spdx.PackageExternalReference{{Category: "PACKAGE-MANAGER", RefType: "purl", Locator: c.PURL}},
		}
		if c.Licence != "" {
			q.PackageLicenseDeclared = c.Licence
			for _, r := range reference.FindAllString(c.Licence, -1) {
				if !slices.Contains(refs[r], c.LicenceFile) {
					refs[r] = append(refs[r], c.LicenceFile)
				}
			}
		}
		if c.Checksum != "" {
			algorithm, value, _ := strings.Cut(c.Checksum, ":")
			q.PackageChecksums = []common.Checksum{{Algorithm: common.ChecksumAlgorithm(strings.ToUpper(algorithm)), Value: value}}
		}
		doc.Packages = append(doc.Packages, q)
		doc.Relationships = append(doc.Relationships, relation("Pack", "CONTAINS", id))
	}
	for _, r := range slices.Sorted(maps.Keys(refs)) {
		doc.OtherLicenses = append(doc.OtherLicenses, &spdx.OtherLicense{
			LicenseIdentifier: r, LicenseName: strings.TrimPrefix(r, "LicenseRef-debian-"),
			ExtractedText: "The text is in the pack: " + strings.Join(refs[r], ", "),
		})
	}
	// A name that nobody else uses: it follows from the content.
	var content bytes.Buffer
	if err := spdxjson.Write(doc, &content); err != nil {
		return fmt.Errorf("SBOM: %w", err)
	}
	doc.DocumentNamespace = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, content.Bytes()).String()
	if err := spdxjson.Write(doc, w, spdxjson.Indent(" "), spdxjson.EscapeHTML(false)); err != nil {
		return fmt.Errorf("SBOM: %w", err)
	}
	return nil
}

func relation(a common.ElementID, kind string, b common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{RefA: common.MakeDocElementID("", string(a)), RefB: common.MakeDocElementID("", string(b)), Relationship: kind}
}

func byIdentity(a, b Component) int {
	return strings.Compare(a.Name+"\n"+a.Version+"\n"+a.PURL, b.Name+"\n"+b.Version+"\n"+b.PURL)
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// idString keeps what identifiers may have; other bytes become their numbers, so
// that two names never become one.
func idString(s string) string {
	return notInID.ReplaceAllStringFunc(s, func(c string) string { return fmt.Sprintf("-%x-", c) })
}
