package acpagent

import (
	"context"
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/vmhost/wire"
)

// served are the files of a session's task.
type served struct{ s *Session }

var (
	errNoTurn  = errors.New("no turn of this session is under way")
	errOutside = errors.New("the path is in none of the task's folders")
	errReading = errors.New("the folder is read only")
	errNoText  = errors.New("the file is no text")
	errNoFiles = errors.New("files are not served here")
)

// place checks a path that the program names: it is one in a folder of the task. Where links lead
// is for who reads and writes in the machine to check ([Files]).
func (f served) place(id sdk.SessionId, p string, writes bool) error {
	switch {
	case f.s.o.Files == nil:
		return errNoFiles
	case f.s.underWay(id) == nil:
		return errNoTurn
	case len(p) > maxPath || !utf8.ValidString(p) || strings.ContainsRune(p, 0) || path.Clean(p) != p:
		return errOutside
	}
	for _, one := range f.s.o.Folders() {
		if strings.HasPrefix(p, one.Path+"/") {
			if writes && one.ReadOnly {
				return errReading
			}
			return nil
		}
	}
	return errOutside
}

const maxPath = 4095 // bytes, as in Linux

// read reads a text file, or some lines of it.
func (f served) read(ctx context.Context, p sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	var out sdk.ReadTextFileResponse
	if err := f.place(p.SessionId, p.Path, false); err != nil {
		return out, err
	}
	data, err := f.s.o.Files.ReadFile(ctx, p.Path)
	if err != nil {
		return out, err
	}
	if !utf8.Valid(data) {
		return out, errNoText
	}
	out.Content = lines(string(data), p.Line, p.Limit)
	return out, nil
}

// lines are those from a number on, counted from 1.
func lines(text string, from, limit *int) string {
	if from == nil && limit == nil {
		return text
	}
	all := strings.SplitAfter(text, "\n")
	first, count := 0, len(all)
	if from != nil {
		first = min(max(*from-1, 0), len(all))
	}
	if limit != nil {
		count = min(max(*limit, 0), len(all)-first)
	}
	return strings.Join(all[first:min(first+count, len(all))], "")
}

// write replaces a file, or makes one.
func (f served) write(ctx context.Context, p sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	var out sdk.WriteTextFileResponse
	if err := f.place(p.SessionId, p.Path, true); err != nil {
		return out, err
	}
	if len(p.Content) > wire.MaxFileData {
		return out, agent.ErrTooLong
	}
	return out, f.s.o.Files.WriteFile(ctx, p.Path, []byte(p.Content))
}
