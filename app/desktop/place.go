package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/durable"
)

// Sizes of the window, in logical pixels.
const (
	firstWidth, firstHeight = 1120, 760
	leastWidth, leastHeight = 720, 520
	mostPixels              = 1 << 15 // of anything: more is no size
)

// placeFile remembers the window, in the config directory.
const placeFile = "window.json"

// screen is the size of a screen.
type screen struct {
	W int `json:"w"`
	H int `json:"h"`
}

// place is where a window was, and on which screens.
type place struct {
	V         int      `json:"v"`
	X         int      `json:"x"`
	Y         int      `json:"y"`
	W         int      `json:"w"`
	H         int      `json:"h"`
	Maximised bool     `json:"maximised,omitempty"`
	Screens   []screen `json:"screens"`
}

// fit makes a remembered place one that can be seen: it is no larger than the
// largest screen, and its position counts only on the same screens as before, since
// systems do not say how screens lie to each other. It reports whether it does.
func (p place) fit(screens []screen) (place, bool) {
	out := p
	out.W, out.H = clamp(p.W, leastWidth, mostPixels), clamp(p.H, leastHeight, mostPixels)
	if p.W <= 0 || p.H <= 0 {
		out.W, out.H = firstWidth, firstHeight
	}
	width, height, together, tall := 0, 0, 0, 0
	for _, s := range screens {
		if s.W <= 0 || s.H <= 0 {
			return out, false
		}
		if s.W*s.H > width*height {
			width, height = s.W, s.H
		}
		together += s.W
		tall += s.H
	}
	if len(screens) == 0 {
		return out, false
	}
	out.W, out.H = min(out.W, max(width, leastWidth)), min(out.H, max(height, leastHeight))
	if !slices.Equal(p.Screens, screens) {
		return out, false
	}
	if len(screens) == 1 { // the whole title is to be reached
		return out, p.X >= 0 && p.Y >= 0 && p.X+out.W <= width && p.Y+leastHeight/2 <= height
	}
	return out, p.X > -together && p.X < together && p.Y > -tall && p.Y < tall
}

func clamp(n, least, most int) int { return min(max(n, least), most) }

// readPlace reads what was remembered; what cannot be read is the first place.
func readPlace(dir string) place {
	var p place
	data, err := os.ReadFile(filepath.Join(dir, placeFile))
	if err != nil || json.Unmarshal(data, &p) != nil || p.V != 1 {
		return place{}
	}
	return p
}

// write remembers a place.
func (p place) write(dir string) error {
	p.V = 1
	data, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(dir, placeFile), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember the window: %w", err)
	}
	return nil
}
