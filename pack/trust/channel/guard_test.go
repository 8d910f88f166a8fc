package channel

import (
	"errors"
	"strings"
	"testing"

	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// In all tests a panic of the library is a failure, not an answer.
func init() { stumbled = func(p any) { panic(p) } }

// TestGuard: where the library panics all the same, the program goes on. A null
// target is one that does, in the version used when this was written, before it
// looks at any signature.
func TestGuard(t *testing.T) {
	old := stumbled
	defer func() { stumbled = old }()
	heard := 0
	stumbled = func(any) { heard++ }
	data := []byte(`{"signatures":[],"signed":{"_type":"targets","targets":{"a":null}}}`)
	_, err := guard(func() (any, error) { return metadata.Targets().FromBytes(data) })
	if err == nil {
		t.Error("a null target was read")
	}
	if err := walk(data); err == nil || !strings.Contains(err.Error(), "null") {
		t.Errorf("walk: %v", err)
	}
	if _, err := guard(func() (int, error) { var m *metadata.Key; return len(m.Type), nil }); err == nil || heard == 0 {
		t.Errorf("a panic passed: %v, heard %d", err, heard)
	}
	want := errors.New("an error")
	if n, err := guard(func() (int, error) { return 7, want }); n != 7 || !errors.Is(err, want) {
		t.Errorf("got %d, %v", n, err)
	}
}
