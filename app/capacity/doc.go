// Package capacity decides how much of this computer the virtual machines get:
// how large one is, how many fit at the same time, and what has to wait.
//
// # Parties
//
// A [Host] is what the computer has and has left ([Look]); a [Choice] is what
// the person chose, and a zero in it leaves the decision to the size of the
// computer. [SizeOf] makes the [Size] of a machine of them, [Admit] says how many
// of those that wait may start. Both are pure: who waits, and for how long, is
// decided by app/machines.Queue. [AdmitPlaces] says the same of tasks without a machine.
//
// # Rules
//
//   - A machine gets a size that does not depend on the moment: 512 MiB, 1 GiB or
//     2 GiB by the memory of the computer, and half of its processors, at most
//     four. So one saved template fits them all.
//   - All machines together never get more than [Budget]: a quarter of the memory,
//     and at least 1 GiB (or half of it, where it is less than 2 GiB), stays with the
//     person's other programs, even if every guest uses all that it was given.
//   - There must be as much memory left now as the machines that run, and the new
//     one, may come to use. What running ones use already is counted twice, because
//     nobody knows how much it is: the error is on the side of waiting. The only
//     machine starts with half of it: every operating system makes room by dropping
//     caches.
//   - First come, first served. Nobody is overtaken, so nobody starves.
//
// # Power
//
// [LookAtPower] says whether work that nobody waits for would empty a battery.
package capacity
