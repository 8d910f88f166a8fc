package acp

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/changes"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/share/journal"
)

// Bounds of what is shown of changes.
const (
	maxDiffs = 20       // files whose content is shown
	maxSide  = 64 << 10 // bytes of a file on one side
	maxShown = 1 << 20  // bytes of all of them
)

// Options of the question whether to apply changes.
const (
	optionApply = "apply"
	optionLater = "later"
)

// changed are the changes of a task: those that wait, and how many others are in the folders.
func (u *turn) changed(ctx context.Context) (waits []journal.Change, made int, err error) {
	all, err := u.d.service.Changes(ctx, u.id)
	for _, c := range all {
		switch {
		case c.Staged:
			waits = append(waits, c)
		case c.Undone == nil:
			made++
		}
	}
	return waits, made, err
}

// remind says what a turn left that did not come to its end.
func (u *turn) remind(ctx context.Context, t task.Task) {
	waits, made, err := u.changed(ctx)
	if err != nil || u.ctx.Err() != nil && u.d.life.Err() != nil {
		return
	}
	if len(waits) > 0 {
		u.note(u.d.o.Words.Text("acp.waits", map[string]any{"count": len(waits), "id": words.ShortID(t.ID)}))
	}
	u.noteMade(made)
}

// noteMade says that more was changed than the person was told of, and how to take it back.
func (u *turn) noteMade(made int) {
	u.s.mu.Lock()
	more := made > u.s.told
	u.s.told = made
	u.s.mu.Unlock()
	if more {
		u.note(u.d.o.Words.Text("acp.made", map[string]any{"count": made, "id": words.ShortID(u.id)}))
	}
}

// review says what a turn changed, and asks whether what waits is to be applied, as much at a time
// as is listed. Without a yes it goes on waiting.
func (u *turn) review(t task.Task, events <-chan task.Event) (sdk.StopReason, error) {
	waits, made, err := u.changed(u.ctx)
	if err != nil {
		return u.reviewed(err)
	}
	u.noteMade(made)
	for n := 0; len(waits) > 0; n++ {
		if n == 0 {
			u.note(u.d.o.Words.Text("acp.waits", map[string]any{"count": len(waits), "id": words.ShortID(t.ID)}))
		}
		listed, digest, err := u.listed(waits)
		if err != nil {
			return u.reviewed(err)
		}
		waits = without(waits, listed)
		yes, err := u.offer(n, listed, digest, len(waits), events)
		if !yes && n > 0 && u.ctx.Err() == nil {
			u.remind(u.ctx, t)
		}
		if !yes || err != nil {
			return u.reviewed(err)
		}
	}
	return u.reviewed(nil)
}

// listed returns the first of the changes that wait, together with the changes that piwork would apply
// along with them, such as every file in a deleted directory. A yes to the list is a yes to its digest.
func (u *turn) listed(waits []journal.Change) ([]journal.Change, string, error) {
	p, err := u.d.service.Preview(u.ctx, u.id, history.PreviewRequest{How: history.ByApply, IDs: idsOf(waits[:min(len(waits), maxListed)])})
	return p.Changes, p.Digest, err
}

func idsOf(list []journal.Change) []string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

// without is a list without others.
func without(list, others []journal.Change) []journal.Change {
	gone := idsOf(others)
	slices.Sort(gone)
	return slices.DeleteFunc(slices.Clone(list), func(c journal.Change) bool {
		_, is := slices.BinarySearch(gone, c.ID)
		return is
	})
}

// offer asks whether changes are to be applied, and applies them after a yes: these, and no others.
// n says how often it was asked before, and more how many are left for later.
func (u *turn) offer(n int, listed []journal.Change, digest string, more int, events <-chan task.Event) (yes bool, err error) {
	id := sdk.ToolCallId("apply-" + strconv.FormatInt(u.began.UnixMilli(), 36) + "-" + strconv.Itoa(n))
	text := func(id string) string { return u.d.o.Words.Text(id, map[string]any{"count": len(listed)}) }
	call := sdk.ToolCallUpdate{
		ToolCallId: id, Title: sdk.Ptr(text("acp.apply")), Kind: sdk.Ptr(sdk.ToolKindEdit), Status: sdk.Ptr(sdk.ToolCallStatusPending),
	}
	call.Content, call.Locations = u.compared(u.ctx, listed, more)
	ctx, cancel := context.WithCancel(u.ctx)
	defer cancel()
	answer := make(chan bool, 1)
	u.asks.Go(func() {
		got, err := u.permission(ctx, call, []sdk.PermissionOption{
			{OptionId: optionApply, Kind: sdk.PermissionOptionKindAllowOnce, Name: text("acp.yes")},
			{OptionId: optionLater, Kind: sdk.PermissionOptionKindRejectOnce, Name: text("acp.later")},
		})
		answer <- err == nil && got == optionApply && ctx.Err() == nil
	})
	for {
		select {
		case yes := <-answer:
			if yes {
				err = u.apply(listed, digest)
			}
			u.closed(id, yes && err == nil)
			return yes, err
		case e, open := <-events:
			if !open || elsewhere(e, listed) {
				cancel()
				u.closed(id, <-answer)
				return false, nil
			}
		}
	}
}

// elsewhere reports whether somebody else decided about changes, or the task goes on.
func elsewhere(e task.Event, listed []journal.Change) bool {
	switch data := e.Data.(type) {
	case task.StateData:
		return !data.State.Final()
	case task.ApplyData:
		return slices.ContainsFunc(listed, func(c journal.Change) bool {
			return slices.Contains(data.Applied, c.ID) || slices.Contains(data.Discarded, c.ID)
		})
	}
	return e.Kind == task.EventApply
}

// reviewed ends a turn after a review. What went wrong with that is no failure of the turn.
func (u *turn) reviewed(err error) (sdk.StopReason, error) {
	if u.ctx.Err() != nil {
		return sdk.StopReasonCancelled, nil
	}
	if err != nil {
		u.note(message(u.d.said(err)))
	}
	return sdk.StopReasonEndTurn, nil
}

// applyWithin is how long the door stays for changes that are being applied as it closes.
const applyWithin = 5 * time.Minute

// apply applies the changes that the person saw, and no others. What was allowed is done, whoever
// goes: piwork would stop between two changes if the editor that closes ended the request.
func (u *turn) apply(waits []journal.Change, digest string) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(u.ctx))
	defer cancel()
	defer context.AfterFunc(u.d.life, func() { time.AfterFunc(applyWithin, cancel) })()
	done, err := u.d.service.Apply(ctx, u.id, history.ApplyRequest{IDs: idsOf(waits), Digest: digest})
	if err != nil {
		return err
	}
	u.s.mu.Lock()
	u.s.told += len(done.Applied)
	u.s.mu.Unlock()
	u.note(u.d.o.Words.Text("acp.applied", map[string]any{"count": len(done.Applied), "id": words.ShortID(u.id)}))
	if n := len(done.Conflicts); n > 0 {
		u.note(u.d.o.Words.Text("acp.conflicts", map[string]any{"count": n, "id": words.ShortID(u.id)}))
	}
	return nil
}

// compared are changes as an editor shows them: a list, and texts before and after. more is how many
// are left for later.
func (u *turn) compared(ctx context.Context, all []journal.Change, more int) (out []sdk.ToolCallContent, at []sdk.ToolCallLocation) {
	var list strings.Builder
	diffs, size := []sdk.ToolCallContent{}, 0
	for _, c := range all {
		name := code(c.Path)
		if c.From != "" {
			name = code(c.From) + " → " + name
		}
		list.WriteString("- " + u.d.o.Words.Name("effect-done", string(c.Effect)) + ": " + name + "\n")
		file, ok := u.fileOf(c)
		if !ok || len(diffs) == maxDiffs || c.Kind != "" && c.Kind != "file" {
			continue
		}
		at = append(at, sdk.ToolCallLocation{Path: file})
		before, okBefore := u.side(ctx, c, changes.Before, c.Before)
		after, okAfter := u.side(ctx, c, changes.After, c.After)
		if size += len(before) + len(after); !okBefore || !okAfter || before == after || size > maxShown {
			continue
		}
		if c.Before == nil {
			diffs = append(diffs, sdk.ToolDiffContent(file, after))
		} else {
			diffs = append(diffs, sdk.ToolDiffContent(file, after, before))
		}
	}
	if more > 0 {
		list.WriteString("\n" + u.d.o.Words.Text("acp.next", map[string]any{"count": more}) + "\n")
	}
	return append([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(list.String()))}, diffs...), at
}

// fileOf is where a changed file is in the editor.
func (u *turn) fileOf(c journal.Change) (string, bool) {
	for _, f := range u.folders {
		if f.ID == c.Folder && filepath.IsLocal(filepath.FromSlash(c.Path)) {
			return filepath.Join(f.named, filepath.FromSlash(c.Path)), true
		}
	}
	return "", false
}

// side is the text of a file on one side of a change, where it is a short text.
func (u *turn) side(ctx context.Context, c journal.Change, which changes.Which, state *journal.FileState) (string, bool) {
	if state == nil {
		return "", true
	}
	if state.Size > maxSide {
		return "", false
	}
	f, _, err := u.d.service.OpenChange(ctx, u.id, c.ID, which)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSide+1))
	if err != nil || len(data) > maxSide || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	return string(data), true
}
