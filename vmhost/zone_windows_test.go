package vmhost

import (
	"os"
	"testing"
)

// Windows says its zone by the name that the guest knows.
func TestHostTimeZone(t *testing.T) {
	if _, set := os.LookupEnv("TZ"); set {
		t.Skip("TZ says the zone")
	}
	if icu.Load() != nil {
		t.Skip("this Windows has no icu.dll")
	}
	if hostTimeZone() == "" {
		t.Error("there is no zone")
	}
}
