// Package agent drives pi, the AI program of the runtime pack, in its RPC mode:
// JSON lines over a program's standard input and output. It knows nothing of
// machines: Command says what to start, Session talks to what was started over
// a Transport, Timeline turns what pi says into what a person sees.
//
//	Command(Config) → Launch{Argv, Env, Dir, Files}   pure
//	New(Options) → Session.Start(ctx, Transport)      one program from start to end
//	Session: Prompt, Steer, FollowUp, Abort, SetModel, SetThinking, Compact, State, Wait, Close
//	Timeline: lines of pi → []Entry, without a clock or a goroutine of its own
//
// Everything that comes from pi comes from a machine that may be hostile: lines,
// texts, lists and counts are bounded, control characters are taken out of what
// a person sees, and a line that cannot be read is counted and passed over.
// Events and members that are not known are passed over too; the caller keeps
// every line as it came (Options.Record).
//
// What may change during a task (time, time zone, locale: Options.Hints) is told in a line with each
// message, and never in the system prompt: what every request to a model begins with stays the same.
// Entries have the messages without that line.
//
// A session is resumed by starting pi again with the same Config.Task: pi reads
// its own file below the state directory. It does not repeat its events then, so
// Start asks for the entries of the session and adds what the task's timeline
// does not have yet (Options.Known). The ids of entries are made from what pi
// stores and come out the same.
//
// A command waits for a pi that says something. Abort does not: a run that does not
// end in Options.Patience ends with its session.
//
// # Recordings
//
// testdata/recordings has sessions of the real pi with a scripted model, one
// line as it came per line, volatile parts made plain. The tests replay them to
// testdata/golden and compare the shape of every event with
// testdata/shapes.txt. With another version of pi:
//
//	PIWORK_PI=<unpacked pi> PIWORK_NODE=<node> go test ./app/agent -run Real          # compares shapes
//	PIWORK_PI=<unpacked pi> PIWORK_NODE=<node> go test ./app/agent -run Real -update  # records anew
//	go test ./app/agent -run Replay -update                                           # golden files
//
// PIWORK_PI is a directory as the runtime pack has it at /opt/piwork/pi, with
// node_modules/jiti and node_modules/@silvia-odwyer/photon-node beside dist.
//
// pi's protocol: docs/rpc.md, rpc-commands.md, rpc-extension-ui.md, json.md and
// session-format.md of @earendil-works/pi-coding-agent 1.5.2.
package agent
