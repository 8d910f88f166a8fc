package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// maxActWords is how much of what an action's program says beside its answer is kept, in
// bytes.
const maxActWords = 4 << 10

// file does an operation on files, with the program for actions.
func (x Executor) file(ctx context.Context, p wire.FileParams, of vmhost.Action) (*wire.FileResult, error) {
	if p.ID == "" {
		p.ID = newID()
	}
	p.Size = int64(len(of.Data))
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "file", Err: err}
	}
	var r *wire.FileResult
	news := &news{most: wire.MaxFileData, limit: p.Limit, on: func(n wire.ActNews) {
		if n.Change != nil && of.OnChange != nil {
			of.OnChange(*n.Change)
		}
	}}
	last, err := x.act(ctx, p.ID, p.Op, wire.ActOrder{File: &p}, of, news)
	if err != nil {
		return nil, err
	}
	if r = last.File; r == nil || !answers(p, *r) || r.Size != int64(len(news.data)) {
		return nil, x.unfit(p.Op)
	}
	r.Data = news.data
	return r, nil
}

// fetch gets what is at an address of the web.
func (x Executor) fetch(ctx context.Context, p wire.FetchParams, of vmhost.Action) (*wire.FetchResult, error) {
	if p.ID == "" {
		p.ID = newID()
	}
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "fetch", Err: err}
	}
	news := &news{most: wire.MaxInline}
	last, err := x.act(ctx, p.ID, "fetch", wire.ActOrder{Fetch: &p}, of, news)
	if err != nil {
		return nil, err
	}
	r := last.Fetch
	if r == nil || r.Size > p.Limit || p.Into == "" && r.Info != nil || p.Into != "" && r.Info == nil && r.Status < 400 || p.Into == "" && r.Size != int64(len(news.data)) || p.Into != "" && len(news.data) > 0 {
		return nil, x.unfit("fetch")
	}
	r.Data = news.data
	return r, nil
}

// page visits the web with a browser.
func (x Executor) page(ctx context.Context, p wire.PageParams, of vmhost.Action) (*wire.PageResult, error) {
	if p.ID == "" {
		p.ID = newID()
	}
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "page", Err: err}
	}
	last, err := x.act(ctx, p.ID, "page", wire.ActOrder{Page: &p}, of, &news{})
	if err != nil {
		return nil, err
	}
	if r := last.Page; r != nil && len(r.Steps) == len(p.Steps) {
		return r, nil
	}
	return nil, x.unfit("page")
}

// unfit is the end of a runtime in which an action answers something else than was asked.
func (x Executor) unfit(what string) error {
	return x.broken(&ProtocolError{fmt.Errorf("the answer of %q does not fit", what)})
}

// answers tells whether a result is of what was asked.
func answers(p wire.FileParams, r wire.FileResult) bool {
	switch p.Op {
	case wire.FileRead:
		return r.Info != nil && r.Size <= p.Length
	case wire.FileList:
		return r.Size == 0 && len(r.Entries) <= p.Limit
	case wire.FileWatch:
		return r.Size == 0
	}
	return r.Info != nil && r.Size == 0
}

// act runs the program for actions with an order and what follows it, the data of the action
// of, and returns its last word.
func (x Executor) act(ctx context.Context, id, what string, o wire.ActOrder, of vmhost.Action, n *news) (*wire.ActNews, error) {
	if !x.Can(wire.CanAct) {
		return nil, &vmhost.UnsupportedError{Runtime: x.Runtime, What: "actions"}
	}
	order, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	in := io.MultiReader(bytes.NewReader(order), bytes.NewReader([]byte("\n")), bytes.NewReader(of.Data))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n.stop = cancel
	r, err := x.exec(ctx, wire.ExecParams{
		ID: id, Argv: []string{wire.ActionProgram, wire.ActArg}, Cwd: "/", Limits: wire.Limits{OutputBytes: wire.MaxOutput},
	}, vmhost.Action{Request: of.Request, Input: io.NopCloser(in), OnOutput: n.output})
	var protocol *ProtocolError
	switch {
	case n.err != nil && errors.As(n.err, &protocol):
		return nil, x.broken(n.err)
	case err != nil:
		return nil, err
	case n.last == nil:
		said := fmt.Errorf("it ended with status %d%s: %s", r.ExitCode, r.Ended, wire.Short(string(n.words)))
		return nil, &vmhost.ActionError{Code: vmhost.ActionGuest, What: what, Err: said}
	case n.last.Failed != nil:
		return nil, &vmhost.FailedActionError{What: what, ActFailure: *n.last.Failed}
	}
	return n.last, nil
}

// news reads what an action's program says. It is hostile as all that comes from inside.
type news struct {
	most  int                // bytes of data
	limit int                // of changes and the like; one more may come that says it is ready
	on    func(wire.ActNews) // hears what comes before the last word; nil: nothing may
	stop  context.CancelCauseFunc

	line  []byte // an unfinished one
	told  int
	last  *wire.ActNews
	data  []byte // that follow it
	words []byte
	err   error
}

// output takes a piece of what the program says; one at a time.
func (n *news) output(o wire.ExecOutput) {
	switch {
	case n.err != nil:
	case o.Stream != wire.Stdout:
		n.words = append(n.words, o.Data[:min(len(o.Data), maxActWords-len(n.words))]...)
	default:
		if err := n.take(o.Data); err != nil {
			n.err = &ProtocolError{fmt.Errorf("an action: %w", err)}
			n.stop(n.err)
		}
	}
}

func (n *news) take(b []byte) error {
	for len(b) > 0 && n.last == nil {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		if len(n.line)+len(part) > wire.MaxActLine {
			return wire.ErrLineTooLong
		}
		n.line, b = append(n.line, part...), rest
		if !ended {
			return nil
		}
		said, err := wire.ParseNews(n.line)
		if err != nil {
			return err
		}
		n.line = n.line[:0]
		if said.Change == nil {
			n.last = &said
			continue
		}
		if n.on == nil {
			return errors.New("a change that nobody asked for")
		}
		if n.told++; n.told > n.limit+1 {
			return fmt.Errorf("more than %d changes", n.limit)
		}
		n.on(said)
	}
	if len(n.data)+len(b) > n.most {
		return fmt.Errorf("more than %d bytes", n.most)
	}
	n.data = append(n.data, b...)
	return nil
}
