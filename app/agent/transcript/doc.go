// Package transcript makes what a person sees from the updates of an agent that speaks the
// Agent Client Protocol: the same entries that app/agent makes from the lines of pi.
//
//	New → Turn → User → Update… → End → Settled      one run, of one or several turns
//
// It is a plain state machine without a clock or a goroutine of its own: the same updates at the
// same times give the same entries. A message is put together from its parts, and ends where
// another message or a tool begins, or with the turn. A tool is told of when it is known what it
// is about, and once more when it ended; what never ended has failed with its turn.
//
// The updates come from a machine that may be hostile. Ids are made here, those of the agent
// only find its tools again; the name, target and output of a tool are bounded, in one line where
// they are shown in one, and without control characters. What a tool is called decides nothing.
package transcript
