// Package machine changes the guest as a whole: its clock, its randomness, its
// names, and whether it is on.
//
// A guest that was restored from a template has the clock, the random state
// and the identity of the moment of saving, the same as every other guest from
// it. [SetClock], [AddEntropy] and [Names] make it one of its own, before anything
// is started in it.
package machine
