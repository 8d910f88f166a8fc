package models

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
	find := func(m Catalogue) Model {
		t.Helper()
		for _, i := range m.List {
			if i.ID == id {
				return i
			}
		}
		t.Fatalf("%s is not in %+v", id, m)
		return Model{}
	}
	if i := find(list); !i.Own || i.Said != nil || i.Images != nil {
		t.Errorf("before: %+v", i)
	}
	for _, r := range []OverrideRequest{
		{Model: "scripted", Override: Override{Images: &yes}},
		{Model: "nobody/x", Override: Override{Images: &yes}},
	} {
		_, err := c.OverrideModel(t.Context(), r)
		wants(t, r.Model, err, problem.CodeUnknownModel, "")
	}
	_, err = c.OverrideModel(t.Context(), OverrideRequest{Model: id, Override: Override{Context: maxContext + 1}})
	wants(t, "too large", err, problem.CodeBadRequest, "")
	if _, err := c.SetKey(t.Context(), "openai", KeyRequest{Key: testKey, BaseURL: "http://127.0.0.1:1/v1"}); err != nil {
		t.Fatal(err)
	}
	_, err = c.OverrideModel(t.Context(), OverrideRequest{Model: "openai/gpt-5", Override: Override{Images: &no}})
	wants(t, "known to pi", err, problem.CodeBadRequest, "")

	for range 2 { // the same again changes nothing
		list, err = c.OverrideModel(t.Context(), OverrideRequest{Model: id, Override: Override{Images: &yes, Thinks: &no, Context: 65536}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if i := find(list); i.Said == nil || i.Images == nil || !*i.Images || i.Thinks == nil || *i.Thinks || i.Context != 65536 {
		t.Errorf("said: %+v", i)
	}
	told := false
	for _, m := range c.Offered(t.Context(), id) {
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
	c.Close()
	c = w.open()
	if list, err = c.Models(t.Context()); err != nil || find(list).Said == nil {
		t.Errorf("after a new start %+v %v", list, err)
	}
	if list, err = c.OverrideModel(t.Context(), OverrideRequest{Model: id}); err != nil || find(list).Said != nil || len(w.file.Get().Models) != 0 {
		t.Errorf("taken back %+v %v", list, err)
	}
	if _, err := c.OverrideModel(t.Context(), OverrideRequest{Model: "scripted/one-it-does-not-list", Override: Override{Thinks: &yes}}); err != nil {
		t.Error(err)
	}
	if err := c.RemoveKey(t.Context(), "scripted"); err != nil || len(w.file.Get().Models) != 0 {
		t.Errorf("without the service %+v %v", w.file.Get().Models, err)
	}
}
