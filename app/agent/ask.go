package agent

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"piwork/vmhost"
)

// Codes of the questions of an AI, of kind vmhost.AskCommand but for the last. The first
// and the last are the host's own, the others are those that a session asks.
const (
	AskCommand = "agent-command" // params: tool, command, effects ([]string); the items are what it is about
	AskConfirm = "agent-confirm" // params: title, message: an extension asks for a yes
	AskSelect  = "agent-select"  // params: title: one of the question's choices
	AskInput   = "agent-input"   // params: title, hint: a line
	AskEditor  = "agent-editor"  // params: title, text: what stands there already, to be changed
	AskFolder  = "agent-folder"  // params: reason, suggested: a folder of the person's computer; of kind vmhost.AskFolder
)

// MaxCommand is how long a command may be that a person is asked about, in bytes:
// they see all of it.
const MaxCommand = 32 << 10

// Bounds of questions.
const (
	maxQuestions = 32       // open at once; more are answered with no
	maxPrefill   = 16 << 10 // bytes of a text that is to be changed
	maxRequest   = 1 << 20  // bytes of a question, which is kept while it is open
	maxItems     = 50
	maxChoices   = 100
	maxTimeout   = 30 * 24 * 3600 * 1000 // ms
)

// request handles a request of an extension (docs/rpc-extension-ui.md). Those
// that pi waits for are answered once; those it does not wait for are notices, or
// about a terminal that is not there.
func (s *Session) request(e object) {
	id, method := e.str("id"), e.str("method")
	if len(id) > maxName {
		s.o.Log.Warn("a question of the AI program is not answered: its id is too long")
		return // pi's are UUIDs; answers wait until they are read
	}
	switch method {
	case "notify", "setStatus", "setWidget", "setTitle", "set_editor_text":
		return
	case "confirm", "select", "input", "editor":
	default:
		s.o.Log.Info("the AI program asks for something unknown", "method", line(method, maxName))
		s.refuse(id)
		return
	}
	size := 0
	for _, member := range e {
		size += len(member)
	}
	if size > maxRequest {
		s.refuse(id)
		return
	}
	ctx, cancel := s.askContext(e)
	if !s.questions.add(id, cancel) {
		cancel()
		s.refuse(id)
		return
	}
	s.mu.Lock()
	s.nextID++
	own := "agent-" + strconv.FormatInt(s.last.UnixMilli(), 36) + "-" + strconv.FormatInt(s.nextID, 10)
	s.mu.Unlock()
	s.asks.Go(func() {
		defer s.questions.withdraw(id)
		if method == "confirm" {
			s.reply(id, s.questions.confirm(ctx, vmhost.Question{ID: own, Text: vmhost.Text{Code: AskConfirm, Params: map[string]any{
				"title": line(e.str("title"), maxTarget), "message": start(e.str("message"), maxNotice)}}}))
			return
		}
		s.reply(id, s.questions.choose(ctx, method, own, e))
	})
}

// askContext ends with the session, or when pi gives a question up by itself.
func (s *Session) askContext(e object) (context.Context, context.CancelFunc) {
	if ms := e.num("timeout"); ms > 0 {
		return context.WithTimeout(s.ctx, time.Duration(min(ms, maxTimeout))*time.Millisecond)
	}
	return context.WithCancel(s.ctx)
}

// CommandQuestion asks for a yes to a command of the AI, at most [MaxCommand] long.
// effects and targets are those of app/approval/command.
func CommandQuestion(id, text string, effects, targets []string) vmhost.Question {
	items := []string{}
	for _, t := range targets[:min(len(targets), maxItems)] {
		items = append(items, line(t, maxTarget))
	}
	return vmhost.Question{ID: id, Kind: vmhost.AskCommand, Items: items, Text: vmhost.Text{Code: AskCommand, Params: map[string]any{
		"tool": "bash", "command": start(text, MaxCommand), "effects": effects}}}
}

// FolderQuestion asks for a folder of the person's computer: why, and which one it may
// be, are the AI's words.
func FolderQuestion(id, reason, suggested string) vmhost.Question {
	params := map[string]any{"reason": start(reason, maxNotice)}
	if suggested = line(suggested, maxTarget); suggested != "" {
		params["suggested"] = suggested
	}
	return vmhost.Question{ID: id, Kind: vmhost.AskFolder, Input: true, Items: []string{}, Text: vmhost.Text{Code: AskFolder, Params: params}}
}

// reply answers a request of an extension, which has no answer of its own.
func (s *Session) reply(id string, members command) {
	members["type"], members["id"] = "extension_ui_response", id
	if err := s.send(s.ctx, members); err != nil {
		s.o.Log.Debug("an answer for the AI program was not sent", "error", err)
	}
}

// refuse answers at once, where nothing may wait: when so much lies unread before
// pi that there is no room, it is not answered.
func (s *Session) refuse(id string) {
	line, err := json.Marshal(command{"type": "extension_ui_response", "id": id, "cancelled": true})
	if err != nil {
		return
	}
	select {
	case s.out <- append(line, '\n'):
	default:
		s.o.Log.Warn("an answer for the AI program was dropped: it does not read")
	}
}

// questions are those of pi that are open.
type questions struct {
	task string
	ask  vmhost.AskFunc // nil says no to everything

	mu   sync.Mutex
	open map[string]context.CancelFunc // by pi's id
}

// add notes a question, unless it is open already or there are too many.
func (o *questions) add(id string, cancel context.CancelFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, twice := o.open[id]; twice || len(o.open) >= maxQuestions {
		return false
	}
	if o.open == nil {
		o.open = map[string]context.CancelFunc{}
	}
	o.open[id] = cancel
	return true
}

// withdraw takes back one question.
func (o *questions) withdraw(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if cancel, ok := o.open[id]; ok {
		cancel()
		delete(o.open, id)
	}
}

// withdrawAll takes back the open questions.
func (o *questions) withdrawAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, cancel := range o.open {
		cancel()
	}
}

// confirm asks for a yes. Whatever is not a yes is a no.
func (o *questions) confirm(ctx context.Context, q vmhost.Question) command {
	if o.ask == nil {
		return command{"cancelled": true}
	}
	q.Task, q.Kind = o.task, vmhost.AskCommand
	if q.Items == nil {
		q.Items = []string{}
	}
	if t, ok := ctx.Deadline(); ok {
		q.Expires = &t
	}
	d, err := o.ask(ctx, q)
	if err != nil {
		return command{"cancelled": true}
	}
	return command{"confirmed": d.Answer == vmhost.AnswerAllow}
}

// choose lets a person pick or write something. Where they do not, nothing is
// chosen.
func (o *questions) choose(ctx context.Context, method, id string, e object) command {
	nothing := command{"cancelled": true}
	if o.ask == nil {
		return nothing
	}
	q := vmhost.Question{ID: id, Task: o.task, Kind: vmhost.AskCommand, Items: []string{}}
	params := map[string]any{"title": line(e.str("title"), maxTarget)}
	options := e.strs("options")
	switch method {
	case "select":
		if len(options) == 0 || len(options) > maxChoices {
			return nothing // a person could not see them all
		}
		q.Text.Code = AskSelect
		for _, label := range options {
			q.Choices = append(q.Choices, vmhost.Choice{Label: line(label, maxTarget)})
		}
	case "input":
		q.Text.Code, q.Input = AskInput, true
		params["hint"] = line(e.str("placeholder"), maxTarget)
	default:
		text := e.str("prefill")
		if len(text) > maxPrefill {
			return nothing // what is cut off would be lost with the answer
		}
		q.Text.Code, q.Input = AskEditor, true
		params["text"] = text
	}
	q.Text.Params = params
	if t, ok := ctx.Deadline(); ok {
		q.Expires = &t
	}
	d, err := o.ask(ctx, q)
	switch {
	case err != nil || ctx.Err() != nil || d.Answer != vmhost.AnswerAllow:
		return nothing
	case q.Input:
		return command{"value": d.Text}
	case d.Choice == nil || *d.Choice < 0 || *d.Choice >= len(options):
		return nothing
	}
	return command{"value": options[*d.Choice]} // pi compares with what it sent
}
