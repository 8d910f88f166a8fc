package statement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Identifiers of how packs are built. They are names and lead nowhere.
const (
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "urn:piwork:pack-build:v1"
	builderID     = "urn:piwork:builder:checkout"
)

// Build is how a pack was made.
type Build struct {
	Pack
	Parameters map[string]string // what was asked for
	Internal   map[string]string // what followed from the source
	Versions   map[string]string // of the builder's own tools
	Materials  []Material        // everything that went in
}

// Material is one thing that a pack was made from.
type Material struct {
	Name, URI string
	Digest    string // "sha256:" or "sha512:" and hex
}

// WriteProvenance writes the statement.
func WriteProvenance(w io.Writer, b Build) error {
	s, err := provenance(b)
	if err == nil {
		err = s.Validate()
	}
	var raw []byte
	if err == nil {
		raw, err = protojson.Marshal(s)
	}
	// protojson puts spaces in at random, so that nobody relies on its bytes.
	var out bytes.Buffer
	if err == nil {
		err = json.Indent(&out, raw, "", " ")
	}
	if err == nil {
		out.WriteByte('\n')
		_, err = w.Write(out.Bytes())
	}
	if err != nil {
		return fmt.Errorf("provenance: %w", err)
	}
	return nil
}

func provenance(b Build) (*intoto.Statement, error) {
	external, err := structOf(b.Parameters)
	if err != nil {
		return nil, err
	}
	internal, err := structOf(b.Internal)
	if err != nil {
		return nil, err
	}
	p := &slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{BuildType: buildType, ExternalParameters: external, InternalParameters: internal},
		RunDetails:      &slsa.RunDetails{Builder: &slsa.Builder{Id: builderID, Version: b.Versions}},
	}
	for _, m := range slices.SortedFunc(slices.Values(b.Materials), func(a, b Material) int { return strings.Compare(a.URI+a.Digest, b.URI+b.Digest) }) {
		p.BuildDefinition.ResolvedDependencies = append(p.BuildDefinition.ResolvedDependencies, descriptor(m.Name, m.URI, m.Digest))
	}
	p.BuildDefinition.ResolvedDependencies = slices.CompactFunc(p.BuildDefinition.ResolvedDependencies, func(a, b *intoto.ResourceDescriptor) bool { return proto.Equal(a, b) })
	if err := p.Validate(); err != nil {
		return nil, err
	}
	predicate, err := predicateOf(p)
	if err != nil {
		return nil, err
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, PredicateType: predicateType, Predicate: predicate}
	for _, f := range slices.SortedFunc(slices.Values(b.Files), func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		s.Subject = append(s.Subject, descriptor(f.Name, "", "sha256:"+f.SHA256))
	}
	return s, nil
}

func descriptor(name, uri, digest string) *intoto.ResourceDescriptor {
	d := &intoto.ResourceDescriptor{Name: name, Uri: uri}
	if algorithm, value, ok := strings.Cut(digest, ":"); ok {
		d.Digest = map[string]string{algorithm: value}
	}
	return d
}

func structOf(m map[string]string) (*structpb.Struct, error) {
	fields := map[string]any{}
	for k, v := range m {
		fields[k] = v
	}
	return structpb.NewStruct(fields)
}

// predicateOf is the provenance in the general form that a statement has.
func predicateOf(p *slsa.Provenance) (*structpb.Struct, error) {
	raw, err := protojson.Marshal(p)
	if err != nil {
		return nil, err
	}
	s := &structpb.Struct{}
	return s, protojson.Unmarshal(raw, s)
}
