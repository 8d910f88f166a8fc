package setup

import "strings"

// menu is the way to the switch for virtualization in a maker's firmware. The
// labels are English there, whatever the system's language.
type menu struct {
	Key  string // to press right after switching on
	Path string // from menu to menu to the switch
}

// makerOf names the maker of a computer, or of its mainboard, from the
// firmware's tables; "" when its menus are not known. A computer that was
// built from parts names none, and its board does.
func makerOf(id identity) string {
	for _, text := range []string{id.Vendor, id.Board} {
		text = strings.ToLower(text)
		for _, row := range []struct{ part, maker string }{
			{"dell", "dell"}, {"alienware", "dell"}, {"hewlett", "hp"}, {"hp", "hp"}, {"lenovo", "lenovo"}, {"acer", "acer"},
			{"asustek", "asus"}, {"asus", "asus"}, {"micro-star", "msi"}, {"msi", "msi"}, {"gigabyte", "gigabyte"}, {"asrock", "asrock"},
			{"microsoft", "microsoft"}, {"fujitsu", "fujitsu"}, {"samsung", "samsung"}, {"dynabook", "toshiba"}, {"toshiba", "toshiba"},
			{"framework", "framework"}, {"intel", "intel"}, {"huawei", "huawei"},
		} {
			if strings.HasPrefix(text, row.part) {
				return row.maker
			}
		}
	}
	return ""
}

// menus are from the makers' manuals; a model may differ, which the words say.
var menus = map[string]struct{ key, intel, amd string }{
	"dell":      {"F2", "Virtualization Support > Virtualization", "Virtualization Support > Virtualization"},
	"hp":        {"F10", "Security > System Security > Virtualization Technology (VTx)", "Security > System Security > Virtualization Technology"},
	"lenovo":    {"F1, F2", "Security > Virtualization > Intel Virtualization Technology", "Security > Virtualization > AMD SVM Technology"},
	"acer":      {"F2", "Main > Virtualization Technology", "Main > SVM Support"},
	"asus":      {"F2, Del", "Advanced > CPU Configuration > Intel (VMX) Virtualization Technology", "Advanced > CPU Configuration > SVM Mode"},
	"msi":       {"Del", "OC > CPU Features > Intel Virtualization Tech", "OC > CPU Features > SVM Mode"},
	"gigabyte":  {"Del", "Tweaker > Advanced CPU Settings > Intel Virtualization Technology", "Tweaker > Advanced CPU Settings > SVM Mode"},
	"asrock":    {"F2, Del", "Advanced > CPU Configuration > Intel Virtualization Technology", "Advanced > CPU Configuration > SVM Mode"},
	"microsoft": {"", "", ""}, // Surface: it cannot be switched off
	"fujitsu":   {"F2", "Advanced > CPU Features > Virtualization Technology", "Advanced > CPU Features > SVM Support"},
	"samsung":   {"F2", "Advanced > Intel Virtualization Technology", "Advanced > AMD SVM"},
	"toshiba":   {"F2", "Advanced > System Configuration > Virtualization Technology", "Advanced > System Configuration > Virtualization Technology"},
	"framework": {"F2", "Advanced > Virtualization Technology", "Advanced > SVM Mode"},
	"intel":     {"F2", "Advanced > Performance > Intel Virtualization Technology", ""},
	"huawei":    {"F2", "Advanced > Intel Virtualization Technology", "Advanced > SVM Mode"},
}

// menuOf is the way to the switch; for makers that are not known the usual one.
func menuOf(maker, vendor string) menu {
	m := menu{Key: "F2, Del, F10, Esc", Path: "Intel Virtualization Technology (VT-x), AMD SVM"}
	switch vendor {
	case "intel":
		m.Path = "Intel Virtualization Technology (VT-x)"
	case "amd":
		m.Path = "SVM Mode"
	}
	known := menus[maker]
	if known.key != "" {
		m.Key = known.key
	}
	switch {
	case vendor == "intel" && known.intel != "":
		m.Path = known.intel
	case vendor == "amd" && known.amd != "":
		m.Path = known.amd
	}
	return m
}
