// Command paritytable prints what every kind of place made of the corpus of parity, in one
// table of the columns that the tests with a pack left in $PIWORK_TEST_PARITY, and fails where
// that is no full account. Compiled with the tag long it is of a run of every row.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/runtimetest/parity"
)

func main() {
	dir := os.Getenv(parity.EnvColumns)
	columns, err := parity.ReadColumns(tier.All, dir, filepath.Join(dir, "person"))
	table := ""
	if err == nil {
		table, err = parity.Merge(columns, tier.All, kinds(), absent())
	}
	fmt.Fprintln(os.Stdout, table)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// kinds are those that the tests play: there the names of their columns are.
func kinds() []string {
	all := []string{parity.Machine, vmhost.KindSandbox, vmhost.KindHost, vmhost.KindContainer, vmhost.KindRemote, vmhost.KindKubernetes, parity.Folders + ":" + vmhost.KindSandbox}
	if tier.All {
		all = append(all, vmhost.KindKubernetes+":podman", parity.Folders+":"+parity.Machine, parity.Folders+":"+vmhost.KindKubernetes)
	}
	return all
}

// absent says why this computer has no place of a kind, where it has none.
func absent() map[string]string {
	why := map[string]string{}
	lacks := func(program, reason string, kinds ...string) {
		if _, err := exec.LookPath(program); err != nil {
			for _, k := range kinds {
				why[k] = reason
			}
		}
	}
	lacks("bwrap", "bubblewrap is not installed", vmhost.KindSandbox, vmhost.KindRemote, vmhost.KindKubernetes, parity.Folders+":"+vmhost.KindSandbox, parity.Folders+":"+vmhost.KindKubernetes)
	lacks("catatonit", "Podman makes Pods with catatonit, which is not installed", vmhost.KindKubernetes+":podman")
	lacks("podman", "Podman is not installed", vmhost.KindContainer, vmhost.KindKubernetes+":podman")
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		why[parity.Folders+":"+vmhost.KindSandbox], why[vmhost.KindContainer] = "this user may not use FUSE", "this user may not use FUSE"
	} else {
		f.Close()
	}
	if os.Getuid() != 0 {
		why[vmhost.KindContainer], why[vmhost.KindKubernetes+":podman"] = "only root's Podman is tested", "only root's Podman is tested"
	}
	return why
}
