// Package approval keeps the questions that wait for a person, and what persons
// decided for longer than once.
//
// A [Desk] has the open questions of all tasks: whoever asks waits there, and
// whoever may answer (the window, the command line, a script) finds them. A
// decision counts when those who asked have recorded it, and only then does the
// answer return; what cannot be recorded is not decided.
//
// How careful a person should be with a yes is the [Risk] of a question: a pure
// function of what is done and where ([RiskOf]). What touches only the task's own
// machine has none, and nobody is asked about it. The desk says it with each question, so
// that whoever shows one can: a high one has a sign, and no as its usual answer. It
// says as well how far a yes may reach ([Scopes]); without a choice it reaches no
// further than what was asked ([Usual]).
//
// [Rules] are the decisions that go on: for a task while it runs, for a folder
// or for everything until they are taken back. They are one list, so that a
// person can always see and take back what was allowed. Those that outlive a
// task are a plain file in the directory of settings, replaced atomically.
package approval
