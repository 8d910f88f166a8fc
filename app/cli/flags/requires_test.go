package flags

import (
	"reflect"
	"testing"

	"github.com/spf13/cobra"

	"piwork/vmhost"
)

func TestRequires(t *testing.T) {
	for given, want := range map[string]*vmhost.Requirement{
		"vm":                           {Kinds: []string{"vm"}},
		"vm,container,remote:lab":      {Kinds: []string{"vm", "container", "remote:lab"}},
		"namespace":                    {AtLeast: vmhost.IsolationNamespace},
		"tools,vm,hardware,no-network": {Kinds: []string{"vm"}, AtLeast: vmhost.IsolationHardware, Can: []vmhost.Ability{vmhost.AbilityTools, vmhost.AbilityOffline}},
		"":                             nil, "vm,": nil, "VM": nil, "a b": nil, "remote:": nil, "remote:a:b": nil, "../x": nil,
	} {
		var got *vmhost.Requirement
		cmd := &cobra.Command{}
		Requires(cmd, &got)
		err := cmd.Flags().Parse([]string{"--requires", given})
		if (err == nil) != (want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v %v", given, got, err)
		}
	}
}
