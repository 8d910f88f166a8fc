package boot

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseModuleOrder(t *testing.T) {
	many := strings.Repeat("a.ko\n", maxModules+1)
	for name, tt := range map[string]struct {
		text string
		want ModuleOrder
		bad  bool
	}{
		"empty":            {"", ModuleOrder{}, false},
		"one stage":        {"a.ko\nb-c_d.1.ko\n", ModuleOrder{Early: []string{"a.ko", "b-c_d.1.ko"}}, false},
		"two stages":       {"a.ko\n--\nb.ko", ModuleOrder{Early: []string{"a.ko"}, Late: []string{"b.ko"}}, false},
		"nothing early":    {"--\nb.ko\n", ModuleOrder{Late: []string{"b.ko"}}, false},
		"spaces, comments": {"# order\n\n  a.ko \r\n--\n#x\n", ModuleOrder{Early: []string{"a.ko"}}, false},
		"two separators":   {"--\n--\n", ModuleOrder{}, true},
		"a path":           {"../a.ko\n", ModuleOrder{}, true},
		"another path":     {"/a.ko\n", ModuleOrder{}, true},
		"a dash":           {"-a.ko\n", ModuleOrder{}, true},
		"hidden":           {".a.ko\n", ModuleOrder{}, true},
		"not a module":     {"a\n", ModuleOrder{}, true},
		"compressed":       {"a.ko.xz\n", ModuleOrder{}, true},
		"two on a line":    {"a.ko b.ko\n", ModuleOrder{}, true},
		"NUL":              {"a\x00.ko\n", ModuleOrder{}, true},
		"a long name":      {strings.Repeat("a", 200) + ".ko\n", ModuleOrder{}, true},
		"many":             {many, ModuleOrder{}, true},
		"large":            {strings.Repeat("#\n", maxOrderBytes), ModuleOrder{}, true},
	} {
		got, err := ParseModuleOrder(tt.text)
		if (err != nil) != tt.bad || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzParseModuleOrder(f *testing.F) {
	f.Add("a.ko\n--\nb.ko\n")
	f.Add("# x\r\n--")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseModuleOrder(text)
		if err != nil {
			return
		}
		for _, m := range append(o.Early, o.Late...) {
			if strings.ContainsAny(m, "/\x00\n") || m == "" || m[0] == '.' || m[0] == '-' {
				t.Errorf("%q is taken", m)
			}
		}
		again, err := ParseModuleOrder(o.String())
		if err != nil || !reflect.DeepEqual(o, again) {
			t.Errorf("%+v became %+v, %v", o, again, err)
		}
	})
}
