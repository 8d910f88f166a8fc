package tasks

import (
	"piwork/app/task"
	"piwork/app/toolcall"
	"piwork/app/uploads"
)

// ToolCall is an operation on files that lie where they lie, or came with the request.
type ToolCall struct {
	toolcall.Call
	Upload  *uploads.Upload // In are its files; nil for files that lie where they lie
	Runtime string          // kind of place that alone will do; "" is the best one
}

// Request makes the request of a task.
func (call ToolCall) Request() (StartRequest, error) {
	p, folders, err := call.Call.Request()
	if err != nil {
		return StartRequest{}, err
	}
	return StartRequest{Kind: task.KindTool, Tool: &p, Folders: folders, origin: origin{upload: call.Upload}}, nil
}
