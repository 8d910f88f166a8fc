package pack

import "testing"

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		v, than string
		want    bool
	}{
		{"1.0.1", "1.0.0", true},
		{"1.10.0", "1.9.0", true},
		{"1.0.0", "1.0.0", false},
		{"1.0.0", "1.0.1", false},
		{"1.0.0", "1.0.0-rc.1", true},
		{"1.0.0-rc.1", "1.0.0", false},
		{"1.0.0-rc.10", "1.0.0-rc.9", true},
		{"1.0.0+b", "1.0.0+a", false},
		{"0.0.1", "", true},
		{"0.0.1", "junk", true},
		{"", "", false},
		{"", "1.0.0", false},
		{"junk", "1.0.0", false},
		{"1.1", "1.0.0", false}, // not a whole version
		{"v1.1.0", "1.0.0", false},
	} {
		if got := Newer(c.v, c.than); got != c.want {
			t.Errorf("%q newer than %q: %v", c.v, c.than, got)
		}
	}
}
