// Package samples draws the pictures that a person tries the first chore on, so
// that nothing of theirs is needed for it. They are made on the spot, the same ones
// every time, and are nobody's property.
package samples

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// Language of the names of the folder and of the pictures.
type Language string

// Languages. Any other is English.
const (
	English Language = "en"
	German  Language = "de"
)

// Size of a picture, in pixels.
const (
	Width  = 1200
	Height = 900
)

// FolderName is the name of the folder with the pictures.
func FolderName(l Language) string {
	if l == German {
		return "Beispielbilder"
	}
	return "Sample photos"
}

// picture is one of them.
type picture struct {
	en, de string
	draw   func(x, y float64) rgb // both from 0 to 1, the top left is 0, 0
}

// pictures in the order of their names.
var pictures = []picture{
	{"1 Morning at the sea", "1 Morgen am Meer", sea},
	{"2 Mountains", "2 Berge", mountains},
	{"3 Field in bloom", "3 Blühendes Feld", field},
	{"4 Balloon", "4 Ballon", balloon},
	{"5 Night", "5 Nacht", night},
}

// Count is how many pictures there are.
func Count() int { return len(pictures) }

// Fill makes the pictures in dir, an empty directory that is there.
func Fill(ctx context.Context, dir string, l Language) error {
	for _, p := range pictures {
		if ctx.Err() != nil { // each takes a while
			return context.Cause(ctx)
		}
		name := p.en
		if l == German {
			name = p.de
		}
		data, err := encode(p)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".jpg"), data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("make the sample picture %q: %w", name, err)
		}
	}
	return nil
}

func encode(p picture) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			c := p.draw((float64(x)+0.5)/Width, (float64(y)+0.5)/Height)
			grain := (hash(x, y) - 0.5) * 0.02 // as of a film: plain surfaces look like a mistake
			img.SetRGBA(x, y, color.RGBA{R: eight(c.r + grain), G: eight(c.g + grain), B: eight(c.b + grain), A: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 82}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// rgb is a colour, each part from 0 to 1.
type rgb struct{ r, g, b float64 }

func eight(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }

func hex(v uint32) rgb {
	return rgb{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

// mix goes from a to b as t goes from 0 to 1.
func mix(a, b rgb, t float64) rgb {
	t = min(max(t, 0), 1)
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

// soft goes from 0 to 1 around v = 0, over about the given width.
func soft(v, width float64) float64 {
	t := min(max(v/width+0.5, 0), 1)
	return t * t * (3 - 2*t)
}

// hash is a number from 0 to 1 that looks like chance and is always the same.
func hash(x, y int) float64 {
	h := uint32(x)*374761393 + uint32(y)*668265263
	h = (h ^ h>>13) * 1274126177
	return float64((h^h>>16)&0xffff) / 0xffff
}

// noise is smooth, about 0 on average, with hills as wide as 1.
func noise(x, y float64) float64 {
	xi, yi := math.Floor(x), math.Floor(y)
	tx, ty := soft(x-xi-0.5, 1), soft(y-yi-0.5, 1)
	at := func(dx, dy int) float64 { return hash(int(xi)+dx, int(yi)+dy)*2 - 1 }
	top := at(0, 0) + (at(1, 0)-at(0, 0))*tx
	bottom := at(0, 1) + (at(1, 1)-at(0, 1))*tx
	return top + (bottom-top)*ty
}

// ridge is a line of hills: finer and finer noise.
func ridge(x, scale float64, seed float64) float64 {
	v, weight := 0.0, 1.0
	for range 6 {
		v += noise(x*scale, seed) * weight
		scale, weight, seed = scale*2, weight/2, seed+7
	}
	return v
}

// hills is ridge for each column of a picture, worked out once: it is the same from top to
// bottom, and takes as long as the rest of the picture.
func hills(scale, seed float64) func(x float64) float64 {
	line := sync.OnceValue(func() *[Width]float64 {
		var line [Width]float64
		for x := range line {
			line[x] = ridge((float64(x)+0.5)/Width, scale, seed)
		}
		return &line
	})
	return func(x float64) float64 { return line()[int(x*Width)] }
}

// disc is 1 within a circle, on a picture that is wider than high.
func disc(x, y, cx, cy, r, blur float64) float64 {
	d := math.Hypot((x-cx)*Width/Height, y-cy)
	return soft(r-d, blur)
}
