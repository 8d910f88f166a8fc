package samples

import (
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

// The pictures are there, are pictures that differ, are small, and are the same
// every time.
func TestFill(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for dir, l := range map[string]Language{first: English, second: German} {
		if err := Fill(t.Context(), dir, l); err != nil {
			t.Fatal(err)
		}
	}
	en, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	de, err := os.ReadDir(second)
	if err != nil {
		t.Fatal(err)
	}
	if len(en) != Count() || len(de) != Count() {
		t.Fatalf("%d and %d pictures", len(en), len(de))
	}
	seen := map[string]string{}
	for i := range en {
		a, err := os.ReadFile(filepath.Join(first, en[i].Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(second, de[i].Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not %s", en[i].Name(), de[i].Name())
		}
		if en[i].Name() == de[i].Name() {
			t.Errorf("%s has no name of its own in German", en[i].Name())
		}
		if other := seen[string(a)]; other != "" {
			t.Errorf("%s is %s", en[i].Name(), other)
		}
		seen[string(a)] = en[i].Name()
		img, err := jpeg.Decode(bytes.NewReader(a))
		if err != nil || img.Bounds().Dx() != Width || img.Bounds().Dy() != Height {
			t.Errorf("%s: %v", en[i].Name(), err)
		}
		if len(a) > 400_000 || len(a) < 20_000 {
			t.Errorf("%s has %d bytes", en[i].Name(), len(a))
		}
	}
}

func TestFillSaysWhatItCouldNotMake(t *testing.T) {
	if err := Fill(t.Context(), filepath.Join(t.TempDir(), "missing"), English); err == nil {
		t.Error("pictures in a directory that is not there")
	}
}
