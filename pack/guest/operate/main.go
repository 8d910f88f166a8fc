package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"piwork/pack/guest/act"
	"piwork/pack/guest/operate/job"
	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// Main is the whole process: of one operation, with the argument "wait" of one
// that is not known yet, with the arguments "clean" or "empty" and a path of removing
// what one left, or with the argument "act" of an action (package act). It returns the
// exit code.
func Main(args []string, in io.Reader, out, words io.Writer) int {
	job.Elsewhere(os.Getenv(order.TreeVariable), os.Getenv(order.PlaceVariable))
	if len(args) == 1 && args[0] == wire.ActArg { // of a task, whose rights it has
		ctx, stop := orderly()
		defer stop()
		return act.Main(ctx, in, out, words)
	}
	if err := job.LeaveRights(); err != nil {
		fmt.Fprintln(words, err)
		return 1
	}
	switch {
	case len(args) == 0:
		return obey(in, out, words)
	case len(args) == 1 && args[0] == order.WaitArg:
		return await(in, out, words)
	case len(args) == 2 && args[0] == order.CleanArg:
		if err := job.Clean(args[1]); err != nil {
			fmt.Fprintln(words, err)
			return 1
		}
		return 0
	case len(args) == 2 && args[0] == order.EmptyArg:
		if err := job.Empty(args[1]); err != nil {
			fmt.Fprintln(words, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(words, "this program is started by piwork's agent, with an order on stdin")
	return 2
}

// await is obey of an order that comes later, perhaps never.
func await(in io.Reader, out, words io.Writer) int {
	_, stop := orderly() // what hears of signals is there from now on
	stop()
	if err := job.Rehearse(); err != nil {
		fmt.Fprintln(words, "rehearse an operation:", err)
		return 1
	}
	if _, err := io.WriteString(out, "\n"); err != nil {
		return 1 // nobody waits for it
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(in, first); err != nil {
		return 0
	}
	return obey(io.MultiReader(bytes.NewReader(first), in), out, words)
}

// collectLate has the first collection of garbage at 16 MB instead of 4 (package
// runtime: the least heap is 4 MB × GOGC/100), when most operations are over. What
// needs more is collected as ever from then on.
func collectLate() {
	usual := debug.SetGCPercent(400)
	first := &struct{ held *int }{}
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// orderly is a context that ends with SIGTERM: nothing half is left then.
func orderly() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
}

// obey reads the order from in and writes events to out, and its own errors
// to words.
func obey(in io.Reader, out, words io.Writer) int {
	collectLate()
	ctx, stop := orderly()
	defer stop()
	b, err := io.ReadAll(io.LimitReader(in, 2*wire.MaxLine))
	if err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	var o job.Order
	if err := json.Unmarshal(b, &o); err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	ev := &job.Events{W: out}
	run := job.Programs(o.Scratch, os.Getenv("PATH"), true, func(r job.Ran) { ev.Send(job.Event{Ran: &r}) }, ev.Said)
	result, err := Run(ctx, o, run, ev.Send)
	if err != nil {
		fmt.Fprintln(words, err)
		return 2
	}
	ev.Send(job.Event{Result: &result})
	if err := job.Empty(o.Scratch); err != nil {
		fmt.Fprintln(words, err) // the agent has it done again
	}
	return 0
}
