package proxy

import "testing"

// macOS answers, and with something that can be used.
func TestSystem(t *testing.T) {
	s, err := system(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.checked(); err != nil {
		t.Errorf("%s: %v", s, err)
	}
}
