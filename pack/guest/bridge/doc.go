// Package bridge brings programs in the guest to what the host serves on the port
// piwork.net: it listens at wire.GatewayAddr, and each TCP connection is a stream
// of the port (vmhost/wire/mux).
//
// # A process of its own
//
// Whatever programs send there goes through the bridge. It runs beside the agent,
// as nobody, in a cgroup of its own ([Main]); when it dies its connections end,
// and another one is started ([Bridge.Open]). A machine is never saved with one.
//
// # Connections
//
// The end of what one side says is told to the other, which may go on. After the end
// of the host, a connection ends once the program has sent nothing, or the host has
// taken nothing, for a minute (lingerTime). A program that breaks a connection off
// ends the stream, and what the host still says is thrown away. In both cases the host
// hears an ordinary end: yamux has no call that resets a stream. A stream that the host
// breaks off is a connection that is reset. More than mux.MaxStreams at once are
// refused, and so are all while the host is away.
package bridge
