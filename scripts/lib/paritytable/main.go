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

// The kinds that the tests play, by the names of their columns.
const (
	inPod     = vmhost.KindKubernetes + ":fake"
	inPodman  = vmhost.KindKubernetes + ":podman"
	onCopies  = parity.Copies + ":" + vmhost.KindKubernetes
	onFolders = parity.Folders + ":" + vmhost.KindSandbox
)

func kinds() []string {
	all := []string{parity.Machine, vmhost.KindSandbox, vmhost.KindHost, vmhost.KindContainer, vmhost.KindRemote, inPod, onFolders}
	if tier.All {
		all = append(all, inPodman, onCopies)
		for _, kind := range []string{parity.Machine, vmhost.KindHost, vmhost.KindRemote} {
			all = append(all, parity.Folders+":"+kind)
		}
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
	lacks("bwrap", "bubblewrap is not installed", vmhost.KindSandbox, vmhost.KindRemote, inPod, onFolders, onCopies)
	lacks("catatonit", "Podman makes Pods with catatonit, which is not installed", inPodman)
	lacks("podman", "Podman is not installed", vmhost.KindContainer, inPodman)
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		for _, kind := range []string{onFolders, vmhost.KindContainer, parity.Folders + ":" + vmhost.KindHost, parity.Folders + ":" + vmhost.KindRemote} {
			why[kind] = "this user may not use FUSE"
		}
	} else {
		f.Close()
	}
	if os.Getuid() != 0 {
		why[vmhost.KindContainer], why[inPodman] = "only root's Podman is tested", "only root's Podman is tested"
	}
	return why
}
