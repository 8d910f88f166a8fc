package models

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/problem"
)

func TestKeys(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	before, err := c.Keys(t.Context())
	if err != nil || len(before) < 3 || slices.ContainsFunc(before, func(k KeyInfo) bool { return k.Has }) {
		t.Fatalf("%+v %v", before, err)
	}
	wants(t, "without a model", func() error { _, err := c.ModelFor(t.Context(), ""); return err }(), problem.CodeNoModel, "")
	for _, tt := range []struct {
		name, provider string
		r              KeyRequest
		cause          string
	}{
		{"nothing", "anthropic", KeyRequest{}, "key"},
		{"blanks", "anthropic", KeyRequest{Key: " \n"}, "key"},
		{"short", "anthropic", KeyRequest{Key: "a"}, "key"},
		{"two lines", "anthropic", KeyRequest{Key: testKey + "\n" + testKey}, "key"},
		{"a bad name", "../x", KeyRequest{Key: testKey}, "provider"},
		{"not an address", "own", KeyRequest{Key: testKey, BaseURL: "ftp://x"}, "address"},
		{"plain http to the world", "own", KeyRequest{Key: testKey, BaseURL: "http://example.org/v1"}, "address"},
	} {
		_, err := c.SetKey(t.Context(), tt.provider, tt.r)
		wants(t, tt.name, err, problem.CodeKeyInvalid, tt.cause)
	}
	s := provided(t, c, w)
	list, err := c.Keys(t.Context())
	if err != nil || list[0].Provider != "scripted" || len(list) != len(before)+1 {
		t.Errorf("%+v %v", list, err)
	}
	if said, err := json.Marshal(list); err != nil || bytes.Contains(said, []byte(testKey)) {
		t.Errorf("%s %v", said, err)
	}
	if got, err := c.TestKey(t.Context(), "scripted"); err != nil || !got.OK || got.Models == 0 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := c.SetKey(t.Context(), "scripted", KeyRequest{Key: "sk-another-0123456789abcdef", BaseURL: s.URL + "/v1"}); err != nil {
		t.Error(err)
	}
	if got, err := c.TestKey(t.Context(), "scripted"); err != nil || got.OK || got.Reason != "key-refused" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := c.TestKey(t.Context(), "anthropic"); err != nil || got.OK || got.Reason != "no-key" {
		t.Errorf("%+v %v", got, err)
	}
	if err := c.RemoveKey(t.Context(), "scripted"); err != nil {
		t.Error(err)
	}
	wants(t, "forgotten", c.RemoveKey(t.Context(), "scripted"), problem.CodeNotFound, "")
}

func TestModels(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	provided(t, c, w)
	m, err := c.Models(t.Context())
	if err != nil || m.Chosen || len(m.List) == 0 || !slices.ContainsFunc(m.List, func(i Model) bool { return i.ID == m.Default }) {
		t.Fatalf("%+v %v", m, err)
	}
	last := m.List[len(m.List)-1].ID
	if m, err = c.SetModel(t.Context(), ChoiceRequest{last}); err != nil || m.Default != last || !m.Chosen {
		t.Errorf("%+v %v", m, err)
	}
	_, err = c.SetModel(t.Context(), ChoiceRequest{"scripted/nobody"})
	wants(t, "no such model", err, problem.CodeUnknownModel, "")
	if m, err = c.SetModel(t.Context(), ChoiceRequest{}); err != nil || m.Chosen {
		t.Errorf("%+v %v", m, err)
	}
	for named, code := range map[string]string{"scripted": problem.CodeUnknownModel, "scripted/": problem.CodeUnknownModel, "other/model": problem.CodeUnknownModel} {
		_, err := c.ModelFor(t.Context(), named)
		wants(t, named, err, code, "")
	}
	if got, err := c.ModelFor(t.Context(), "scripted/one-it-does-not-list"); err != nil || got != "scripted/one-it-does-not-list" {
		t.Errorf("%q %v", got, err)
	}
}

// A service that does not answer is not the same as none.
func TestModelsOfWhoIsSilent(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	set := func(url string) {
		t.Helper()
		if _, err := c.SetKey(t.Context(), "own", KeyRequest{Key: testKey, BaseURL: url}); err != nil {
			t.Fatal(err)
		}
	}
	set(gatewaytest.Refusing + "/v1")
	_, err := c.ModelFor(t.Context(), "")
	wants(t, "nobody listens", err, problem.CodeModelFailed, "unreachable")
	if err := w.file.Update(func(s *Choices) error { s.Model = "own/chosen"; return nil }); err != nil {
		t.Fatal(err)
	}
	if got, err := c.ModelFor(t.Context(), ""); err != nil || got != "own/chosen" {
		t.Errorf("%q %v", got, err)
	}
	if m, err := c.Models(t.Context()); err != nil || m.Default != "own/chosen" || !m.Chosen || len(m.List) != 0 {
		t.Errorf("%+v %v", m, err)
	}
}

func TestBestModel(t *testing.T) {
	for want, ids := range map[string][]string{
		"":                            nil,
		"b/x":                         {"b/x", "a/y"},
		"anthropic/claude-sonnet-4-5": {"openai/gpt-5", "anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4"},
		"openai/gpt-5.1":              {"openai/gpt-4", "openai/gpt-5", "openai/gpt-5.1"},
	} {
		var list []Model
		for _, id := range ids {
			list = append(list, Model{ID: id})
		}
		if got := bestModel(list); got != want {
			t.Errorf("%v: %q", ids, got)
		}
	}
}

// A key that is removed while its service is asked for its models does not come back.
func TestKeyRemovedWhileModelsAreAskedFor(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_ = c.RemoveKey(context.Background(), "own") // it is asked twice
		_, _ = rw.Write([]byte(`{"data":[{"id":"a"}]}`))
	}))
	defer s.Close()
	if _, err := c.SetKey(t.Context(), "own", KeyRequest{Key: testKey, BaseURL: s.URL + "/v1"}); err != nil {
		t.Error(err)
	}
	if left, err := w.keys.List(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("%+v %v", left, err)
	}
}
