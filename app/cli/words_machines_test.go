package cli

import (
	"strings"
	"testing"

	"piwork/app/cli/config"
	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/machines"
	"piwork/app/problem"
)

// Everything that can be said of machines has words.
func TestMachineWords(t *testing.T) {
	for _, tt := range []struct {
		i    machines.WarmStart
		want string
	}{
		{machines.WarmStart{State: machines.WarmReady, Mode: machines.WarmTemplate, Bytes: 250_000_000}, "open immediately (250 MB on the disk)"},
		{machines.WarmStart{State: machines.WarmReady, Mode: machines.WarmSpare}, "one workroom is open"},
		{machines.WarmStart{State: machines.WarmPending, Reason: machines.WarmBattery}, "then: the battery is low"},
		{machines.WarmStart{State: machines.WarmFailed, Problem: problem.New(problem.CodeDiskFull)}, "start normally: "},
		{machines.WarmStart{State: machines.WarmMaking}, "being prepared"},
	} {
		if got := wording.InstantLine(tt.i); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.i, got, tt.want)
		}
	}
}

func TestParseSettings(t *testing.T) {
	v := config.Defaults()
	v.Machines = machines.Settings{MemoryMB: 1, Instant: true}
	changes, err := parseSettings([]string{"memory=1.5g", "cpus=3", "total-memory=8GiB", "at-once=auto", "instant=off", "share=9p", "cpus=2"})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Set(changes...); err != nil {
		t.Error(err)
	}
	if want := (machines.Settings{MemoryMB: 1536, CPUs: 2, TotalMB: 8192, Share: machines.Share9P}); v.Machines != want {
		t.Errorf("%+v, want %+v", v.Machines, want)
	}
	for _, bad := range []string{"memory", "memory=", "memory=2", "memory=2T", "memory=-1G", "memory=0M", "cpus=0", "cpus=two", "colour=red", "instant=perhaps", "share=fast", "=1"} {
		if _, err := parseSettings([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for mb, want := range map[int]string{512: "512M", 1024: "1G", 1536: "1.5G", 23970: "23.4G"} {
		if got := memory(mb); got != want {
			t.Errorf("%d: %q", mb, got)
		}
		if back, err := flags.ParseMemory(memory(mb)); err != nil || back < mb*99/100 || back > mb*101/100 {
			t.Errorf("%d: %d, %v", mb, back, err)
		}
	}
}
