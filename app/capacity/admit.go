package capacity

// Verdict is why a machine may start, or what it waits for.
type Verdict string

// Verdicts.
const (
	Fits   Verdict = "fits"
	Turn   Verdict = "turn"   // as many run as may, or they have all memory that machines may have
	Memory Verdict = "memory" // this computer has too little memory left now
	Never  Verdict = "never"  // it is larger than all machines together may be
)

// Admit says how many of the waiting machines may start now, the first ones of
// them, and what the one after them waits for; Fits when none waits.
func Admit(h Host, c Choice, running, waiting []Size) (n int, why Verdict) {
	budget, most := Budget(h, c), Machines(h, c)
	used := 0
	for _, s := range running {
		used += s.NeedMB()
	}
	count := len(running)
	for _, s := range waiting {
		need := s.NeedMB()
		switch {
		case need > budget:
			return n, Never
		case count >= most || used+need > budget:
			return n, Turn
		case h.FreeMB >= 0 && count == 0 && h.FreeMB < need/2,
			h.FreeMB >= 0 && count > 0 && h.FreeMB < used+need:
			return n, Memory
		}
		used += need
		count++
		n++
	}
	return n, Fits
}
