package agent

import (
	"context"
	"encoding/json"
	"strconv"
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
	maxItems     = 50
	maxChoices   = 100
	maxTimeout   = 30 * 24 * 3600 * 1000 // ms
)

// request handles a request of an extension (docs/rpc-extension-ui.md). Those
// that pi waits for are answered once; those it does not wait for are notices, or
// about a terminal that is not there.
func (s *Session) request(e object) {
	id, method := e.str("id"), e.str("method")
	switch method {
	case "notify", "setStatus", "setWidget", "setTitle", "set_editor_text":
		return
	case "confirm", "select", "input", "editor":
	default:
		s.o.Log.Info("the AI program asks for something unknown", "method", line(method, maxName))
		s.refuse(id)
		return
	}
	ctx, cancel := s.askContext(e)
	s.mu.Lock()
	_, twice := s.questions[id]
	full := twice || len(s.questions) >= maxQuestions
	if !full {
		s.questions[id] = cancel
		s.nextID++
	}
	own := "agent-" + strconv.FormatInt(s.last.UnixMilli(), 36) + "-" + strconv.FormatInt(s.nextID, 10)
	s.mu.Unlock()
	if full {
		cancel()
		s.refuse(id)
		return
	}
	s.asks.Go(func() {
		defer s.withdrawOne(id)
		if method == "confirm" {
			s.reply(id, s.confirm(ctx, vmhost.Question{ID: own, Text: vmhost.Text{Code: AskConfirm, Params: map[string]any{
				"title": line(e.str("title"), maxTarget), "message": start(e.str("message"), maxNotice)}}}))
			return
		}
		s.reply(id, s.choose(ctx, method, own, e))
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

// confirm asks for a yes. Whatever is not a yes is a no.
func (s *Session) confirm(ctx context.Context, q vmhost.Question) command {
	if s.o.Ask == nil {
		return command{"cancelled": true}
	}
	q.Task, q.Kind = s.o.Task, vmhost.AskCommand
	if q.Items == nil {
		q.Items = []string{}
	}
	if t, ok := ctx.Deadline(); ok {
		q.Expires = &t
	}
	d, err := s.o.Ask(ctx, q)
	if err != nil {
		return command{"cancelled": true}
	}
	return command{"confirmed": d.Answer == vmhost.AnswerAllow}
}

// choose lets a person pick or write something. Where they do not, nothing is
// chosen.
func (s *Session) choose(ctx context.Context, method, id string, e object) command {
	nothing := command{"cancelled": true}
	if s.o.Ask == nil {
		return nothing
	}
	q := vmhost.Question{ID: id, Task: s.o.Task, Kind: vmhost.AskCommand, Items: []string{}}
	params := map[string]any{"title": line(e.str("title"), maxTarget)}
	options := e.strs("options")
	switch method {
	case "select":
		if len(options) == 0 || len(options) > maxChoices {
			return nothing // a person could not see them all
		}
		q.Text.Code = AskSelect
		for _, o := range options {
			q.Choices = append(q.Choices, vmhost.Choice{Label: line(o, maxTarget)})
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
	d, err := s.o.Ask(ctx, q)
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

// withdraw takes back the open questions.
func (s *Session) withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.questions {
		cancel()
	}
}

func (s *Session) withdrawOne(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.questions[id]; ok {
		cancel()
		delete(s.questions, id)
	}
}
