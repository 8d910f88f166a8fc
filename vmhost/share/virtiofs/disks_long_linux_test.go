//go:build long

package virtiofs_test

import (
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
)

// Each operation gives the same answers whatever file system the folder lies on, but for what that
// cannot do.
func TestConformanceOnDisks(t *testing.T) {
	conformance.Disks(t, func(t *testing.T, set *share.Set) conformance.Guest { return mount(t, set) })
}
