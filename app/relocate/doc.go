// Package relocate moves piwork's own directories to another folder or disk, and
// knows where they are.
//
// A place is a folder "piwork" in the folder that the person chose, with data/,
// cache/ and a marker (place.json) that carries a random id. A small file in the
// directory of settings, the [Pointer], says which place is in use; without one it
// is where the system keeps data of programs.
//
// # A move
//
// [Look] says what it would copy and what it needs, and refuses a folder in which
// the data would not be safe. [Plan.Run] does it:
//
//  1. The pointer says that a move began, and where its files will be.
//  2. Everything but what can be made again is copied into a staging folder beside the
//     place and synced. Nothing of the old place is changed.
//  3. The staging folder is renamed to be the place.
//  4. The pointer is replaced. This is the move; it also says what is old now.
//
// The old directories are removed by [Settle], beside the work, when the program next
// starts and nobody uses them; never what has the settings in it. A kill before step 4
// leaves the old place in use, and Settle removes what was copied; one after it leaves the
// new place in use. A power cut is no different: what was copied is on the disk before the
// pointer is. Cancelling removes what was copied at once.
//
// A place whose disk is not there is a [GoneError]: the program does not begin anew
// elsewhere, as if everything were lost.
package relocate
