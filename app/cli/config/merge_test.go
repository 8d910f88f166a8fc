package config

import (
	"fmt"
	"testing"
)

// Settings are merged one by one: what only one side changed is as that side has it, also
// beside others of its group. What both changed is a conflict.
func TestMerge(t *testing.T) {
	const both = "both"
	for _, tt := range []struct{ key, base, edited, now, want string }{
		{"machines.memory", "auto", "2G", "auto", "2G"},
		{"machines.memory", "auto", "auto", "4G", "4G"},
		{"machines.memory", "auto", "2G", "2G", "2G"},
		{"machines.memory", "4G", "auto", "4G", "auto"},
		{"machines.memory", "auto", "2G", "4G", both},
		{"machines.memory", "2G", "auto", "4G", both},
		{"machines.instant", "true", "false", "true", "false"},
		{"updates.urls", "https://a.example", "https://b.example", "https://a.example", "[https://b.example]"},
		{"updates.urls", "", "", "https://a.example", "[https://a.example]"},
		{"updates.urls", "https://a.example", "", "https://b.example", both},
		{"search.url", "off", "https://s.example", "off", "https://s.example"},
		{"search.url", "https://s.example", "https://s.example", "off", "off"},
		{"models.default", "auto", "own/m1", "own/m2", both},
		{"undo.days", "forever", "7", "forever", "7"},
	} {
		has := func(value string) Values {
			v := Defaults()
			if err := v.typed(tt.key + "=" + value); err != nil {
				t.Fatal(err)
			}
			return v
		}
		base, edited, now := has(tt.base), has(tt.edited), has(tt.now)
		now.Machines.CPUs, now.Undo.SpaceMB, now.Updates.Proxy = 3, 1500, "http://proxy.example"
		out, conflicts, err := merge(base, edited, now)
		s, _ := find(tt.key)
		got := fmt.Sprint(s.get(&out))
		if len(conflicts) == 1 && conflicts[0].key == tt.key {
			got = both
		}
		if err != nil || got != tt.want || out.Machines.CPUs != 3 || out.Undo.SpaceMB != 1500 || out.Updates.Proxy != now.Updates.Proxy {
			t.Errorf("%+v: %s %v %+v", tt, got, err, out)
		}
	}
}
