package repo

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// Describe returns what the repository holds, as text for people.
func (r *Repo) Describe() (string, error) {
	var b strings.Builder
	line := func(name string, version int64, expires time.Time, ids []string, threshold int) {
		state := "until " + expires.UTC().Format("2006-01-02 15:04 MST")
		if r.now.After(expires) {
			state = "EXPIRED " + expires.UTC().Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(&b, "%-10s version %d, %s, %d of %d keys:", name, version, state, threshold, len(ids))
		for _, id := range ids {
			fmt.Fprintf(&b, " %.16s", id)
		}
		b.WriteByte('\n')
	}
	if r.root == nil {
		b.WriteString("nothing is published\n")
	} else {
		roles := r.root.Signed.Roles
		line("root", r.root.Signed.Version, r.root.Signed.Expires, roles[metadata.ROOT].KeyIDs, roles[metadata.ROOT].Threshold)
		line("timestamp", r.stamp.Signed.Version, r.stamp.Signed.Expires, roles[metadata.TIMESTAMP].KeyIDs, roles[metadata.TIMESTAMP].Threshold)
		line("snapshot", r.snap.Signed.Version, r.snap.Signed.Expires, roles[metadata.SNAPSHOT].KeyIDs, roles[metadata.SNAPSHOT].Threshold)
		top, err := load(metadata.Targets(), r.metadata(r.snap.Signed.Meta["targets.json"].Version, metadata.TARGETS))
		if err != nil {
			return "", err
		}
		line("targets", top.Signed.Version, top.Signed.Expires, roles[metadata.TARGETS].KeyIDs, roles[metadata.TARGETS].Threshold)
		if top.Signed.Delegations != nil {
			for _, d := range top.Signed.Delegations.Roles {
				m, err := load(metadata.Targets(), r.metadata(r.snap.Signed.Meta[d.Name+".json"].Version, d.Name))
				if err != nil {
					return "", err
				}
				line(d.Name, m.Signed.Version, m.Signed.Expires, d.KeyIDs, d.Threshold)
				for _, path := range slices.Sorted(maps.Keys(m.Signed.Targets)) {
					fmt.Fprintf(&b, "           %s\n", path)
				}
			}
		}
	}
	if l, err := r.KeyList(); err == nil {
		for _, k := range l.Signing {
			fmt.Fprintf(&b, "pack key   %s %s\n", k.ID, k.Name)
		}
		for _, k := range l.Revoked {
			fmt.Fprintf(&b, "revoked    %s %s\n", k.ID, k.Reason)
		}
		for _, w := range l.Withdrawn {
			fmt.Fprintf(&b, "withdrawn  %s %s\n", w.Version, w.Reason)
		}
		if l.Minimum != "" {
			fmt.Fprintf(&b, "minimum    %s\n", l.Minimum)
		}
	}
	if r.newRoot != nil {
		fmt.Fprintf(&b, "staged: root version %d, %d signatures\n", r.newRoot.Signed.Version, len(r.newRoot.Signatures))
	}
	for _, name := range slices.Sorted(maps.Keys(r.staged)) {
		fmt.Fprintf(&b, "staged: %s version %d, %d signatures\n", name, r.staged[name].Signed.Version, len(r.staged[name].Signatures))
	}
	return b.String(), nil
}
