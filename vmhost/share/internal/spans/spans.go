// Package spans knows which numbers are in a set: bytes of a file that are kept, granules
// that were taken over. It is made for sets of few long rows.
package spans

import "slices"

// Span is the numbers from Off to before End.
type Span struct{ Off, End int64 }

// Set is a set of numbers, as spans that are sorted and apart from each other.
type Set []Span

// find returns the place of the first span that ends at n or behind it.
func (s Set) find(n int64) int {
	i, _ := slices.BinarySearchFunc(s, n, func(x Span, n int64) int {
		if x.End < n {
			return -1
		}
		return 1
	})
	return i
}

// Add adds numbers.
func (s *Set) Add(x Span) {
	if x.Off >= x.End {
		return
	}
	i := s.find(x.Off)
	k := i
	for k < len(*s) && (*s)[k].Off <= x.End {
		x = Span{min(x.Off, (*s)[k].Off), max(x.End, (*s)[k].End)}
		k++
	}
	*s = slices.Replace(*s, i, k, x)
}

// Has reports whether n is in the set.
func (s Set) Has(n int64) bool {
	i := s.find(n + 1)
	return i < len(s) && s[i].Off <= n
}

// Missing returns the numbers of x that are not in the set.
func (s Set) Missing(x Span) Set {
	var out Set
	for _, have := range s[s.find(x.Off):] {
		if have.Off >= x.End {
			break
		}
		if x.Off < have.Off {
			out = append(out, Span{x.Off, have.Off})
		}
		x.Off = max(x.Off, have.End)
	}
	if x.Off < x.End {
		out = append(out, x)
	}
	return out
}

// Size is how many numbers are in the set.
func (s Set) Size() int64 {
	n := int64(0)
	for _, x := range s {
		n += x.End - x.Off
	}
	return n
}
