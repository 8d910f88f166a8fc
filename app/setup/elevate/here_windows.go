package elevate

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// Here is this computer.
func Here() System {
	return System{OS: "windows", Ask: find(`WindowsPowerShell\v1.0\powershell`), Find: find}
}

// find looks into the system's own directory, which only an administrator changes.
func find(name string) string {
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		return ""
	}
	p := filepath.Join(dir, name+".exe")
	if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return p
}

// quiet shows no console.
func quiet(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
