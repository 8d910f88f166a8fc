package copied

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// invalid is the error of a place that says what no agent says.
func invalid(format string, args ...any) error {
	return &wire.InvalidError{Field: "copy", Reason: fmt.Sprintf(format, args...)}
}

// readLine reads an entry, io.EOF at the end.
func readLine(r *bufio.Reader) (e wire.CopyEntry, err error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return e, io.EOF
	case errors.Is(err, io.EOF), err == nil && len(line) > wire.MaxCopyLine, errors.Is(err, bufio.ErrBufferFull):
		return e, invalid("a line of %d bytes", len(line))
	case err != nil:
		return e, err
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, invalid("%v", err)
	}
	return e, check(e)
}

// check checks an entry of a place by itself.
func check(e wire.CopyEntry) error {
	switch {
	case e.Dir < 0 || e.Mode&^0o777 != 0 || e.Size < 0 || len(e.Target) > wire.MaxCopyTarget || e.Was != nil:
		return invalid("an entry of no file")
	case !clean(string(e.Path)):
		return invalid("the path %s", wire.Short(string(e.Path)))
	case e.Kind != wire.CopyFile && (e.Size != 0 || e.MTime != 0 || e.CTime != 0 || e.Sum != nil):
		return invalid("a size or a time of what is no file")
	case e.Kind != wire.CopyDir && e.Closed:
		return invalid("a file that is a directory")
	case (e.Kind == wire.CopyLink) != (len(e.Target) > 0) || bytes.IndexByte(e.Target, 0) >= 0:
		return invalid("a link to nothing")
	}
	switch e.Kind {
	case wire.CopyGone, wire.CopyFile, wire.CopyDir, wire.CopyLink:
		return nil
	}
	return invalid("the kind %s", wire.Short(e.Kind))
}

// clean tells whether a path is one of single names, as Linux has them. Which of them this
// computer can have the share decides.
func clean(p string) bool {
	if p == "." {
		return true
	}
	if p == "" || len(p) > wire.MaxPath || strings.IndexByte(p, 0) >= 0 {
		return false
	}
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." || name == ".." || len(name) > at.MaxName {
			return false
		}
	}
	return true
}

// maxNames bounds the names of a list and where its links lead, in bytes.
const maxNames = 128 << 20

// readList reads what is in the copies: every name once, below a directory.
func (c *Copy) readList(r *bufio.Reader) (map[key]wire.CopyEntry, error) {
	all := map[key]wire.CopyEntry{}
	names := 0 // bytes
	for {
		e, err := readLine(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		k := key{e.Dir, string(e.Path)}
		names += len(e.Path) + len(e.Target)
		_, twice := all[k]
		above := all[key{e.Dir, path.Dir(k.path)}]
		switch {
		case e.Dir >= len(c.roots) || e.Kind == wire.CopyGone || e.Sum != nil || twice:
			return nil, invalid("an entry that can't be in a list")
		case k.path == "." && e.Kind != wire.CopyDir, k.path != "." && (above.Kind != wire.CopyDir || above.Closed):
			return nil, invalid("%s is not in a directory", wire.Short(k.path))
		case names > maxNames:
			return nil, invalid("names of more than %d bytes", maxNames)
		case len(all) >= c.o.Files+len(c.roots):
			return nil, &vmhost.TooLargeError{Runtime: c.o.Name, Files: len(all) + 1, MaxFiles: c.o.Files, MaxBytes: c.o.Bytes}
		}
		e.Dir, e.Path = 0, nil // the key says it
		all[k] = e
	}
	for i, r := range c.roots {
		if _, ok := all[key{i, "."}]; !ok && !r.readOnly && !r.gone {
			return nil, invalid("there is no %s", r.dir)
		}
	}
	return all, nil
}

func writeLine(w *bufio.Writer, e wire.CopyEntry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// same tells whether nothing happened to a name of a copy between a and b.
func same(a, b wire.CopyEntry) bool {
	return a.Kind == b.Kind && a.Mode == b.Mode && a.Size == b.Size && a.MTime == b.MTime && a.CTime == b.CTime && a.Ino == b.Ino &&
		bytes.Equal(a.Target, b.Target)
}
