package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/vmhost/share/journal"
)

// ByDiscard is the way of an Apply that gives changes up.
const ByDiscard = "discard"

// PreviewRequest says what somebody is about to ask for.
type PreviewRequest struct {
	How     string                        `json:"how" enum:"undo,redo,apply,discard"`
	IDs     []string                      `json:"ids,omitempty"`     // as of the request that follows; empty is all
	Resolve map[string]journal.Resolution `json:"resolve,omitempty"` // likewise
}

// Preview is all that a request would do: the changes that it names, and those that go along with
// them, such as what lies in a directory.
type Preview struct {
	Changes []journal.Change `json:"changes"`
	Digest  string           `json:"digest"` // of them, for the request
}

// Preview lists what an undo, redo, apply or discard would do, and does nothing.
func (h *History) Preview(ctx context.Context, id string, r PreviewRequest) (Preview, error) {
	if err := checkResolutions("", r.Resolve); err != nil {
		return Preview{}, err
	}
	list, err := ended(ctx, h, id, func(j Journal) ([]journal.Change, error) {
		only := &agreement{ask: func([]journal.Change) error { return errShown }}
		var err error
		switch r.How {
		case ByUndo:
			_, err = j.Undo(ctx, UndoRequest{IDs: r.IDs, Resolve: r.Resolve, may: only.may})
		case ByRedo:
			_, err = j.Redo(ctx, RedoRequest{IDs: r.IDs, may: only.may})
		case ByApply, ByDiscard:
			_, err = j.Apply(ctx, ApplyRequest{IDs: r.IDs, Discard: r.How == ByDiscard, Resolve: r.Resolve, may: only.may})
		default:
			err = problem.BadRequest("how", "%q is not a choice", r.How)
		}
		if errors.Is(err, errShown) {
			err = nil
		}
		return nonNil(only.list), err
	})
	if err != nil {
		return Preview{}, problem.From(err)
	}
	slices.SortFunc(list, func(a, b journal.Change) int {
		return cmp.Or(strings.Compare(a.Folder, b.Folder), strings.Compare(a.Path, b.Path), strings.Compare(a.ID, b.ID))
	})
	return Preview{Changes: list, Digest: digest(list)}, nil
}

// errShown ends the work of a preview, once it is known what would be done.
var errShown = errors.New("only shown")

// agreement is what a request may do. It is asked about all changes before the first is done;
// afterwards nothing else may be.
type agreement struct {
	ask  journal.May
	list []journal.Change // that were asked about
	ids  map[string]bool
}

// may implements journal.May.
func (a *agreement) may(list []journal.Change) error {
	if a.ids != nil {
		return within(list, a.ids)
	}
	a.list, a.ids = list, map[string]bool{}
	for _, c := range list {
		a.ids[c.ID] = true
	}
	return a.ask(list)
}

// agree is what a request may do that names changes by ids and by the digest of its preview, and of
// which may, which can be nil, is asked, too. Without ids all is meant, and without a digest no
// change but those with the ids.
func agree(ids []string, shown string, may journal.May) journal.May {
	return (&agreement{ask: func(list []journal.Change) error {
		var err error
		switch {
		case shown != "" && digest(list) != shown:
			err = problem.New(problem.CodeListChanged)
		case shown == "" && len(ids) > 0:
			named := map[string]bool{}
			for _, id := range ids {
				named[id] = true
			}
			err = within(list, named)
		}
		if err != nil {
			return err
		}
		return may.Ask(list)
	}}).may
}

// within is the problem of changes that go along with those of ids.
func within(list []journal.Change, ids map[string]bool) error {
	more, first := 0, ""
	for _, c := range list {
		if !ids[c.ID] {
			if more++; first == "" || c.Path < first {
				first = c.Path
			}
		}
	}
	if more == 0 {
		return nil
	}
	return problem.New(problem.CodeListChanged).By("along").With("count", more).With("path", first)
}

// digest is a hash of what a list of changes shows, in any order.
func digest(list []journal.Change) string {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b journal.Change) int { return strings.Compare(a.ID, b.ID) })
	sum := sha256.New()
	out := json.NewEncoder(sum)
	for _, c := range sorted {
		c.Undone = nil
		_ = out.Encode(c) // a hash takes all, and a change has nothing else than JSON has
	}
	return hex.EncodeToString(sum.Sum(nil))
}
