// Package copied is the guest's end of folders of which a place has a copy: a part of the
// agent's program that the host runs for each move of files (vmhost/wire, CopyPart; the
// other end is vmhost/share/copied).
//
// It runs as the user of the programs and with no more rights, in directories that those
// programs may change at the same time: every name is resolved below the copy's directory
// (os.Root), and what is not what the host believed stays as it is, a directory with all that
// the host has not told of. A file is whole before it has its name. It knows nothing of
// earlier runs, so that no program can lead it astray: what changed is the host's to find
// out.
package copied
