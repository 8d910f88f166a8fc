// Package approval keeps the questions that wait for a person, and what people decided
// for longer than once.
//
// An [Inbox] has the open questions of all tasks. A task asks and waits there; the
// window, the command line or a script lists the questions and answers them. An answer
// counts once the task has recorded it; an answer that cannot be recorded leaves the
// question open.
//
// Each question carries its [Risk], a pure function of what is done and where ([RiskOf]).
// What touches only the task's own machine has none, and nobody is asked. A high risk is
// shown with a sign, and no is its default answer. Each question also says how far a yes
// may reach ([Scopes]); without a choice a yes covers only what was asked ([Usual]).
//
// [Rules] are decisions that last: for a task while it runs, or for a folder or for
// everything until they are removed or their time is over. They are one list, so that a
// person can see and remove all of them. Rules that outlive a task are a plain file in the directory of
// settings, replaced atomically.
package approval
