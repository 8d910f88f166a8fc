// Package eta says how long work will still take, from how fast this computer did
// the same before and how fast it is doing it now.
//
// # Parties
//
// [Rates] is what was learned: a rate for each operation in each mode of a
// machine (slow mode has rates of its own), kept in one small file that may be
// lost. A [Job] is one piece of work under way: it knows what is to be done of
// which operation, hears what is done, and answers how many seconds are left.
// Both are free of clocks and of tasks: who uses them passes the time in.
//
// # What a guess is worth
//
// No answer is better than a wild one: a job answers only when it knows the rate
// of nearly all that is left, learned or seen for a moment. What it answers is
// steady: it counts down with the clock, follows better news smoothly, and grows
// only when the work has been clearly slower than it said for a while.
package eta
