package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piwork/app/api/answer"
	"piwork/app/approval"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
)

// An event as it was read from a timeline gets its words, and keeps members that this
// program does not know, and numbers as they are.
func TestStoredEventsGetWords(t *testing.T) {
	stored := json.RawMessage(`{"state":"failed","error":{"code":"disk-full","new":{"a":9007199254740993}},"other":[1]}`)
	e := answer.InWords(words.For("de"), task.Event{Kind: task.EventState, Data: stored})
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
	if e := answer.InWords(words.For("en"), task.Event{Kind: "of another version", Data: stored}); e.Said != "" || string(e.Data.(json.RawMessage)) != string(stored) {
		t.Errorf("%+v", e)
	}
}

// Questions and rules get their words wherever they leave: a list, an answer, a stored
// event.
func TestQuestionsGetWords(t *testing.T) {
	q := vmhost.Question{ID: "q1", Kind: vmhost.AskDelete, Items: []string{"a"}, Scopes: []string{"once", "task"}, Text: vmhost.Text{
		Code: "guard-delete", Params: map[string]any{"topic": "delete", "name": "Trip", "count": 1}}}
	list := answer.InWords(words.For("de"), []vmhost.Question{q})
	if list[0].Title != "Die Aufgabe möchte eine Ihrer Dateien in „Trip“ löschen." || len(list[0].Answers) != 4 || q.Title != "" {
		t.Errorf("%+v of %+v", list[0], q)
	}
	stored, err := json.Marshal(q)
	if err != nil || strings.Contains(string(stored), "title") {
		t.Errorf("%s is stored, %v", stored, err)
	}
	e := answer.InWords(words.For("en"), task.Event{Kind: task.EventQuestion, Data: json.RawMessage(stored)})
	raw, err := json.Marshal(e.Data)
	if err != nil || !strings.HasPrefix(e.Said, "The task wants to delete") || !strings.Contains(string(raw), `"label":"Allow deleting in this task"`) {
		t.Errorf("%q %s %v", e.Said, raw, err)
	}
	rules := answer.InWords(words.For("en"), []approval.Rule{{Topic: "delete", Answer: "allow"}})
	if rules[0].Said != "Tasks can delete your files, everywhere" {
		t.Errorf("%+v", rules)
	}
}

// A chore that was saved says where it is to work, if that was chosen.
func TestWordsOfSavedChores(t *testing.T) {
	list := answer.InWords(words.For("de"), []saved.SavedChore{{Runtime: "remote:lab"}, {}})
	if list[0].Where != "auf dem Computer lab" || list[1].Where != "" {
		t.Errorf("%+v", list)
	}
}
