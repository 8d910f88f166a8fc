package boot

import (
	"reflect"
	"strings"
	"testing"

	"piwork/pack/guest/verity"
)

func TestParseOptions(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	protected := hash + "::7"
	tests := []struct {
		line string
		want Options
		bad  bool
	}{
		{"", Options{}, false},
		{"console=ttyS0 panic=-1 quiet\n", Options{}, false},
		{"console=ttyS0 piwork.root=/dev/vda piwork.work=/dev/vdb", Options{Root: "/dev/vda", Work: "/dev/vdb"}, false},
		{"piwork.root=/dev/vda", Options{Root: "/dev/vda"}, false},
		{"piwork.root=/dev/vda piwork.root=/dev/vdc piwork.later=1", Options{Root: "/dev/vdc"}, false},
		{"piwork.root= piwork.work=", Options{}, false},
		{"piwork.root", Options{}, false},
		{"piwork.root=/dev/disk/by-id/x", Options{Root: "/dev/disk/by-id/x"}, false},
		{"piwork.root=vda", Options{}, true},
		{"piwork.root=/etc/passwd", Options{}, true},
		{"piwork.root=/dev/../etc/passwd", Options{}, true},
		{"piwork.root=/dev/vda piwork.work=/dev/", Options{}, true},
		{"piwork.work=/dev/vdb", Options{}, true},
		{"piwork.root=/dev/vda piwork.verity=" + protected, Options{Root: "/dev/vda", Verity: &verity.Params{RootHash: hash, DataBlocks: 7}}, false},
		{"piwork.root=/dev/vda piwork.verity=" + protected + " piwork.verity=", Options{Root: "/dev/vda"}, false},
		{"piwork.verity=" + protected, Options{}, true},
		{"piwork.root=/dev/vda piwork.verity=" + protected[2:], Options{}, true},
		{"piwork.root=/dev/vda piwork.verity=off", Options{}, true},
	}
	for _, tt := range tests {
		got, err := ParseOptions(tt.line)
		if (err != nil) != tt.bad || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, %v", tt.line, got, err)
		}
	}
}

func FuzzParseOptions(f *testing.F) {
	f.Add("console=ttyS0 piwork.root=/dev/vda piwork.work=/dev/vdb")
	f.Fuzz(func(t *testing.T, line string) {
		o, err := ParseOptions(line)
		if err != nil {
			return
		}
		for _, dev := range []string{o.Root, o.Work} {
			if dev != "" && (!strings.HasPrefix(dev, "/dev/") || strings.Contains(dev, "..")) {
				t.Errorf("%q", dev)
			}
		}
	})
}
