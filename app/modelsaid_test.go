package app

import (
	"testing"

	"piwork/app/problem"
)

// What a person says of a model of a service of their own goes before what is known,
// is kept, is told to pi, and is gone with the service.
func TestSayOfModel(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	provided(t, c, w)
	yes, no := true, false
	list, err := c.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := list.List[0].ID
	find := func(m Models) ModelInfo {
		t.Helper()
		for _, i := range m.List {
			if i.ID == id {
				return i
			}
		}
		t.Fatalf("%s is not in %+v", id, m)
		return ModelInfo{}
	}
	if i := find(list); !i.Own || i.Said != nil || i.Images != nil {
		t.Errorf("before: %+v", i)
	}
	for _, r := range []ModelWord{
		{Model: "scripted", ModelSaid: ModelSaid{Images: &yes}},
		{Model: "nobody/x", ModelSaid: ModelSaid{Images: &yes}},
	} {
		_, err := c.SayOfModel(t.Context(), r)
		wants(t, r.Model, err, problem.CodeUnknownModel, "")
	}
	_, err = c.SayOfModel(t.Context(), ModelWord{Model: id, ModelSaid: ModelSaid{Context: maxContext + 1}})
	wants(t, "too large", err, problem.CodeBadRequest, "")
	if _, err := c.SetKey(t.Context(), "openai", KeyRequest{Key: testKey, BaseURL: "http://127.0.0.1:1/v1"}); err != nil {
		t.Fatal(err)
	}
	_, err = c.SayOfModel(t.Context(), ModelWord{Model: "openai/gpt-5", ModelSaid: ModelSaid{Images: &no}})
	wants(t, "known to pi", err, problem.CodeBadRequest, "")

	for range 2 { // the same again changes nothing
		list, err = c.SayOfModel(t.Context(), ModelWord{Model: id, ModelSaid: ModelSaid{Images: &yes, Thinks: &no, Context: 65536}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if i := find(list); i.Said == nil || i.Images == nil || !*i.Images || i.Thinks == nil || *i.Thinks || i.Context != 65536 {
		t.Errorf("said: %+v", i)
	}
	told := false
	for _, m := range c.offered(t.Context(), id) {
		if m.ID == id {
			told = m.Images != nil && *m.Images && m.Thinks != nil && !*m.Thinks && m.Context == 65536
			if !told {
				t.Errorf("told %+v", m)
			}
		}
	}
	if !told {
		t.Error("pi is not told of it")
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	if list, err = c.Models(t.Context()); err != nil || find(list).Said == nil {
		t.Errorf("after a new start %+v %v", list, err)
	}
	if list, err = c.SayOfModel(t.Context(), ModelWord{Model: id}); err != nil || find(list).Said != nil || len(c.config.Get().Models) != 0 {
		t.Errorf("taken back %+v %v", list, err)
	}
	if _, err := c.SayOfModel(t.Context(), ModelWord{Model: "scripted/one-it-does-not-list", ModelSaid: ModelSaid{Thinks: &yes}}); err != nil {
		t.Error(err)
	}
	if err := c.RemoveKey(t.Context(), "scripted"); err != nil || len(c.config.Get().Models) != 0 {
		t.Errorf("without the service %+v %v", c.config.Get().Models, err)
	}
}
