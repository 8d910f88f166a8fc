package spans

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever is added, the set has that and nothing else.
func TestSet(t *testing.T) {
	span := rapid.Custom(func(t *rapid.T) Span {
		off := rapid.Int64Range(0, 60).Draw(t, "off")
		return Span{off, off + rapid.Int64Range(0, 12).Draw(t, "size")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var s Set
		has := map[int64]bool{}
		for _, x := range rapid.SliceOf(span).Draw(t, "added") {
			s.Add(x)
			for n := x.Off; n < x.End; n++ {
				has[n] = true
			}
		}
		for i, x := range s {
			if x.Off >= x.End || i > 0 && s[i-1].End >= x.Off {
				t.Fatalf("not in order: %v", s)
			}
		}
		x := span.Draw(t, "asked")
		missing := s.Missing(x)
		for n := range int64(80) {
			if s.Has(n) != has[n] {
				t.Fatalf("%v has %d: %v", s, n, s.Has(n))
			}
			if want := n >= x.Off && n < x.End && !has[n]; missing.Has(n) != want {
				t.Fatalf("%v misses of %v: %v", s, x, missing)
			}
		}
		if s.Size() != int64(len(has)) {
			t.Fatalf("%v has %d numbers", s, s.Size())
		}
	})
}
