package elevate

import (
	"os"
	"os/exec"
)

// dirs are where programs of an administrator lie, whatever PATH says.
var dirs = []string{"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}

// Here is this computer.
func Here() System {
	return System{OS: "linux", Ask: find("pkexec"), Find: find}
}

func find(name string) string {
	for _, dir := range dirs {
		if info, err := os.Stat(dir + name); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return dir + name
		}
	}
	return ""
}

func quiet(*exec.Cmd) {}
