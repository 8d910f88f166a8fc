//go:build long

package conformance

import (
	"maps"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/realfs"
)

// Disks runs the table in folders of each file system that people have, but for what is about the
// state of a task, which is not among these.
func Disks(t *testing.T, start func(t *testing.T, set *share.Set) Guest) {
	realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
		(&place{dir: d.Dir, lacks: lacks[d.Name], lower: d.Lower}).run(t, start)
	})
}

// lacks is what file systems cannot do, by what it is called in the table.
var lacks = map[string]map[string]string{
	"fat":             join(noModes, noLinks, noSymlinks, noAttributes, windowsNames),
	"exfat":           join(noModes, noLinks, noSymlinks, noAttributes, windowsNames),
	"ntfs":            join(noModes, set{"names": "its names are Unicode"}),
	"ntfs of Windows": join(noModes, windowsNames),
	"sshfs": join(noAttributes, linksApart, set{
		"times":                              "its times are counted in seconds",
		"rename a directory over a full one": "SFTP says only that it failed",
		"symlink":                            "its client shows no links that lead out of the mount",
		"links that lead out":                "its client shows no links that lead out of the mount",
	}),
	"overlay":                  lowerStays,
	"overlay of two":           lowerStays,
	"overlay of two, numbered": lowerStays,
	"overlay with an index":    lowerStays,
	"overlay of an overlay":    join(lowerStays, linksApart),
	"overlay of a user":        lowerStays,
	"smb": join(noModes, noSymlinks, windowsNames, set{
		"write while renamed and open":           "a server renames no directory in which a file is open",
		"write to what was replaced and is open": "a server replaces no file that is open",
		"guards: write through a second name":    "its client opens no second name of a file that was open by the first a second ago",
		"extended attributes":                    "none is empty, and setting one does not tell a new one from another",
	}),
}

type set = map[string]string

var (
	noModes = set{
		"attributes": "its files have no modes of their own",
		"mkdir":      "its files have no modes of their own",
		"chmod":      "its files have no modes of their own",
		"times":      "its times are counted in larger steps",
	}
	noLinks = set{
		"hard link":                              "it has no hard links",
		"guards: write through a second name":    "it has no hard links",
		"guards: delete the first name of two":   "it has no hard links",
		"guards: rename over a second name":      "it has no hard links",
		"guards: what the task makes is its own": "it has no hard links",
	}
	linksApart = set{
		"hard link":                              "a file has a number for each of its names",
		"guards: what the task makes is its own": "a file has a number for each of its names",
	}
	lowerStays = set{"write while renamed and open": "it renames no directory of the lower layer: that is EXDEV, as between two disks"}
	noSymlinks = set{
		"symlink":             "it has no symbolic links",
		"links that lead out": "it has no symbolic links",
		"guards: a link that gets the name later": "it has no symbolic links",
		"guards: a second name of a link":         "it has no symbolic links",
	}
	noAttributes = set{"extended attributes": "it has none"}
	windowsNames = set{"names": "it has the names of Windows"}
)

func join(sets ...set) set {
	all := set{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}
