package capacity

// Verdict is why a machine may start, or what it waits for.
type Verdict string

// Verdicts.
const (
	Fits   Verdict = "fits"
	Turn   Verdict = "turn"   // as many run as may, or they have all memory that machines may have
	Memory Verdict = "memory" // this computer has too little memory left now
	Never  Verdict = "never"  // it is larger than all machines together may be
	Cores  Verdict = "cores"  // as many work without a machine as this computer has processors for
)

// Waits tells whether a task that has it is queued.
func (v Verdict) Waits() bool { return v == Turn || v == Memory || v == Cores }

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

// placeMB is how much memory has to be free for one more task to begin without a machine,
// which takes what it needs as it goes.
const placeMB = 512

// AdmitPlaces says the same of tasks without a machine on this computer: in a sandbox, a
// container or beside everything else. Each may use a whole processor.
func AdmitPlaces(h Host, c Choice, running, waiting []Size) (n int, why Verdict) {
	most := max(2, h.CPUs)
	if c.Machines > 0 {
		most = c.Machines
	}
	for count := len(running); n < len(waiting); n++ {
		switch {
		case count+n >= most:
			return n, Cores
		case count+n > 0 && h.FreeMB >= 0 && h.FreeMB < placeMB*(n+1):
			return n, Memory
		}
	}
	return n, Fits
}
