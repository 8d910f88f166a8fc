package review

import (
	"path"
)

// entryPath returns the path in the merged view of a name that the task
// decided about, and false when its directory is not there any more.
func (t *tables) entryPath(e *entry) (string, bool) { return t.entered(e, maxPathLen) }

// nodePath returns a path of n in the merged view.
func (t *tables) nodePath(n *node) (string, bool) { return t.placed(n, maxPathLen) }

// merged, entered and placed take at most so many steps: a damaged log may say
// that a directory lies in itself.
func (t *tables) merged(base string, left int) (string, bool) {
	if base == "." || left <= 0 {
		return ".", left > 0
	}
	if n := t.byBase[base]; n != nil && len(n.links) > 0 {
		return t.entered(n.links[0], left-1)
	}
	dir, name := path.Dir(base), path.Base(base)
	up, ok := t.merged(dir, left-1)
	if !ok {
		return "", false
	}
	if d := t.byBase[dir]; d != nil && d.names[name] != nil {
		return "", false
	}
	return path.Join(up, name), true
}

func (t *tables) entered(e *entry, left int) (string, bool) {
	up, ok := t.placed(e.dir, left-1)
	return path.Join(up, e.name), ok
}

func (t *tables) placed(n *node, left int) (string, bool) {
	switch {
	case left <= 0:
		return "", false
	case len(n.links) > 0:
		return t.entered(n.links[0], left-1)
	case n.Base == "":
		return "", false
	}
	return t.merged(string(n.Base), left-1)
}
