package tools

import "time"

// The limits of an operation that does nearly nothing. What there is to do is
// added to them; emulation may be twenty times slower than the machine.
const (
	baseWall    = time.Minute
	baseProgram = 10 * time.Minute
	baseFile    = 256 << 20 // bytes
	fileGrowth  = 4
)

// maxWall bounds any operation, whatever there is to do.
const maxWall = 7 * 24 * time.Hour

// Bounds that are the same for all operations.
const (
	// DiskRate is how fast any operation may read from and write to each disk, in
	// bytes per second. It leaves the computer's disk to others, too: a slow one does
	// less, and none of the programs needs more.
	DiskRate = 512 << 20
	// Processes is how many processes and threads any operation may have at a time.
	Processes = 256
	// Processors is how many processors any operation may keep busy at a time: none
	// of the programs is told to use more.
	Processors = 2
)

// Memory that operations may use, in MiB. A machine that has less bounds them
// before.
const (
	memoryFew    = 512  // one file at a time, or what is known of files
	memoryUsual  = 1024 // pictures, pages and archives
	memoryPlenty = 2048 // words of pictures, whole tables and documents
)

// work says how the limits of an operation grow with what there is to do.
type work struct {
	each   time.Duration // for an input
	mega   time.Duration // for a megabyte (MiB) of all inputs
	most   time.Duration // base of one run of a program; 0 is ten minutes
	step   time.Duration // for an input, of one run of a program
	growth int64         // how many times its inputs a written file may be; 0 is 4
	extra  int64         // bytes that a written file may have besides
	whole  int64         // bytes of a written file whatever the inputs are; 0 leaves it to growth
	memory int64         // MiB; 0 is memoryUsual
}

// usual fills in what is left open.
func (w work) usual() work {
	if w.most == 0 {
		w.most = baseProgram
	}
	if w.growth == 0 {
		w.growth = fileGrowth
	}
	if w.whole != 0 {
		w.growth, w.extra = 0, w.whole-baseFile
	}
	if w.memory == 0 {
		w.memory = memoryUsual
	}
	return w
}

// limits are those for a load.
func (w work) limits(l Load) Limits {
	w = w.usual()
	inputs, more := time.Duration(l.Inputs), perMegabyte(l, w.mega)
	return Limits{
		Wall: min(baseWall+inputs*w.each+more, maxWall), Program: min(w.most+inputs*w.step+more, maxWall),
		FileSize: baseFile + w.extra + w.growth*l.Bytes, MemoryMB: w.memory,
		Processors: Processors, Processes: Processes, IO: DiskRate,
	}
}

// perMegabyte is d for every megabyte of a load.
func perMegabyte(l Load, d time.Duration) time.Duration {
	return time.Duration(min(l.Bytes>>20, 1<<20)) * d
}

// Bounds are the limits of an operation as far as they are known before there is
// anything to do. A megabyte is a MiB.
type Bounds struct {
	MemoryMB        int64      `json:"memoryMb" doc:"MiB of everything together; the machine may have less"`
	Processors      int        `json:"processors" doc:"that may be busy at a time"`
	Processes       int        `json:"processes" doc:"processes and threads at a time"`
	DiskMBPerSecond int64      `json:"diskMbPerSecond" doc:"MiB a second, from and to each disk"`
	Wall            TimeBound  `json:"wall" doc:"of the whole operation"`
	Program         TimeBound  `json:"program" doc:"of one run of one program"`
	File            BytesBound `json:"file" doc:"of the largest file that is written"`
}

// TimeBound is a limit of time: the sum of its members, at most a week.
type TimeBound struct {
	Seconds  int64 `json:"seconds"`
	PerInput int64 `json:"perInput" doc:"seconds for each input"`
	PerMB    int64 `json:"perMb" doc:"seconds for each MiB of all inputs"`
}

// BytesBound is a limit of size: the sum of its members.
type BytesBound struct {
	MB    int64 `json:"mb" doc:"MiB"`
	Times int64 `json:"times" doc:"so many times all inputs"`
}

// Bounds tells the limits of an operation.
func (o Operation) Bounds() Bounds {
	w := o.work.usual()
	seconds := func(d time.Duration) int64 { return int64(d / time.Second) }
	return Bounds{
		MemoryMB: w.memory, Processors: Processors, Processes: Processes, DiskMBPerSecond: DiskRate >> 20,
		Wall:    TimeBound{seconds(baseWall), seconds(w.each), seconds(w.mega)},
		Program: TimeBound{seconds(w.most), seconds(w.step), seconds(w.mega)},
		File:    BytesBound{(baseFile + w.extra) >> 20, w.growth},
	}
}
