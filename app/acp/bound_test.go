package acp_test

import (
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A task that may do more than the door is no session of it: its folder is to be written, or it
// reaches more of the network.
func TestLoadKeepsTheBound(t *testing.T) {
	for name, tt := range map[string]struct {
		bound, mode task.Mode
		network     task.Network // the door's is off
		offered     bool
	}{
		"the same":         {task.ModeReadOnly, task.ModeReadOnly, task.NetworkOff, true},
		"less":             {task.ModeReadWrite, task.ModeReview, task.NetworkOff, true},
		"any mode":         {"", task.ModeReadWrite, task.NetworkOff, true},
		"written":          {task.ModeReadOnly, task.ModeReadWrite, task.NetworkOff, false},
		"reviewed":         {task.ModeReadOnly, task.ModeReview, task.NetworkOff, false},
		"without a review": {task.ModeReview, task.ModeReadWrite, task.NetworkOff, false},
		"some network":     {task.ModeReadOnly, task.ModeReadOnly, task.NetworkRestricted, false},
		"all network":      {task.ModeReadOnly, task.ModeReadOnly, task.NetworkOn, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, wish{script: apitest.Script{}, folders: []task.FolderRequest{{Path: dir, Mode: tt.bound}}})
			r := tasks.StartRequest{Kind: task.KindAI, Folders: []task.FolderRequest{{Path: dir, Mode: tt.mode}}, Network: tt.network, Detached: true}
			made, err := e.fake.StartTask(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			list, err := e.ListSessions(t.Context(), sdk.ListSessionsRequest{})
			if err != nil || (len(list.Sessions) == 1) != tt.offered {
				t.Errorf("%+v %v", list, err)
			}
			_, err = e.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: sdk.SessionId(made.ID), Cwd: dir, McpServers: []sdk.McpServer{}})
			if (err == nil) != tt.offered {
				t.Error(err)
			}
		})
	}
}
