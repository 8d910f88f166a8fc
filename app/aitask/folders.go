package aitask

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"piwork/app/agent"
	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Bounds of an AI's requests for folders.
const (
	maxFolderRequest = 8 << 10 // bytes
	maxFolderReason  = 300     // characters
	MaxFolderAsks    = 20      // requests in one run of the AI
)

// What the model reads when it gets no folder.
const (
	folderDenied   = "The person chose no folder. Do not ask again for the same; work with what is there, or say what you would need."
	folderTooOften = "No more folders can be asked for. Say what you would need."
	folderBusy     = "The person is being asked for a folder already. Wait for the answer."
	folderNotRead  = "The request cannot be read. The reason is one sentence of at most 300 characters."
)

// folderTool serves the tool with which an AI asks for one more folder. The person chooses
// a folder, or none; the path that the AI names is only a suggestion. It returns nil for a
// task whose folders cannot change.
func (c *Conversation) folderTool() http.Handler {
	if c.o.AddFolder == nil {
		return nil
	}
	var asks atomic.Int64
	turn := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked agentkit.FolderAsked
		d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxFolderRequest))
		if err := d.Decode(&asked); err != nil || r.Method != http.MethodPost || d.More() ||
			strings.TrimSpace(asked.Reason) == "" || len([]rune(asked.Reason)) > maxFolderReason {
			answerFolder(w, http.StatusBadRequest, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: folderNotRead}})
			return
		}
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		default:
			answerFolder(w, http.StatusServiceUnavailable, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: folderBusy}})
			return
		}
		if asks.Add(1) > MaxFolderAsks {
			answerFolder(w, http.StatusTooManyRequests, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: folderTooOften}})
			return
		}
		id, err := uuid.NewV7()
		if err != nil {
			answerFolder(w, http.StatusInternalServerError, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: folderBusy}})
			return
		}
		decision, err := c.o.Gate.AskOne(r.Context(), agent.FolderQuestion(id.String(), asked.Reason, asked.Path), "")
		if err != nil || decision.Answer != vmhost.AnswerAllow {
			answerFolder(w, http.StatusForbidden, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: folderDenied}})
			return
		}
		_, f, err := c.o.AddFolder(task.FolderRequest{Path: decision.Text}, approval.Who{By: decision.By, Client: decision.Client})
		if err != nil {
			c.o.Log.Warn("a folder that an AI asked for could not be added", "error", err)
			answerFolder(w, http.StatusBadGateway, agentkit.FolderAnswer{Error: &agentkit.CommandError{Message: fmt.Sprintf("The folder could not be added: %s.", problem.From(err).Code)}})
			return
		}
		answerFolder(w, http.StatusOK, agentkit.FolderAnswer{Path: wire.FoldersDir + "/" + f.Name, Mode: string(f.Mode)})
	})
}

func answerFolder(w http.ResponseWriter, status int, a agentkit.FolderAnswer) {
	data, err := json.Marshal(a)
	if err != nil {
		status, data = http.StatusInternalServerError, nil // it has no values that cannot be written
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the guest may be gone
}
