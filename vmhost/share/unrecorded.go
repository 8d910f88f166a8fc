package share

import (
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Unrecorded is the directory at a path of the host as a Store without a journal:
// nothing that happens there can be taken back. It is for what belongs to a task
// and not to a person, and for measuring what the journal costs.
func Unrecorded(path string) (Store, error) {
	root, err := at.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close() // the Store holds it too
	return journal.Unrecorded(root), nil
}

// opened is the folder at a path without links as a Store. Its changes are written to j,
// unless that is nil.
func opened(path, id string, j *journal.Journal) (Store, error) {
	root, err := at.OpenRealRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if j == nil {
		return journal.Unrecorded(root), nil
	}
	return j.Folder(id, root)
}
