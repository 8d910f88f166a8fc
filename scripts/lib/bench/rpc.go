package main

import (
	"io"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

// payload is what travels: about the size of a small request.
var payload = strings.Repeat("piwork ", 14)

// batch is how many round trips one measured turn has; their mean counts.
const batch = 50

// trips measures round trips of the payload.
func trips(trip func() string) func() time.Duration {
	return func() time.Duration {
		return timed(func() {
			for range batch {
				if back := trip(); back != payload {
					failf("%q came back", back)
				}
			}
		}) / batch
	}
}

// rpc measures a call of the agent and its answer beside a bare echo, in two
// machines that run at the same time and are measured in turn.
func rpc(b *B) {
	m := b.prepare()
	echo := b.initramfs("echoinit")
	agent := b.bootPlain(m.plain(m.image.Initrd))
	defer b.end(agent.end)
	bare := b.bootPlain(m.plain(echo))
	defer b.end(bare.end)
	client := jrpc2.NewClient(wire.Channel(struct {
		io.Reader
		io.Writer
	}{agent.reader, agent.conn}, agent.conn), nil)
	defer client.Close()

	ours := trips(func() string {
		var back wire.EchoParams
		check(client.CallResult(b.ctx, wire.MethodEcho, wire.EchoParams{Data: payload}, &back))
		return back.Data
	})
	theirs := trips(func() string { return strings.TrimSuffix(bare.roundTrip(payload), "\n") })
	ours() // warm
	theirs()
	b.compare("rpc/echo/rtt", "an init that only echoes: "+commandText(m.plain("ECHO.cpio").args("SOCKET"), m.dir), ours, theirs)
}
