package client_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"piwork/app/api/apitest"
	"piwork/app/approval"
	"piwork/app/client"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// A question is found, decided once, and a rule taken back.
func TestQuestions(t *testing.T) {
	f := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{{ID: "q1", Kind: vmhost.AskDelete, Items: []string{"a"}, Text: vmhost.Text{Code: "guard-delete"}}}}})
	each(t, f, func(t *testing.T, c *client.Client) {
		kept := []approval.Rule{{ID: "r1", Topic: "delete", Answer: "allow", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
		apitest.Give(f, kept)
		began, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"rm"}, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		var open []vmhost.Question
		for end := time.Now().Add(time.Minute); len(open) == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
			if open, err = c.Questions(t.Context(), began.ID); err != nil {
				t.Fatal(err)
			}
		}
		if len(open) != 1 || open[0].ID != "q1" || open[0].Task != began.ID || !reflect.DeepEqual(open[0].Items, []string{"a"}) {
			t.Fatalf("%+v", open)
		}
		if other, err := c.Questions(t.Context(), "other"); err != nil || len(other) != 0 {
			t.Errorf("%+v %v", other, err)
		}
		var p *problem.Problem
		if _, err := c.Answer(t.Context(), began.ID, "q1", consent.AnswerRequest{Answer: "perhaps"}); !errors.As(err, &p) || problem.ClassOf(p.Code) != problem.ClassFailed && p.Code != problem.CodeBadRequest {
			t.Errorf("%v", err)
		}
		want := consent.AnswerRequest{Answer: "allow", Scope: "once", Seen: 1}
		if d, err := c.Answer(t.Context(), began.ID, "q1", want); err != nil || d.Answer != "allow" || d.Scope != "once" || d.ID != "q1" {
			t.Errorf("%+v %v", d, err)
		}
		if got := f.Answers(); !reflect.DeepEqual(got[len(got)-1], want) {
			t.Errorf("%+v", got)
		}
		if _, err := c.Answer(t.Context(), began.ID, "q1", want); !errors.As(err, &p) || p.Code != problem.CodeQuestionOver {
			t.Errorf("answered twice: %v", err)
		}
		rules, err := c.Rules(t.Context())
		if len(rules) > 0 {
			rules[0].Said = "" // words are added where rules are shown
		}
		if err != nil || !reflect.DeepEqual(rules, kept) {
			t.Errorf("%+v %v", rules, err)
		}
		if err := c.RemoveRule(t.Context(), "r1"); err != nil {
			t.Error(err)
		}
		if err := c.RemoveRule(t.Context(), "r1"); !errors.As(err, &p) || p.Code != problem.CodeNotFound {
			t.Error(err)
		}
	})
}
