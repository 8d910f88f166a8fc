package job

import (
	"piwork/pack/guest/order"
	"piwork/vmhost/wire"
)

// systemDirs are what programs are made of: not /var/tmp, which is everybody's.
var systemDirs = []string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/var/lib", "/var/cache", "/var/spool", "/opt", "/proc", "/sys"}

// searched are variables by which programs find what is not below the root.
var searched []string

// elsewhere says that the programs are on a computer itself.
var elsewhere bool

// Elsewhere says where the system and the task's directories are when they are not at the
// root (order.TreeVariable, order.PlaceVariable): before anything else, once.
func Elsewhere(tree, place string) {
	if tree == "" || place == "" {
		return
	}
	elsewhere = true
	searched = order.Variables(tree)
	systemDirs = append(systemDirs, tree)
	for _, dir := range []string{wire.FoldersDir, wire.WorkDir, wire.StateDir} {
		Homes = append(Homes, place+dir)
	}
}
