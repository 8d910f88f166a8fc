package audit

import "errors"

// Resume opens the log in dir with the key in configDir, as a program does when it starts: what
// an earlier run left open is ended there as interrupted, and a chain that does not hold is
// logged. The key of o is not looked at.
func Resume(dir, configDir string, o Options) (*Log, error) {
	var err error
	if o.Key, err = OpenKey(configDir); err != nil {
		return nil, err
	}
	l, rep, unfinished, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	if !rep.OK {
		l.o.Log.Error("the audit log does not hold", "record", rep.BadLine, "reason", rep.Reason)
	}
	for _, r := range unfinished {
		r.Ended = EndedInterrupted
		if err := l.Append(r); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}
