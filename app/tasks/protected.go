package tasks

import (
	"path/filepath"
	"slices"

	"piwork/app/samples"
	"piwork/app/task"
	"piwork/vmhost/share"
)

// protectedFrom are the directories of piwork that a task must not have when it
// asks for the folder p: all of them, but for those that a folder of sample pictures
// lies in, which is made for tasks.
func (c *folderChooser) protectedFrom(p string) []string {
	dirs := c.protected()
	for _, l := range []samples.Language{samples.English, samples.German} {
		own := c.o.Samples.Folder(l)
		real := own
		// What leads to the folder may be a link, the folder itself must not be one.
		if up, err := share.RealPath(filepath.Dir(own)); err == nil {
			real = filepath.Join(up, filepath.Base(own))
		}
		if p == own || p == real {
			return slices.DeleteFunc(dirs, func(dir string) bool { return task.Contains(dir, own) || task.Contains(dir, real) })
		}
	}
	return dirs
}
