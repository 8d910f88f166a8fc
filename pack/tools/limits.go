package tools

import "time"

// work says how the limits of an operation grow with what there is to do.
type work struct {
	each   time.Duration // for an input
	mega   time.Duration // for a megabyte of all inputs
	most   time.Duration // base of one run of a program; 0 is ten minutes
	growth int64         // how many times its inputs a written file may be; 0 is 4
	extra  int64         // bytes that a written file may have besides
	memory int64         // MiB; 0 is what the machine has
}

// limits makes the function of an [Operation].
func (w work) limits() func(Params, Load) Limits {
	if w.most == 0 {
		w.most = 10 * time.Minute
	}
	if w.growth == 0 {
		w.growth = 4
	}
	return func(_ Params, l Load) Limits {
		more := perMegabyte(l, w.mega)
		return Limits{
			Wall:    baseWall + time.Duration(l.Inputs)*w.each + more,
			Program: w.most + more, FileSize: baseIO + w.extra + w.growth*l.Bytes, MemoryMB: w.memory,
		}
	}
}

// perMegabyte is d for every megabyte of a load.
func perMegabyte(l Load, d time.Duration) time.Duration {
	return time.Duration(min(l.Bytes>>20, 1<<20)) * d
}
