package boot

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseOptions(t *testing.T) {
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
	}
	for _, tt := range tests {
		got, err := ParseOptions(tt.line)
		if (err != nil) != tt.bad || got != tt.want {
			t.Errorf("%q: %+v, %v", tt.line, got, err)
		}
	}
}

func TestParseOrder(t *testing.T) {
	many := strings.Repeat("a.ko\n", maxModules+1)
	tests := map[string]struct {
		text string
		want Order
		bad  bool
	}{
		"empty":            {"", Order{}, false},
		"one stage":        {"a.ko\nb-c_d.1.ko\n", Order{First: []string{"a.ko", "b-c_d.1.ko"}}, false},
		"two stages":       {"a.ko\n--\nb.ko", Order{First: []string{"a.ko"}, Rest: []string{"b.ko"}}, false},
		"nothing first":    {"--\nb.ko\n", Order{Rest: []string{"b.ko"}}, false},
		"spaces, comments": {"# order\n\n  a.ko \r\n--\n#x\n", Order{First: []string{"a.ko"}}, false},
		"two separators":   {"--\n--\n", Order{}, true},
		"a path":           {"../a.ko\n", Order{}, true},
		"another path":     {"/a.ko\n", Order{}, true},
		"a dash":           {"-a.ko\n", Order{}, true},
		"hidden":           {".a.ko\n", Order{}, true},
		"not a module":     {"a\n", Order{}, true},
		"compressed":       {"a.ko.xz\n", Order{}, true},
		"two on a line":    {"a.ko b.ko\n", Order{}, true},
		"NUL":              {"a\x00.ko\n", Order{}, true},
		"a long name":      {strings.Repeat("a", 200) + ".ko\n", Order{}, true},
		"many":             {many, Order{}, true},
		"large":            {strings.Repeat("#\n", maxOrderBytes), Order{}, true},
	}
	for name, tt := range tests {
		got, err := ParseOrder(tt.text)
		if (err != nil) != tt.bad || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzParseOrder(f *testing.F) {
	f.Add("a.ko\n--\nb.ko\n")
	f.Add("# x\r\n--")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOrder(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, m := range o.First {
			fmt.Fprintln(&b, m)
		}
		fmt.Fprintln(&b, stageSeparator)
		for _, m := range o.Rest {
			fmt.Fprintln(&b, m)
		}
		for _, m := range append(o.First, o.Rest...) {
			if strings.ContainsAny(m, "/\x00\n") || m == "" || m[0] == '.' || m[0] == '-' {
				t.Errorf("%q is taken", m)
			}
		}
		again, err := ParseOrder(b.String())
		if err != nil || !reflect.DeepEqual(o, again) {
			t.Errorf("%+v became %+v, %v", o, again, err)
		}
	})
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
