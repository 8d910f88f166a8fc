package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/pack/lazyregexp"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Operations of pack/tools that give files other places.
const (
	opMove   = "file.move"
	opRemove = "file.remove"
	opRename = "file.rename"
)

// Chores that read files which they only move.
const (
	sortPhotosName = "sort-photos"
	duplicatesName = "find-duplicates"
)

// languages of the folders that a chore makes.
var languages = ParamInfo{Name: "language", Type: "choice", Default: "en", Choices: []string{"en", "de"}}

// proposes is a chore whose moves one operation proposes, with parameters that
// are those of the chore.
func proposes(op string, deep bool, info Info) mover {
	return mover{info: info, deep: deep, propose: func(ctx context.Context, env Env, f Folder) ([]proposal, []problem.Problem, error) {
		params := maps.Clone(env.Params)
		if op == opRename {
			params["pattern"] = withExtension(text(params, "pattern"))
		}
		if err := checkParams(op, params); err != nil {
			return nil, nil, err
		}
		return env.moves(ctx, op, f.Guest, params)
	}}
}

// checkParams refuses what the operation would refuse, as parameters of the
// chore.
func checkParams(op string, params map[string]any) error {
	o, ok := tools.Find(op)
	if !ok {
		return fmt.Errorf("there is no operation %s", op)
	}
	p, err := o.Decode(params)
	if err == nil {
		err = tools.CheckParams(p)
	}
	if invalid, is := errors.AsType[*wire.InvalidError](err); is {
		return badParam(strings.TrimPrefix(invalid.Field, "params."), errors.New(invalid.Reason))
	}
	return err
}

// cleanupDownloads puts what lies in a folder into folders by kind and month.
var cleanupDownloads = proposes("file.cleanup", true, Info{
	Name: "cleanup-downloads",
	Params: []ParamInfo{
		{Name: "months", Type: "bool", Default: true},
		{Name: "installers", Type: "bool", Default: true},
		{Name: "archives", Type: "bool", Default: true},
		{Name: "days", Type: "int", Default: 30},
		{Name: "empty", Type: "bool", Default: true},
		languages,
	},
	Effects: []Effect{EffectMove, EffectDelete}, Needs: []string{},
})

// sortPhotos puts photos and videos into folders by when they were taken.
var sortPhotos = proposes("file.organize", true, Info{
	Name: sortPhotosName,
	Params: []ParamInfo{
		{Name: "by", Type: "choice", Default: "taken-month", Choices: []string{"taken-month", "taken-year"}},
		{Name: "recursive", Type: "bool", Default: false},
	},
	Effects: []Effect{EffectMove}, Needs: []string{},
})

// renameFiles gives the files of a folder names by a pattern.
var renameFiles = proposes(opRename, false, Info{
	Name: "rename-files",
	Params: []ParamInfo{
		{Name: "pattern", Type: "string", Default: "{name}{ext}"},
		{Name: "find", Type: "string", Default: ""},
		{Name: "with", Type: "string", Default: ""},
		{Name: "case", Type: "choice", Default: "keep", Choices: []string{"keep", "lower", "upper"}},
		{Name: "spaces", Type: "choice", Default: "keep", Choices: []string{"keep", "dash", "underscore"}},
		{Name: "start", Type: "int", Default: 1},
	},
	Effects: []Effect{EffectMove}, Needs: []string{},
})

// ownExtension is one that a pattern ends with: ".jpeg", but not ".2" or ". {n}".
var ownExtension = lazyregexp.New(`\.[0-9A-Za-z]*[A-Za-z][0-9A-Za-z]*$`)

// withExtension keeps the extensions of files when a pattern says nothing of them:
// nobody who writes "Trip {n}" wants photos that no program opens.
func withExtension(pattern string) string {
	if strings.Contains(pattern, "{ext}") || ownExtension().MatchString(pattern) {
		return pattern
	}
	return pattern + "{ext}"
}

// findDuplicates sets files aside that are there more than once: one of each
// stays where it is.
var findDuplicates = mover{
	info: Info{
		Name: duplicatesName,
		Params: []ParamInfo{
			{Name: "similar", Type: "bool", Default: false},
			languages,
		},
		Effects: []Effect{EffectMove}, Needs: []string{},
	},
	deep:    true,
	propose: duplicateMoves,
}

// asideNames are the folders that duplicates go to.
var asideNames = map[string]string{"en": "Duplicates", "de": "Doppelte"}

func duplicateMoves(ctx context.Context, env Env, f Folder) ([]proposal, []problem.Problem, error) {
	aside := f.Guest + "/" + asideNames[text(env.Params, "language")]
	var groups []tools.Duplicates
	params := map[string]any{"similar": env.Params["similar"]}
	problems, err := env.ask(ctx, "file.duplicates", []string{f.Guest}, params, func(info json.RawMessage) (string, error) {
		var d tools.Duplicates
		if err := json.Unmarshal(info, &d); err != nil || len(d.Files) < 2 {
			return "", errors.New("the answer is not what the operation says it is")
		}
		if len(groups) == MaxEntries {
			return "", tooMany(MaxEntries)
		}
		last := d.Files[len(d.Files)-1].Path
		if n := len(groups); n > 0 && groups[n-1].Kind == d.Kind && groups[n-1].Files[0].Path == d.Files[0].Path { // a further part
			groups[n-1].Files = append(groups[n-1].Files, d.Files[1:]...)
			return last, nil
		}
		groups = append(groups, d)
		return last, nil
	})
	if err != nil {
		return nil, problems, err
	}
	entries, err := f.List(ctx, true)
	if err != nil {
		return nil, problems, err
	}
	taken := names{}
	for _, e := range entries {
		taken.add(f.Guest + "/" + e.Path)
	}
	return setAside(f.Guest, aside, groups, taken), problems, nil
}

// setAside moves all but one file of each group to the same place below aside.
// What is there already stays, and is the one that is kept only when nothing
// else is.
func setAside(root, aside string, groups []tools.Duplicates, taken names) []proposal {
	var out []proposal
	for _, g := range groups {
		var kept *tools.FileInfo
		var spare []tools.FileInfo
		for _, file := range g.Files {
			switch {
			case strings.HasPrefix(file.Path, aside+"/"):
			case kept == nil:
				kept = &file
			default:
				spare = append(spare, file)
			}
		}
		for _, file := range spare {
			to := aside + strings.TrimPrefix(file.Path, root)
			dir, name := path.Split(to)
			ext := path.Ext(name)
			to = taken.free(path.Clean(dir), strings.TrimSuffix(name, ext), ext)
			out = append(out, proposal{tools.Move{Path: file.Path, To: to, Kind: g.Kind, Size: file.Size, MTime: file.MTime}, kept})
		}
	}
	return out
}

// sameTime compares the time of a file on the host with what the guest said.
func sameTime(e Entry, mtime string) bool {
	t, err := time.Parse(time.RFC3339Nano, mtime)
	return err == nil && t.Equal(e.Time)
}
