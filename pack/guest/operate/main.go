package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"piwork/vmhost/wire"
)

// Main is the whole process of one operation: order on in, events on out, the
// program's own errors on words. It returns the exit code. SIGTERM ends it in
// an orderly way: nothing half is left.
func Main(in io.Reader, out, words io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	b, err := io.ReadAll(io.LimitReader(in, 2*wire.MaxLine))
	if err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	var order Order
	if err := json.Unmarshal(b, &order); err != nil {
		fmt.Fprintln(words, "read the order:", err)
		return 2
	}
	ev := &events{w: out}
	run := programs(order.Scratch, os.Getenv("PATH"), true, func(r Ran) { ev.send(Event{Ran: &r}) })
	result, err := Run(ctx, order, run, ev.send)
	if err != nil {
		fmt.Fprintln(words, err)
		return 2
	}
	ev.send(Event{Result: &result})
	return 0
}
