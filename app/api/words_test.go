package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/task"
	"piwork/app/words"
)

// An event as it was read from a timeline gets its words, and keeps members that this
// program does not know, and numbers as they are.
func TestStoredEventsGetWords(t *testing.T) {
	stored := json.RawMessage(`{"state":"failed","error":{"code":"disk-full","new":{"a":9007199254740993}},"other":[1]}`)
	e := api.InWords(words.For("de"), task.Event{Kind: task.EventState, Data: stored})
	if !strings.HasPrefix(e.Said, "Fehlgeschlagen: ") {
		t.Errorf("%q", e.Said)
	}
	raw, err := json.Marshal(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"new":{"a":9007199254740993}`, `"other":[1]`, `"title":"`, `"code":"disk-full"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
	if e := api.InWords(words.For("en"), task.Event{Kind: "of another version", Data: stored}); e.Said != "" || string(e.Data.(json.RawMessage)) != string(stored) {
		t.Errorf("%+v", e)
	}
}
