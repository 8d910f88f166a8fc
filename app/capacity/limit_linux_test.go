package capacity

import (
	"os"
	"path/filepath"
	"testing"
)

// plant writes files of a pretended /sys.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestControlGroups(t *testing.T) {
	root := plant(t, map[string]string{
		"memory.max":               "max\n",
		"user/memory.max":          "4000\n",
		"user/memory.current":      "3000\n",
		"user/memory.stat":         "anon 1\ninactive_file 500\nactive_file 7\n",
		"user/app/memory.max":      "max\n",
		"user/full/memory.max":     "1000\n",
		"user/full/memory.stat":    "nonsense",
		"user/full/memory.current": "1200\n",
	})
	for _, r := range []struct {
		own         string
		total, free uint64
	}{
		{"0::/\n", 9000, 8000},
		{"0::/user/app\n", 4000, 1500},
		{"0::/user/full\n", 1000, 0},
		{"0::/gone/from/here\n", 9000, 8000},
		{"0::/../../user\n", 4000, 1500},
		{"4:memory:/user\n", 9000, 8000},
		{"4:cpu:/\n0::/user\n", 4000, 1500},
		{"", 9000, 8000},
	} {
		if total, free := withinGroup(root, r.own, 9000, 8000); total != r.total || free != r.free {
			t.Errorf("%q: %d, %d", r.own, total, free)
		}
	}
}

func TestSupplies(t *testing.T) {
	for name, r := range map[string]struct {
		files map[string]string
		want  Power
	}{
		"none":  {nil, Power{Percent: -1}},
		"mains": {map[string]string{"AC/type": "Mains\n", "AC/online": "1\n"}, Power{Percent: -1}},
		"discharging": {map[string]string{
			"BAT0/type": "Battery\n", "BAT0/status": "Discharging\n", "BAT0/capacity": "12\n",
			"BAT1/type": "Battery\n", "BAT1/status": "Unknown\n", "BAT1/capacity": "80\n",
		}, Power{Battery: true, Percent: 12}},
		"charging":     {map[string]string{"BAT0/type": "Battery\n", "BAT0/status": "Charging\n", "BAT0/capacity": "5\n"}, Power{Percent: 5}},
		"of a mouse":   {map[string]string{"hid/type": "Battery\n", "hid/scope": "Device\n", "hid/status": "Discharging\n", "hid/capacity": "3\n"}, Power{Percent: -1}},
		"says nothing": {map[string]string{"BAT0/type": "Battery\n", "BAT0/status": "Discharging\n"}, Power{Battery: true, Percent: -1}},
	} {
		if got := supplies(plant(t, r.files)); got != r.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := supplies(filepath.Join(t.TempDir(), "none")); got != (Power{Percent: -1}) {
		t.Errorf("%+v", got)
	}
}
