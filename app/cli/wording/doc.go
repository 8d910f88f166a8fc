// Package wording makes lines of values for the command line: changes, questions, packs,
// keys, what a task used. It prints nothing; its words come from app/words.
package wording
