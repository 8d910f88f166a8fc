//go:build long

package ninep_test

import (
	"testing"

	"piwork/vmhost/share/conformance"
)

// Each operation gives the same answers whatever file system the folder lies on, but for what that
// cannot do.
func TestConformanceOnDisks(t *testing.T) { conformance.Disks(t, served) }
