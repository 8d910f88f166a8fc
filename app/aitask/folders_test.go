package aitask

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"piwork/app/approval"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
)

// A hostile machine asks for as much as it likes: nothing of it reaches the person.
func TestFolderToolIsBounded(t *testing.T) {
	c := New(Options{AddFolder: func(task.FolderRequest, approval.Who) (task.Task, task.Folder, error) {
		t.Error("a folder is added")
		return task.Task{}, task.Folder{}, nil
	}})
	for name, body := range map[string]string{
		"nothing": "", "no reason": `{"path":"/x"}`, "an empty one": `{"reason":" "}`, "no JSON": "x", "two": `{"reason":"a"}{"reason":"b"}`,
		"a long reason": `{"reason":"` + strings.Repeat("a", maxFolderReason+1) + `"}`, "a lot": `{"reason":"a","path":"` + strings.Repeat("a", maxFolderRequest) + `"}`,
	} {
		answer := httptest.NewRecorder()
		c.folderTool().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, agentkit.PathFolder, strings.NewReader(body)))
		if answer.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	if New(Options{}).folderTool() != nil {
		t.Error("a task whose folders cannot change asks for folders")
	}
}
