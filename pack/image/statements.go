package image

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"piwork/pack/durable"
	"piwork/pack/image/statement"
	"piwork/pack/spec"
)

// Files that say what a pack is and how it was made.
const (
	sbomPath       = "sbom.spdx.json"
	provenancePath = "provenance.json"
)

// statements makes the part with the bill of materials and the provenance of
// what is otherwise complete. Terms and lists are no subject of the provenance:
// they follow from the rest.
func (b *builder) statements(ctx context.Context, c contents, m spec.Manifest, components []component, content string) (string, error) {
	about := statement.Pack{Name: m.Name, Version: m.Version, Time: m.Built}
	return b.part(ctx, b.flavoured(partOf("statements", c.name)), nil, []any{content, m.Version}, func(_ context.Context, dir string) error {
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			if strings.HasPrefix(name, "licenses/") {
				continue
			}
			sum, err := durable.SHA256(c.files[name])
			if err != nil {
				return err
			}
			about.Files = append(about.Files, statement.File{Name: name, SHA256: sum})
		}
		var list []statement.Component
		for _, p := range components {
			q := statement.Component{
				Name: p.Package, Version: p.Version, Licence: p.Licence.Licence, LicenceFile: p.File, PURL: p.PURL, Source: p.Source, Checksum: p.Checksum,
			}
			if q.Licence == seeFile {
				q.Licence = ""
			}
			list = append(list, q)
		}
		var sbom, provenance bytes.Buffer
		if err := statement.WriteSBOM(&sbom, about, list); err != nil {
			return err
		}
		if err := statement.WriteProvenance(&provenance, b.provenance(c, about)); err != nil {
			return err
		}
		for name, text := range map[string]*bytes.Buffer{sbomPath: &sbom, provenancePath: &provenance} {
			if err := writeNew(filepath.Join(dir, name), bytes.NewReader(text.Bytes()), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// provenance says what was asked for and what went in: every package of every
// set, not only those that files were taken from.
func (b *builder) provenance(c contents, about statement.Pack) statement.Build {
	p := statement.Build{
		Pack: about,
		Parameters: map[string]string{
			"name": c.name, "hostOS": c.hostOS, "hostArch": c.hostArch, "guestArch": b.guest.qemu, "version": about.Version, "node": b.node,
			"sourceDateEpoch": strconv.FormatInt(about.Time.Unix(), 10),
		},
		Internal: map[string]string{"recipe": "sha256:" + b.source, "suite": suite},
		Versions: map[string]string{"recipe": Version},
	}
	if b.epoch != nil {
		p.Parameters["sourceDateEpochIsGiven"] = "true"
	}
	for _, s := range slices.Concat(c.sets, c.extra) {
		l := b.locks[s]
		for _, q := range l.Packages {
			p.Materials = append(p.Materials, statement.Material{Name: q.Name, URI: debianPURL(q), Digest: "sha256:" + q.SHA256})
		}
		for _, src := range l.Sources {
			for _, f := range src.Files {
				uri := "pkg:deb/debian/" + src.Name + "@" + purlVersion(src.Version) + "?arch=source&distro=" + suite + "#" + f.Name
				p.Materials = append(p.Materials, statement.Material{Name: f.Name, URI: uri, Digest: "sha256:" + f.SHA256})
			}
		}
	}
	for _, q := range c.npm {
		if sum, err := q.SHA512(); err == nil {
			p.Materials = append(p.Materials, statement.Material{Name: q.Name, URI: q.PURL(), Digest: "sha512:" + sum})
		}
	}
	for _, m := range c.modules {
		if m.Path == "go" {
			p.Versions["go"] = m.Version
			continue
		}
		p.Materials = append(p.Materials, statement.Material{Name: m.Path, URI: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	return p
}
