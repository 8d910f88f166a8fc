// Package bootid identifies a boot of the computer: while it is the same, what a program wrote is on
// the disk or in the memory of the system.
package bootid
