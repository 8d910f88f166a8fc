package flags

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"piwork/vmhost"
)

func TestRequires(t *testing.T) {
	for given, want := range map[string]*vmhost.Requirement{
		"vm":                           {Kinds: []string{"vm"}},
		"vm,container,remote:lab":      {Kinds: []string{"vm", "container", "remote:lab"}},
		"gpu":                          {Can: []vmhost.Ability{vmhost.AbilityGPU}},
		"vm, container":                {Kinds: []string{"vm", "container"}}, // as a problem says it
		"namespace":                    {AtLeast: vmhost.IsolationNamespace},
		"tools,vm,hardware,no-network": {Kinds: []string{"vm"}, AtLeast: vmhost.IsolationHardware, Can: []vmhost.Ability{vmhost.AbilityTools, vmhost.AbilityOffline}},
		"hardware,namespace":           {AtLeast: vmhost.IsolationHardware},
		"namespace,none,hardware":      {AtLeast: vmhost.IsolationHardware},
		"kubernetes,kubernetes:big":    {Kinds: []string{"kubernetes", "kubernetes:big"}},
		"nonsense":                     nil, "container,docker": nil, "Hardware": nil, "vm:a": nil,
		"": nil, "vm,": nil, "VM": nil, "a b": nil, "remote:": nil, "remote:a:b": nil, "../x": nil,
	} {
		var got *vmhost.Requirement
		cmd := &cobra.Command{}
		Requires(cmd, &got)
		err := cmd.Flags().Parse([]string{"--requires", given})
		if (err == nil) != (want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v %v", given, got, err)
		}
		if u, is := errors.AsType[*UsageError](err); want == nil && (!is || !strings.Contains(u.Error(), "vm, sandbox, container, host, remote[:NAME], kubernetes[:NAME], hardware, ")) {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// What the flag says twice has to hold together.
func TestRequiresTwice(t *testing.T) {
	var got *vmhost.Requirement
	cmd := &cobra.Command{}
	Requires(cmd, &got)
	err := cmd.Flags().Parse([]string{"--requires", "vm,hardware", "--requires", "container,namespace,tools"})
	want := &vmhost.Requirement{Kinds: []string{"vm", "container"}, AtLeast: vmhost.IsolationHardware, Can: []vmhost.Ability{vmhost.AbilityTools}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
}

// A word before the program can be meant as the name of a cache; most are none.
func TestMeantAsCache(t *testing.T) {
	for line, want := range map[string]string{
		"--cache app --folder ro -- ls": "app", "--cache app -- ls": "app", "--cache app ls": "", "--cache npm run build": "",
		"--cache=app x -- ls": "", "--cache -- npx -- x": "", "--cache ./app -- x": "", "--cache /bin/app -- x": "", "app -- x": "",
	} {
		var f Machine
		cmd := &cobra.Command{}
		cmd.Flags().SetInterspersed(false)
		f.AddCache(cmd)
		if err := cmd.ParseFlags(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		if got := f.MeantAsCache(cmd, cmd.Flags().Args()); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
