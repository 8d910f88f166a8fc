package procs

import (
	"os/exec"
	"slices"
	"testing"
)

func TestWith(t *testing.T) {
	cmd := exec.Command("sleep", "61.7305")
	cmd.Env = []string{"SHOWN=only-in-its-environment"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for text, where := range map[string]string{"61.7305": Arguments, "only-in-its-environment": Environment} {
		if got := With(text, where); !slices.Equal(got, []int{cmd.Process.Pid}) {
			t.Errorf("%s: %v", where, got)
		}
	}
	if got := With("only-in-its-environment", Arguments); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
