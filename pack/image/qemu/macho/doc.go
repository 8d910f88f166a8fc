// Package macho reads of a program for macOS what decides whether it can be part
// of a runtime pack: processors, libraries, entitlements. It needs no Mac.
//
// The outer form is read by debug/macho; the code signature is read here, as
// xnu's cs_blobs.h describes it: blacktop/go-macho (v1.1.296) parses it too, but
// makes room for as many blobs as a file claims, 4 billion at most. A signature is
// read, not checked: that every byte is the right one is known from a lock file,
// and macOS checks the rest when the program starts. Files are hostile: every
// length is bounded before it is used.
package macho
