// Command samples makes a folder of real pictures to try piwork on: JPEG and
// PNG, with names as people have them.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

var names = []string{
	"01 Holiday.jpg",
	"02 Größe & Überblick.png",
	"03 Mum's \"best\" picture.jpg",
	"04 家族の写真.png",
	"05 café.jpg",
	"-06 starts with a dash.jpg",
	"07 receipt.png",
}

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: samples FOLDER   (makes FOLDER with sample pictures)")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, name := range names {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		if err := encode(f, name, picture(i)); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func encode(w io.Writer, name string, m image.Image) error {
	if strings.HasSuffix(name, ".png") {
		return png.Encode(w, m)
	}
	return jpeg.Encode(w, m, &jpeg.Options{Quality: 88})
}

// picture draws hills under a sky, other ones for each number.
func picture(n int) image.Image {
	const w, h = 960, 640
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	hue := float64(n) / float64(len(names))
	for x := range w {
		ridge := h/2 + 60*math.Sin(float64(x)/90+float64(n)) + 30*math.Sin(float64(x)/31+2*float64(n))
		for y := range h {
			t := float64(y) / h
			c := color.RGBA{uint8(120 + 100*t), uint8(160 + 60*t*hue), uint8(240 - 80*t*(1-hue)), 255}
			if float64(y) > ridge {
				d := (float64(y) - ridge) / h
				c = color.RGBA{uint8(40 + 90*hue), uint8(140 - 150*d), uint8(60 + 60*d), 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}
