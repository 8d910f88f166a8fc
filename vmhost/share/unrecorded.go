package share

// Unrecorded is the directory at a path of the host as a Store without a journal:
// nothing that happens there can be taken back. It is for what belongs to a task
// and not to a person, and for measuring what the journal costs.
func Unrecorded(path string) (Store, error) { return newDirect(Folder{Path: path}, nil) }
