package models

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/settings"
)

// world is where the access to models is opened again and again.
type world struct {
	t    *testing.T
	dir  string
	keys keys.Memory // the keychain
	file *settings.File[Choices]
	log  *audit.Log
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, dir: t.TempDir(), log: audittest.Open(t)}
}

func (w *world) open() *Access {
	w.t.Helper()
	file, err := settings.Open(filepath.Join(w.dir, "config.json"), Choices{}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.file = file
	m, err := Open(Options{
		ConfigDir: w.dir, DataDir: w.dir, Choice: settings.Of(file, func(all *Choices) *Choices { return all }),
		Keychain: &w.keys, Audit: w.log, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(m.Close)
	return m
}

// testKey is a key as services give them.
const testKey = "sk-test-0123456789abcdefghij"

// wants reports that err is the problem of a code and a cause.
func wants(t *testing.T, what string, err error, code, cause string) {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code != code || cause != "" && p.Cause != cause {
		t.Errorf("%s: %v, want %s %s", what, err, code, cause)
		return
	}
	if strings.Contains(fmt.Sprintf("%+v", p), testKey) {
		t.Errorf("%s: the key is in %+v", what, p)
	}
}

// provided gives the world a service with two models.
func provided(t *testing.T, c *Access, w *world) *gatewaytest.Server {
	t.Helper()
	s := gatewaytest.New(testKey)
	t.Cleanup(s.Close)
	k, err := c.SetKey(t.Context(), "scripted", KeyRequest{Key: " " + testKey + "\n", BaseURL: s.URL + "/v1", Protocol: "openai"})
	if err != nil {
		t.Fatal(err)
	}
	if !k.Has || k.Kind != "key" || k.Ending != "ghij" || !strings.HasPrefix(k.BaseURL, s.URL) || k.Protocol != "openai" {
		t.Errorf("%+v", k)
	}
	return s
}
