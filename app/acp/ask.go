package acp

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/words"
	"piwork/vmhost"
)

// asking is a question that the editor has before the person, or that is piwork's to ask.
type asking struct {
	cancel  context.CancelFunc // withdraws it
	allowed atomic.Bool        // elsewhere
}

// askedKinds say of which kind of tool a question is.
var askedKinds = map[vmhost.QuestionKind]sdk.ToolKind{
	vmhost.AskCommand: sdk.ToolKindExecute, vmhost.AskDelete: sdk.ToolKindDelete, vmhost.AskNetwork: sdk.ToolKindFetch,
	vmhost.AskOverwrite: sdk.ToolKindEdit, vmhost.AskMassChange: sdk.ToolKindEdit,
}

// ask has the editor put a question to the person. It goes on meanwhile.
func (u *turn) ask(q vmhost.Question) {
	if u.asked[q.ID] != nil || u.ctx.Err() != nil {
		return
	}
	if q.Title == "" { // an event that was not rendered
		u.d.o.Words.Question(&q)
	}
	ctx, cancel := context.WithCancel(u.ctx)
	a := &asking{cancel: cancel}
	u.asked[q.ID] = a
	if q.Input && len(q.Choices) == 0 {
		u.left(q)
		return
	}
	id := sdk.ToolCallId("question-" + q.ID + "-" + strconv.FormatInt(u.began.UnixMilli(), 36))
	kind := sdk.ToolKindOther
	if k, ok := askedKinds[q.Kind]; ok {
		kind = k
	}
	options, answers := optionsOf(q)
	u.told.text = false
	u.asks.Go(func() {
		got, err := u.permission(ctx, sdk.ToolCallUpdate{
			ToolCallId: id, Title: sdk.Ptr(escaped(q.Title)), Kind: &kind, Status: sdk.Ptr(sdk.ToolCallStatusPending),
			Content: []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(u.asksFor(q)))},
		}, options)
		answer, ok := answers[got]
		switch {
		case ctx.Err() != nil: // answered elsewhere, or over
			u.closed(id, a.allowed.Load())
			return
		case err != nil || !ok:
			u.found(func() { u.left(q) })
			return
		}
		_, err = u.d.service.Answer(ctx, u.id, q.ID, answer)
		u.closed(id, answer.Answer == vmhost.AnswerAllow)
		if p := problem.From(err); err != nil && ctx.Err() == nil && p.Code != problem.CodeQuestionOver {
			u.found(func() { u.note(message(u.d.said(err))) })
		}
	})
}

// permission asks the person in the editor, and returns the id of the option that was chosen, ""
// for none.
func (u *turn) permission(ctx context.Context, call sdk.ToolCallUpdate, options []sdk.PermissionOption) (sdk.PermissionOptionId, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	r, err := u.d.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: u.s.id, ToolCall: call, Options: options})
	if err != nil || r.Outcome.Selected == nil {
		return "", err
	}
	return r.Outcome.Selected.OptionId, nil
}

// closed says that a question is over.
func (u *turn) closed(id sdk.ToolCallId, allowed bool) {
	status := sdk.ToolCallStatusFailed
	if allowed {
		status = sdk.ToolCallStatusCompleted
	}
	u.update(sdk.UpdateToolCall(id, sdk.WithUpdateStatus(status)))
}

// found has follow do something. A turn that is over does nothing any more.
func (u *turn) found(do func()) {
	select {
	case u.news <- do:
	default:
	}
}

// asksFor is what a question says below its title. Words and files of the task are as they are.
func (u *turn) asksFor(q vmhost.Question) string {
	out := []string{escaped(q.Detail)}
	for _, quote := range q.Quotes {
		out = append(out, quoted(quote))
	}
	items, more := words.Items(u.d.o.Words, q)
	var list strings.Builder
	for _, item := range items {
		list.WriteString("- " + code(item) + "\n")
	}
	out = append(out, list.String(), escaped(more))
	for _, note := range q.Notes {
		out = append(out, escaped(note))
	}
	out = slices.DeleteFunc(append(out, escaped(q.Caution)), func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(out, "\n\n")
}

// left says that a question is for piwork to ask.
func (u *turn) left(q vmhost.Question) {
	u.note(strings.Join([]string{u.d.o.Words.Text("acp.elsewhere", nil), escaped(q.Title), u.asksFor(q)}, "\n\n"))
}

// decided withdraws a question that has its answer.
func (u *turn) decided(id, answer string) {
	if a := u.asked[id]; a != nil {
		a.allowed.Store(answer == vmhost.AnswerAllow)
		a.cancel()
	}
}

// endAsking withdraws all that is open.
func (u *turn) endAsking() {
	for _, a := range u.asked {
		a.cancel()
	}
}

// optionsOf are the answers of a question as an editor shows them, and what each means.
func optionsOf(q vmhost.Question) (options []sdk.PermissionOption, answers map[sdk.PermissionOptionId]consent.AnswerRequest) {
	answers = map[sdk.PermissionOptionId]consent.AnswerRequest{}
	add := func(kind sdk.PermissionOptionKind, label string, r consent.AnswerRequest) {
		id := sdk.PermissionOptionId("answer-" + strconv.Itoa(len(options)+1))
		options = append(options, sdk.PermissionOption{OptionId: id, Kind: kind, Name: words.Printable(label)})
		answers[id] = r
	}
	for i, c := range q.Choices {
		add(sdk.PermissionOptionKindAllowOnce, c.Label, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Choice: &i})
	}
	for _, a := range q.Answers {
		r := consent.AnswerRequest{Answer: a.Answer, Scope: a.Scope, Rest: a.Rest}
		switch {
		case a.Answer == vmhost.AnswerAllow && len(q.Choices) > 0: // a yes is one of the choices
		case a.Answer == vmhost.AnswerAllow && a.Scope == vmhost.ScopeOnce:
			r.Seen = min(len(q.Items), words.ShownItems)
			add(sdk.PermissionOptionKindAllowOnce, a.Label, r)
		case a.Answer == vmhost.AnswerAllow:
			r.Seen = min(len(q.Items), words.ShownItems)
			add(sdk.PermissionOptionKindAllowAlways, a.Label, r)
		case a.Rest || a.Scope == vmhost.ScopeAlways:
			add(sdk.PermissionOptionKindRejectAlways, a.Label, r)
		default:
			add(sdk.PermissionOptionKindRejectOnce, a.Label, r)
		}
	}
	return options, answers
}
