package chore_test

import (
	"testing"

	"piwork/app/chore"
	"piwork/vmhost/share/online/onlinetest"
)

// A folder of a cloud service is listed, and one is renamed by names, without a download.
func TestListDownloadsNothing(t *testing.T) {
	c := onlinetest.Mount(t, map[string]string{"a.jpg": "picture", "sub/b.jpg": "another one", "empty.jpg": ""})
	entries, err := chore.List(t.Context(), opened(t, c.Dir), true)
	if err != nil || len(entries) != 4 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if !e.Type.IsDir() && (e.Online != (e.Size > 0) || !e.Type.IsRegular()) {
			t.Errorf("%+v", e)
		}
	}
	ch, b := tidyBench(t, "rename-files", c.Dir, map[string]any{"pattern": "x {n}{ext}"})
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 2 {
		t.Fatal(plan, err)
	}
	if _, err := ch.Run(t.Context(), b.env, plan); err != nil {
		t.Error(err)
	}
	if c.Opens() != 0 || c.Reads() != 0 {
		t.Errorf("%d opened, %d read", c.Opens(), c.Reads())
	}
}
