// Package runtimes decides where a task works: which kinds of vmhost.Runtime there are on
// this computer, what each is proven to do here, and which of them a task gets.
//
//   - [Choose] is the strategy, a pure function: what a task needs, what stands where,
//     what a person chose; its answer says why this kind and why none of the others.
//   - A [Chooser] knows the kinds. Each is proven by a small task ([SmallTask]), once for what it
//     is made of: the proof is kept ([Proven].Key).
//
// # Promises
//
//   - A task never works where its needs are not met: it is refused, and told what is
//     missing where.
//   - A kind that keeps a task less apart than the strongest one of this program (the
//     virtual machine) is used only by a decision: it was named, preferred or always
//     allowed by a person, a written rule allows it, or a person says yes to it for this
//     task. Which of these it was is in the audit log, and the task says so,
//     with the engine that runs a container. An always, or a preference, that was said while
//     that had no administrator rights is none to one that has them ([Settings].Rootless): what
//     runs the kind is looked at as that is said, and taken for one without them where it is not
//     seen. A preference and an always share that bound: the one that is said last sets it for
//     both. The place then looks for its engine itself: one that changes in between is not asked
//     about.
//   - A proof falls when a kind can give a task no place ([Chooser.Doubt]): the next one works
//     elsewhere, where that is so chosen.
//   - A kind that keeps nothing apart is off until a person switches it on.
package runtimes
