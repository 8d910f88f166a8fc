// Package tools is the catalogue of typed operations on files: what can be
// asked for, with which parameters, within which limits, and how the programs
// of the pack are called for it.
//
// # Parties
//
// An [Operation] is defined once, here. The guest carries it out
// (pack/guest/operate); the host validates with the same definition and derives
// schemas, routes, commands and forms from it ([Catalogue]).
//
// # Invariants
//
//   - Parameters are structs; their bounds stand in field tags, from which both
//     [Operation.Decode] and the JSON schema are made. Unknown parameters are
//     errors: a misspelt one must not be ignored silently.
//   - Adapters are pure functions from parameters to an argv. They name files
//     by scratch names of the caller's only ([ScratchName]), never by what a
//     person or a program called them, so that a leading dash, a coder prefix
//     or a glob in a name means nothing. There is no shell.
//   - What a program reports becomes one of the problem codes; its words are
//     kept as detail.
//
// This package is portable and starts nothing.
package tools
