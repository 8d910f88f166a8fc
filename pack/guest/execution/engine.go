package execution

import "errors"

// Bounds of an [Engine].
const (
	maxRunning  = 256     // executions at a time
	maxSessions = 64      // sessions at a time
	maxKept     = 256     // ended executions whose result can still be asked for
	maxKeptOut  = 8 << 20 // bytes of output kept with them
)

// Errors of an [Engine], to tell cases apart.
var (
	ErrNotFound = errors.New("execution: no such id")
	ErrExists   = errors.New("execution: the id is taken")
	ErrBusy     = errors.New("execution: too many at a time")

	ErrNoTerminal = errors.New("execution: the program has no terminal")
	ErrNoControl  = errors.New("execution: the program has no control descriptor")
)
