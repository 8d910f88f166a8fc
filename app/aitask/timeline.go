package aitask

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"piwork/app/agent"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
)

// errVolume ends a task whose agent said too much.
var errVolume = errors.New("the AI program says more than a timeline can hold")

// known is what the timeline has of messages and tools already, and what it says last
// of the model. Messages that it has wait no more.
func (c *Conversation) known() (out agent.Presences, tuned map[string]any, err error) {
	c.o.Settle()
	events, err := c.o.Store.Timeline(c.o.ID, 0)
	if err != nil {
		return nil, nil, err
	}
	var heard []string
	out = agent.Presences{}
	volume := 0
	for _, e := range events {
		if raw, ok := e.Data.(json.RawMessage); ok {
			volume += len(raw)
		}
		switch e.Kind {
		case task.EventNotice:
			var n task.NoticeData
			if raw, ok := e.Data.(json.RawMessage); ok && json.Unmarshal(raw, &n) == nil && n.Code == agent.NoticeModel {
				tuned = n.Params
			}
		case task.EventMessage:
			if m := addKnown[task.MessageData](out, e); m.Pending != "" {
				heard = append(heard, m.Pending)
			}
		case task.EventTool:
			addKnown[task.ToolData](out, e)
		}
	}
	c.agent.volume.Store(int64(volume))
	c.o.Later(func(t *task.Task) { // a crash kept them there
		for _, id := range heard {
			without(t, id)
		}
	})
	return out, tuned, nil
}

// noticeForeign says that the session of the agent has a message in the person's name
// that the person did not write: a part of the AI program, or whoever else writes to the
// session in the machine, did.
const noticeForeign = "foreign-message"

// maxVolume bounds what the timeline has of an agent, in bytes: some hundred thousand messages.
const maxVolume = 64 << 20

// emit makes an event of what the agent did. A message of the person that the agent
// has is none that waits any more.
//
// The agent is not read while the disk is behind, and is ended when it said too much: a program
// in the machine may write in its place.
func (c *Conversation) emit(e agent.Entry) {
	if !e.Stored {
		c.o.Tell(e.Kind, e.Data)
		return
	}
	if c.o.Room(c.o.Context) != nil {
		return
	}
	said, _ := json.Marshal(e.Data)
	if c.agent.volume.Add(int64(len(said))) > maxVolume {
		c.o.Cancel(problem.New(problem.CodeAgentFailed).Because(errVolume))
		return
	}
	n, _ := e.Data.(task.NoticeData)
	if n.Code == agent.NoticeResumed && c.Compacts { // it does not go on
		return
	}
	m, _ := e.Data.(task.MessageData)
	if m.Role == "user" {
		if !c.waited(&m) && strings.TrimSpace(m.Text) != goOnPrompt {
			c.o.Record(task.EventNotice, task.NoticeData{Code: noticeForeign, Text: m.Text, Raw: m.Raw})
			return
		}
		e.Data = m
	}
	c.o.Record(e.Kind, e.Data)
	c.adopt(n)
	if m.Pending != "" { // after the timeline has it: a crash in between loses none
		c.o.Later(func(t *task.Task) { without(t, m.Pending) })
	}
	if m.Role == "user" && len(m.Images) > 0 && c.leavesPictures() {
		c.o.Record(task.EventNotice, task.NoticeData{Code: NoticePicturesLeft})
	}
}

// waited reports whether a message is one of those that wait, and says which and how it
// was meant: nothing else is the person's.
func (c *Conversation) waited(m *task.MessageData) bool {
	var found *task.Pending
	for _, p := range c.o.Last().AI.Pending {
		if strings.TrimSpace(agent.Shown(p.Text)) == strings.TrimSpace(m.Text) && c.agent.hears(p.ID) {
			found = &p
			break
		}
	}
	if found == nil {
		return false
	}
	m.Pending, m.How = found.ID, cmp.Or(m.How, found.How)
	if len(m.Images) == 0 {
		m.Images = found.Images
	}
	return true
}

// addKnown adds what a stored event is about to what the timeline has, and returns it.
func addKnown[T task.MessageData | task.ToolData](known interface{ Add(any) }, e task.Event) (d T) {
	raw, ok := e.Data.(json.RawMessage)
	if ok && json.Unmarshal(raw, &d) == nil {
		known.Add(d)
	}
	return d
}

// NoticeToolsLeft says that the AI is not offered all tools of MCP servers. Its parameters are tool,
// the first of those that are left out, and more, how many there are beside it.
const NoticeToolsLeft = "mcp-tools-left"

// offered are tools of MCP servers, once the timeline says which of them are left out.
func (c *Conversation) offered(tools []agentkit.ServerTool, left []string) []agentkit.ServerTool {
	if len(left) > 0 {
		params := map[string]any{"tool": left[0]}
		if more := len(left) - 1; more > 0 {
			params["more"] = more
		}
		c.o.Record(task.EventNotice, task.NoticeData{Code: NoticeToolsLeft, Params: params})
	}
	return tools
}

// NoticePicturesLeft says that pi left the pictures of the message before it out.
const NoticePicturesLeft = "pictures-left"

// leavesPictures reports whether pi leaves pictures out for the model of the task.
func (c *Conversation) leavesPictures() bool {
	told := c.agent.models.Load()
	if told == nil {
		return false
	}
	named := c.o.Last().AI.Model
	var able provider.Able
	for _, m := range *told {
		if m.ID == named {
			able = able.Or(m.Able)
		}
	}
	id, model, _ := strings.Cut(named, "/")
	p, _ := provider.Named(id) // pi is told of the models of all others
	return provider.LeavesPictures(p, model, able)
}
