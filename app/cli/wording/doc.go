// Package wording says what values of piwork are called on the command line: states, steps,
// changes, questions, packs, settings. It prints nothing. Words of problems come from
// app/words.
package wording
