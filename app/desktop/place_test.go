package desktop

import (
	"os"
	"path/filepath"
	"testing"
)

// A window comes back where it can be seen.
func TestPlace(t *testing.T) {
	one, two := []screen{{1920, 1080}}, []screen{{1920, 1080}, {2560, 1440}}
	for _, tt := range []struct {
		name    string
		was     place
		screens []screen
		w, h    int
		there   bool
	}{
		{"never opened", place{}, one, firstWidth, firstHeight, false},
		{"as it was", place{X: 10, Y: 20, W: 1000, H: 700, Screens: one}, one, 1000, 700, true},
		{"a screen is gone", place{X: 2000, Y: 20, W: 1000, H: 700, Screens: two}, one, 1000, 700, false},
		{"left of the first screen", place{X: -1900, Y: 20, W: 1000, H: 700, Screens: two}, two, 1000, 700, true},
		{"out of sight", place{X: 5000, W: 1000, H: 700, Screens: two}, two, 1000, 700, false},
		{"the title above the screen", place{Y: -10, W: 1000, H: 700, Screens: one}, one, 1000, 700, false},
		{"half outside", place{X: 1500, W: 1000, H: 700, Screens: one}, one, 1000, 700, false},
		{"larger than the screen", place{W: 4000, H: 3000, Screens: one}, one, 1920, 1080, true},
		{"a small screen", place{W: 1000, H: 700}, []screen{{640, 480}}, leastWidth, leastHeight, false},
		{"nonsense", place{X: 1 << 40, Y: -1 << 40, W: 1 << 40, H: -3, Screens: one}, one, firstWidth, firstHeight, false},
		{"no screens known", place{W: 1000, H: 700}, nil, 1000, 700, false},
		{"screens of no size", place{W: 1000, H: 700}, []screen{{0, 0}}, 1000, 700, false},
	} {
		got, there := tt.was.fit(tt.screens)
		if got.W != tt.w || got.H != tt.h || there != tt.there {
			t.Errorf("%s: %d × %d, %v", tt.name, got.W, got.H, there)
		}
	}
	dir := filepath.Join(t.TempDir(), "config")
	want := place{V: 1, X: 1, Y: -2, W: 800, H: 600, Maximised: true, Screens: two}
	if err := want.write(dir); err != nil {
		t.Fatal(err)
	}
	if got := readPlace(dir); got.X != 1 || got.Y != -2 || !got.Maximised || len(got.Screens) != 2 {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"", "{", `{"v":2,"w":900}`, `{"v":1,"w":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, placeFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readPlace(dir); got.W != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
