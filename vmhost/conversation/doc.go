// Package conversation is the host's end of the protocol with one agent (vmhost/wire),
// wherever that runs: in a virtual machine, a container, a sandbox, on another computer.
//
// # Parties
//
// A [Conversation] is had on one connection, which its owner opened. An [Executor] carries
// out the actions of one runtime in it. Neither knows what the agent runs in. The owner
// gives the life of the runtime and hears why that has to end ([Executor.Fail]); what the
// owner is told first counts, and is what every action then returns ([Executor.Ended]).
//
// # Order
//
//	Begin → Hello → Ask… → Execute, in several goroutines, beside Watch → Close
//	          a conversation that ends by itself closes Over; End says why
//
// # Promises
//
//   - What the agent says is bounded and checked before it is used. An agent that breaks
//     the protocol ([ProtocolError]) is the end of its runtime, of nothing else.
//   - Notifications are heard in the agent's order, before anything that came after them;
//     of the progress of an operation only the latest counts. An Observation comes after
//     the last output of its action.
//   - Output waits for a slow receiver, which holds up its program; nothing is cut for that
//     within the action's limit of time, and nobody who is held up counts as hung. Other
//     actions go on, and the receiver may wait for one of them. Operations, and agents that
//     do not know wire.ExecParams.Ahead, hold up all.
//   - Ending the context of an action cancels it in the agent, and Execute returns when it
//     has ended there. An agent that does not follow within Executor.Cancel has hung.
//   - Lines of the agent's own log are this program's, bounded, with what the agent says of
//     them in a group of its own: "guest":{"op":"exec","run":"…","request":"…"}. That is the
//     agent's word: a hostile one names requests that are not its own.
//   - Time is counted on the agent's own clock (vmhost/clock): a paused machine, and a
//     computer that sleeps, are late for nothing.
package conversation
