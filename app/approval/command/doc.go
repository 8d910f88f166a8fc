// Package command says whether a person is asked before a shell command of an AI
// runs: what the command does to their folders, as far as its text proves it.
//
//	Classify("wc -l *.txt | sort -n", "/folders/Trip") → Verdict{}                  runs unasked
//	Classify("rm *.txt", "/folders/Trip")              → Verdict{Effects: [delete]}  the person is asked
//
// # How
//
// The text is parsed as Bash parses it (mvdan.cc/sh/v3/syntax); the caller runs
// exactly this text with Bash. Every node of the tree has to be of a kind that is
// named here, every program has to be in a table with those of its options that
// only read, and every word that decides anything has to be known from the text.
// All else has the effect [Unknown]. Nothing is listed as dangerous: a program,
// an option or a form of the shell that is in no table is asked about.
//
// A word is known when nothing but quotes and backslashes stands in it. Of one
// with an expansion only the beginning is known: "/folders/$x" cannot be an option,
// *.txt can ("-o.txt" is a name). A variable is followed where a script sets it once:
// at its top level, or as the one of a loop.
//
// # What it does not promise
//
// A command can do what its text does not say: a program that reads a folder can
// have a fault, and git runs what the folder's own configuration says (see git.go).
// Whatever a command is taken for, the share's guards ask before originals are
// replaced or deleted, the network's policy holds, and everything can be undone.
//
// # Effects
//
// [Write] is what nobody is asked about: a new directory, or files of the
// places that belong to the task alone. pi's own write tool does the same unasked.
// Where a refused program can do exactly one thing (rm deletes), the verdict says
// only that; where it can do more, it has [Unknown] too.
package command
