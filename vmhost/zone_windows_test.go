package vmhost

import (
	"os"
	"testing"
)

// Windows says its zone by the name that the guest knows, where it has the library for that.
func TestHostTimeZone(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin") // it is as before afterwards
	if got := hostTimeZone(); got != "Europe/Berlin" {
		t.Errorf("with TZ: %q", got)
	}
	if err := os.Unsetenv("TZ"); err != nil {
		t.Fatal(err)
	}
	if got := hostTimeZone(); (got != "") != (icu.Load() == nil) {
		t.Errorf("without TZ: %q, the library: %v", got, icu.Load())
	}
}
