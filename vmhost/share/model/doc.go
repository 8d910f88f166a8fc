// Package model holds undo to its one rule, with a folder in memory beside the folder on the disk.
// Used by tests only.
//
//	What the person did not touch since is as before the task; what the person touched is as the
//	person left it; what is not as before is said; undo ends.
//
// A [History] is what a task (or two) and a person do to a small folder ([World]), and then what is
// undone and redone. A [Runner] plays it through a [Driver], which is the recorder itself or one of
// the front ends (package conformance), and compares the disk with the rule after each step. [Set.Each] counts up every short
// history, [Short] and [Any] make one out of random numbers.
//
// A history is written in one line, which [Parse] reads again:
//
//	two: write A/x; P save A/x; #A/x chmod; 2 unlink A/y; undo; redo; undo
//
// Paths have one or two directories, A and B, and names x, y, z. "#A/x" is the handle to what was at
// A/x before the task, opened before all else; "#3" is the handle with which the third step made a
// file. "P" is the person, "2" the second task.
package model
