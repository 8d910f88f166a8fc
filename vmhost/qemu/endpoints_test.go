package qemu

import (
	"slices"
	"strings"
	"testing"
)

// On Windows QEMU makes the pipes, in an order that piwork can follow.
func TestPipesOnWindows(t *testing.T) {
	s := Spec{
		Host: "windows", Image: testImage(), Accel: AccelTCG, Console: `C:\Users\Zoë\run\console.sock`,
		Ports:   []Port{{"piwork.rpc", `C:\Users\Zoë\run\rpc.sock`}, {"more", `C:\Users\Zoë\run\more.sock`}},
		Folders: `C:\Users\Zoë\run\9p.sock`,
	}
	a := CommandLine(s)
	var pipes []string
	for _, v := range a {
		if strings.Contains(v, "socket") || strings.Contains(v, ".sock") {
			t.Errorf("%q on Windows", v)
		}
		if rest, ok := strings.CutPrefix(v, "pipe,id="); ok {
			pipes = append(pipes, rest)
		}
	}
	want := []string{"console,path=" + PipeName(s.Console), "port1,path=" + PipeName(s.Ports[0].Socket), "port2,path=" + PipeName(s.Ports[1].Socket), "folders-9p,path=" + PipeName(s.Folders)}
	if !slices.Equal(pipes, want) {
		t.Errorf("%q, want %q", pipes, want)
	}
	if slices.Contains(a, "-sandbox") {
		t.Error("a seccomp filter on Windows")
	}
}

func TestPipeNames(t *testing.T) {
	a, b := PipeName(`C:\run\piwork-123\rpc.sock`), PipeName(`C:\run\piwork-124\rpc.sock`)
	if a == b || a != PipeName(`C:\run\piwork-123\rpc.sock`) {
		t.Errorf("%s %s", a, b)
	}
	for _, n := range []string{a, b} {
		if !strings.HasPrefix(n, "piwork-") || len(n) != len("piwork-")+32 || strings.ContainsAny(n, `\,=`) {
			t.Errorf("name %q", n)
		}
	}
}
