// Package attacks is what a program of a task must not succeed with, as one list for every
// kind of place: to write outside what is the task's, to read what is others', to reach a
// network that is off, the engine of containers or the SSH agent of the person, to end or trace
// what is not its own, and to take all processes or all of a disk.
//
// A [World] is what of this computer is out of bounds: files, servers that note who reached
// them, a process. [Run] tries the list in a place: each try is refused, and none of it reached
// anything. What a kind does not claim its test says with a reason ([Target].NotClaimed), and
// it is not tried. Tries that sh cannot make are of the program vmhost/sandbox/attacker.
package attacks
