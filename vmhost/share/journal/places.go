package journal

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// spot returns the directory and the name under which the task left o, and
// false when it has none.
func (t *tables) spot(o *object) (*object, string, bool) {
	if t.home(o) {
		return o.dir, o.alias, true
	}
	if len(o.spots) == 0 {
		return nil, "", false
	}
	e := o.place()
	return e.dir, e.name, true
}

// spot and gained are those of the tables, for who does not hold j.mu.
func (j *Journal) spot(o *object) (dir *object, name string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tables.spot(o)
}

func (j *Journal) gained(o *object) *entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return o.gained()
}

// place returns the entry that stands for all names of o: one that is sure
// before others, then one that it had before the task, then the oldest.
func (o *object) place() *entry {
	return slices.MinFunc(o.spots, func(a, b *entry) int {
		return cmp.Or(order(b.sure, a.sure), order(slices.Contains(b.bases, o), slices.Contains(a.bases, o)), cmp.Compare(a.id, b.id))
	})
}

// order is -1 when only b holds, 1 when only a does.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// dirPath returns the path of a directory as the task left it, "." for the
// folder itself, and false when it is in no place that can be reached.
func (t *tables) dirPath(o *object) (string, bool) {
	var parts []string
	for range maxPathLen {
		if o.parent == nil {
			if len(parts) == 0 {
				return ".", true
			}
			slices.Reverse(parts)
			return strings.Join(parts, "/"), true
		}
		dir, name, ok := t.spot(o)
		if !ok {
			return "", false
		}
		parts = append(parts, name)
		o = dir
	}
	return "", false
}

// basePath returns the path that a name in dir had before the task.
func (t *tables) basePath(dir *object, name string) string {
	for range maxPathLen {
		if dir.parent == nil {
			return name
		}
		name = path.Join(dir.name, name)
		dir = dir.parent
	}
	return name
}
