package natural

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Umlauts as one letter and as two, as macOS writes them.
const (
	nfc = "\u00e4"
	nfd = "a\u0308"
)

func itself(s string) string { return s }

func shuffled(in []string) []string {
	out := slices.Clone(in)
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestSort(t *testing.T) {
	rows := [][]string{
		{"IMG_2.jpg", "IMG_10.jpg", "IMG_100.jpg"},
		{"1.jpg", "02.jpg", "3.jpg", "0010.jpg"},
		{"2024-09-30.png", "2024-10-01.png", "2024-10-02.png"},
		{"a.jpg", "B.jpg", "c.jpg"},
		{"a1.jpg", "A2.jpg", "a3.png"},
		{"img.jpg", "img0.jpg", "img1.jpg", "img 1.jpg"},
		{nfd + "1.jpg", nfc + "2.jpg", nfd + "10.jpg", "b.jpg"},
		{"page 1.png", "page 2.png", "page 12.png"},
		{"z.jpg", "a/1.jpg", "a/2.jpg", "a/b/1.jpg", "b/1.jpg"},
		{"99999999999999999998.jpg", "99999999999999999999.jpg", "100000000000000000000.jpg"},
		{"写真0.jpg", "写真1.jpg", "写真2.jpg", "写真10.jpg"},
		{"-a.jpg", "b.jpg"},
		{"a\n1.jpg", "a\n2.jpg"},
		{"x'1.jpg", "x'2.jpg"},
	}
	for _, want := range rows {
		for range 20 {
			got := shuffled(want)
			Sort(got, itself)
			if !slices.Equal(got, want) {
				t.Fatalf("got  %q\nwant %q", got, want)
			}
		}
	}
}

// Names that only differ in composition or case are still in one order.
func TestSortIsTotal(t *testing.T) {
	names := []string{nfc + ".jpg", nfd + ".jpg", "A.jpg", "a.jpg", "a/x.jpg", "A/x.jpg", "01.jpg", "1.jpg", "\xff.jpg", "."}
	var first []string
	for range 50 {
		got := shuffled(names)
		Sort(got, itself)
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Fatalf("%q and %q", first, got)
		}
	}
}
