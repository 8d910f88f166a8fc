package changes

import (
	"sort"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// edit says that before[B:BEnd] became after[A:AEnd].
type edit struct{ B, BEnd, A, AEnd int }

// align finds what differs between two lists. Lines that are there once in both
// hold the lists together (as in patience diff), so that many small differences
// stay small; between them goes the library, whose work is bounded: it gives up
// where nearly everything differs.
func align(before, after []string) []edit {
	var out []edit
	add := func(e edit) {
		if e.B == e.BEnd && e.A == e.AEnd {
			return
		}
		if n := len(out); n > 0 && out[n-1].BEnd == e.B && out[n-1].AEnd == e.A {
			out[n-1].BEnd, out[n-1].AEnd = e.BEnd, e.AEnd
			return
		}
		out = append(out, e)
	}
	b, a := 0, 0
	part := func(bEnd, aEnd int) {
		for b < bEnd && a < aEnd && before[b] == after[a] {
			b, a = b+1, a+1
		}
		bLast, aLast := bEnd, aEnd
		for bLast > b && aLast > a && before[bLast-1] == after[aLast-1] {
			bLast, aLast = bLast-1, aLast-1
		}
		if b == bLast || a == aLast {
			add(edit{b, bLast, a, aLast})
		} else {
			for _, d := range lcs.DiffLines(before[b:bLast], after[a:aLast]) {
				add(edit{b + d.Start, b + d.End, a + d.ReplStart, a + d.ReplEnd})
			}
		}
		b, a = bEnd, aEnd
	}
	for _, m := range anchors(before, after) {
		part(m.b, m.a)
		b, a = m.b+1, m.a+1
	}
	part(len(before), len(after))
	return out
}

type match struct{ b, a int }

// anchors are the lines that are in both lists exactly once, as many as are in
// the same order in both.
func anchors(before, after []string) []match {
	type places struct{ b, a, inB, inA int }
	seen := make(map[string]*places, len(before))
	for i, s := range before {
		p := seen[s]
		if p == nil {
			p = &places{}
			seen[s] = p
		}
		p.b, p.inB = i, p.inB+1
	}
	for i, s := range after {
		if p := seen[s]; p != nil {
			p.a, p.inA = i, p.inA+1
		}
	}
	var once []match
	for i, s := range before {
		if p := seen[s]; p.inB == 1 && p.inA == 1 {
			once = append(once, match{i, p.a})
		}
	}
	// The longest increasing sequence of places in after.
	var tails []int // of sequences by length: index in once
	prev := make([]int, len(once))
	for i, m := range once {
		n := sort.Search(len(tails), func(k int) bool { return once[tails[k]].a >= m.a })
		prev[i] = -1
		if n > 0 {
			prev[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]match, len(tails))
	for i, n := tails[len(tails)-1], len(tails)-1; n >= 0; i, n = prev[i], n-1 {
		out[n] = once[i]
	}
	return out
}
