//go:build vm

package kubernetes

import (
	"path/filepath"
	"testing"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/parity"
)

// What scripts give in a machine, they give in a Pod of an image with the same programs.
func TestParityForReal(t *testing.T) {
	t.Setenv("TZ", "UTC")
	_, _ = parts(t)
	in := packtest.Unpacked(t)
	f := newFake(t)
	f.tree = hostedtest.Tree(t, in, "trees", in.ManifestSHA256)
	parity.Run(t, vmhost.KindKubernetes+":fake", connected(t, config(t, f.cluster())))
}

// Folders of a Pod are copies, in which files are the same.
func TestParityInCopiesForReal(t *testing.T) {
	tier.Rest(t, "TestParityForReal")
	t.Setenv("TZ", "UTC")
	in := packtest.Unpacked(t)
	f := newFake(t)
	f.tree = hostedtest.Tree(t, in, "trees", in.ManifestSHA256)
	dir := hostedtest.Files(t)
	c, _ := sharing(t, config(t, f.cluster()), filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	parity.Run(t, parity.Copies+":"+vmhost.KindKubernetes, connected(t, c))
}

// So they do in the Pod that Podman makes, whose image is a gigabyte.
func TestParityInPodmanForReal(t *testing.T) {
	tier.Rest(t, "TestParityForReal")
	t.Setenv("TZ", "UTC")
	_, agentFile := parts(t)
	in := packtest.Unpacked(t)
	r, _ := playPod(t, hostedtest.Tree(t, in, "trees", in.ManifestSHA256), agentFile, 2048)
	parity.Run(t, vmhost.KindKubernetes+":podman", r)
}
