package capacity

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSizeOf(t *testing.T) {
	for _, r := range []struct {
		name string
		h    Host
		c    Choice
		want Size
	}{
		{"2 GB", Host{MemoryMB: 1900, CPUs: 1}, Choice{}, Size{512, 1}},
		{"4 GB", Host{MemoryMB: 3800, CPUs: 2}, Choice{}, Size{1024, 1}},
		{"8 GB", Host{MemoryMB: 7700, CPUs: 4}, Choice{}, Size{1024, 2}},
		{"16 GB", Host{MemoryMB: 15700, CPUs: 8}, Choice{}, Size{2048, 4}},
		{"a server", Host{MemoryMB: 1 << 20, CPUs: 128}, Choice{}, Size{2048, 4}},
		{"odd processors", Host{MemoryMB: 8000, CPUs: 3}, Choice{}, Size{1024, 2}},
		{"nothing is known", Host{}, Choice{}, Size{512, 1}},
		{"chosen", Host{MemoryMB: 8000, CPUs: 4}, Choice{MemoryMB: 3000, CPUs: 3}, Size{3000, 3}},
		{"chosen for a larger computer", Host{MemoryMB: 8000, CPUs: 2}, Choice{CPUs: 8}, Size{1024, 2}},
	} {
		if got := SizeOf(r.h, r.c); got != r.want {
			t.Errorf("%s: %+v, want %+v", r.name, got, r.want)
		}
	}
}

func TestAdmit(t *testing.T) {
	gig := Size{1024, 2} // needs 1152
	host := Host{MemoryMB: 8000, FreeMB: 8000, CPUs: 4}
	free := func(mb int) Host { h := host; h.FreeMB = mb; return h }
	for _, r := range []struct {
		name             string
		h                Host
		c                Choice
		running, waiting []Size
		n                int
		why              Verdict
	}{
		{"nobody", host, Choice{}, nil, nil, 0, Fits},
		{"all", host, Choice{}, nil, []Size{gig, gig}, 2, Fits},
		{"four at once", host, Choice{}, []Size{gig}, []Size{gig, gig, gig, gig}, 3, Turn},
		{"one at once", host, Choice{Machines: 1}, []Size{gig}, []Size{gig}, 0, Turn},
		{"the budget is used up", host, Choice{Machines: 9}, []Size{gig, gig, gig, gig, gig}, []Size{gig}, 0, Turn},
		{"the chosen budget", host, Choice{TotalMB: 2400}, nil, []Size{gig, gig, gig}, 2, Turn},
		{"larger than everything", host, Choice{}, nil, []Size{{6000, 1}}, 0, Never},
		{"larger than what was chosen", host, Choice{TotalMB: 1000}, nil, []Size{gig}, 0, Never},
		{"behind one that fits", host, Choice{}, nil, []Size{gig, {6000, 1}, gig}, 1, Never},
		{"the first with half of it", free(576), Choice{}, nil, []Size{gig, gig}, 1, Memory},
		{"not with less", free(575), Choice{}, nil, []Size{gig}, 0, Memory},
		{"the second with all of it", free(2303), Choice{}, []Size{gig}, []Size{gig}, 0, Memory},
		{"which is enough", free(2304), Choice{}, []Size{gig}, []Size{gig}, 1, Fits},
		{"it is not known what is left", free(-1), Choice{}, []Size{gig}, []Size{gig}, 1, Fits},
		{"a small one does not overtake", free(2303), Choice{}, []Size{gig}, []Size{gig, {256, 1}}, 0, Memory},
	} {
		if n, why := Admit(r.h, r.c, r.running, r.waiting); n != r.n || why != r.why {
			t.Errorf("%s: %d %s, want %d %s", r.name, n, why, r.n, r.why)
		}
	}
}

// Tasks without a machine are as many as there are processors, while memory is free.
func TestAdmitPlaces(t *testing.T) {
	for _, r := range []struct {
		name             string
		h                Host
		c                Choice
		running, waiting int
		n                int
		why              Verdict
	}{
		{"none waits", Host{FreeMB: 9000, CPUs: 4}, Choice{}, 1, 0, 0, Fits},
		{"one for each processor", Host{FreeMB: 9000, CPUs: 4}, Choice{}, 0, 100, 4, Cores},
		{"two on a small one", Host{FreeMB: 9000, CPUs: 1}, Choice{}, 0, 3, 2, Cores},
		{"as many as are chosen", Host{FreeMB: 9000, CPUs: 4}, Choice{Machines: 1}, 0, 3, 1, Cores},
		{"none more", Host{FreeMB: 9000, CPUs: 4}, Choice{}, 4, 1, 0, Cores},
		{"no memory", Host{FreeMB: 700, CPUs: 4}, Choice{}, 1, 3, 1, Memory},
		{"no memory, and nobody who has it", Host{FreeMB: 0, CPUs: 4}, Choice{}, 0, 3, 1, Memory},
		{"nobody knows", Host{FreeMB: -1, CPUs: 4}, Choice{}, 1, 3, 3, Fits},
	} {
		if n, why := AdmitPlaces(r.h, r.c, make([]Size, r.running), make([]Size, r.waiting)); n != r.n || why != r.why {
			t.Errorf("%s: %d %s, want %d %s", r.name, n, why, r.n, r.why)
		}
	}
}

// Whatever the computer and the choices: what runs fits the budget, somebody
// always gets in when nobody runs and there is memory, and who fits alone is never
// refused for ever.
func TestAdmitHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Host{MemoryMB: rapid.IntRange(512, 1<<19).Draw(t, "memory"), CPUs: rapid.IntRange(1, 256).Draw(t, "cpus")}
		h.FreeMB = rapid.IntRange(-1, h.MemoryMB).Draw(t, "free")
		c := Choice{
			MemoryMB: rapid.IntRange(0, h.MemoryMB).Draw(t, "one"), CPUs: rapid.IntRange(0, 9).Draw(t, "processors"),
			TotalMB: rapid.IntRange(0, h.MemoryMB).Draw(t, "all"), Machines: rapid.IntRange(0, 9).Draw(t, "most"),
		}
		if c.Check(h) != nil {
			c = Choice{}
		}
		want := SizeOf(h, c)
		if want.MemoryMB < MinMemoryMB || want.CPUs < 1 || want.CPUs > MaxCPUs {
			t.Fatalf("%+v", want)
		}
		waiting := make([]Size, rapid.IntRange(1, 12).Draw(t, "waiting"))
		for i := range waiting {
			waiting[i] = want
		}
		n, why := Admit(h, c, nil, waiting)
		switch {
		case n*want.NeedMB() > Budget(h, c) || n > Machines(h, c):
			t.Fatalf("%d run", n)
		case Budget(h, c) > h.MemoryMB:
			t.Fatalf("a budget of %d", Budget(h, c))
		case n == 0 && why == Turn:
			t.Fatal("it waits for nobody")
		case why == Never && c.TotalMB == 0 && h.MemoryMB >= 2048:
			t.Fatalf("no machine of %+v fits", want)
		case (n == len(waiting)) != (why == Fits):
			t.Fatalf("%d of %d, %s", n, len(waiting), why)
		}
	})
}

func TestChoiceCheck(t *testing.T) {
	h := Host{MemoryMB: 8000, FreeMB: 100, CPUs: 4} // 6000 for machines
	for _, r := range []struct {
		c     Choice
		field string
	}{
		{Choice{}, ""},
		{Choice{MemoryMB: 256, CPUs: 1, TotalMB: 384, Machines: 1}, ""},
		{Choice{MemoryMB: 5872, CPUs: 4, TotalMB: 6000, Machines: 64}, ""},
		{Choice{MemoryMB: 255}, "memoryMb"},
		{Choice{MemoryMB: -1}, "memoryMb"},
		{Choice{MemoryMB: 5873}, "memoryMb"},
		{Choice{MemoryMB: 1024, TotalMB: 1100}, "memoryMb"},
		{Choice{CPUs: 5}, "cpus"},
		{Choice{CPUs: -1}, "cpus"},
		{Choice{TotalMB: 383}, "totalMb"},
		{Choice{TotalMB: 6001}, "totalMb"},
		{Choice{Machines: 65}, "machines"},
		{Choice{Machines: math.MinInt}, "machines"},
	} {
		err := r.c.Check(h)
		var refused *ChoiceError
		field := ""
		if errors.As(err, &refused) {
			field = refused.Field
		}
		if field != r.field || (err == nil) != (r.field == "") {
			t.Errorf("%+v: %v, want %q", r.c, err, r.field)
		}
	}
	if got := (Choice{MemoryMB: 1, CPUs: 2, TotalMB: 3, Machines: 4}).Over(Choice{CPUs: 9}); got != (Choice{1, 9, 3, 4}) {
		t.Errorf("%+v", got)
	}
}

func TestLook(t *testing.T) {
	h, err := Look(t.Context())
	if err != nil || h.MemoryMB < 128 || h.FreeMB < 1 || h.FreeMB > h.MemoryMB || h.CPUs < 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if free, err := DiskFree(t.Context(), t.TempDir()); err != nil || free < 1 {
		t.Errorf("%d, %v", free, err)
	}
	if _, err := DiskFree(t.Context(), t.TempDir()+"/none"); err == nil {
		t.Error("a directory that is not there has space")
	}
	LookAtPower(t.Context()) // whatever this computer has
}

func TestPowerIsLow(t *testing.T) {
	for p, want := range map[Power]bool{
		{}:                           false,
		{Battery: true, Percent: -1}: false,
		{Battery: true, Percent: 29}: true,
		{Battery: true, Percent: 30}: false,
		{Percent: 1}:                 false,
	} {
		if p.Low() != want {
			t.Errorf("%+v: %v", p, p.Low())
		}
	}
}
