package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// Main is the whole process: of one operation, or with the arguments "clean" and
// a path of removing what one left ([Clean]). It returns the exit code.
func Main(args []string, in io.Reader, out, words io.Writer) int {
	switch {
	case len(args) == 0:
		return carryOut(in, out, words)
	case len(args) == 2 && args[0] == order.CleanArg:
		if err := Clean(args[1]); err != nil {
			fmt.Fprintln(words, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(words, "this program is started by piwork's agent, with an order on stdin")
	return 2
}

// carryOut reads the order from in and writes events to out, and its own errors
// to words. SIGTERM ends it in an orderly way: nothing half is left.
func carryOut(in io.Reader, out, words io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	b, err := io.ReadAll(io.LimitReader(in, 2*wire.MaxLine))
	if err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	var o Order
	if err := json.Unmarshal(b, &o); err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	ev := &events{w: out}
	run := programs(o.Scratch, os.Getenv("PATH"), true, func(r Ran) { ev.send(Event{Ran: &r}) })
	result, err := Run(ctx, o, run, ev.send)
	if err != nil {
		fmt.Fprintln(words, err)
		return 2
	}
	ev.send(Event{Result: &result})
	return 0
}
