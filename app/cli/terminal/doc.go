// Package terminal is how the command line talks: answers for people or as JSON on
// stdout; hints, progress and questions on stderr.
//
// What is not the program's own text (names of files, what a guest says) goes through
// [words.Printable] or [PrintableText], so that it cannot steer a terminal.
package terminal
