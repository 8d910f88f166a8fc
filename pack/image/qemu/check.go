package qemu

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// systemLibraries are what a program for Windows may look up: libraries of every
// Windows 10. (WinHvPlatform.dll is loaded by QEMU itself, where it is there.)
var systemLibraries = []string{
	"advapi32.dll", "bcrypt.dll", "crypt32.dll", "dnsapi.dll", "iphlpapi.dll", "kernel32.dll", "msvcrt.dll", "netapi32.dll",
	"ntdll.dll", "ole32.dll", "pathcch.dll", "powrprof.dll", "rpcrt4.dll", "shell32.dll", "shlwapi.dll", "synchronization.dll",
	"user32.dll", "userenv.dll", "winmm.dll", "wldap32.dll", "ws2_32.dll",
}

// checkBuilt holds a built program to what it is for: the right processor, no
// library that a machine may lack, everything that command lines name.
func checkBuilt(file string, t Target) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	switch t.OS {
	case "linux":
		err = checkELF(data, t)
	case "windows":
		err = checkPE(data, t)
	}
	if err != nil {
		return fmt.Errorf("the program that was built: %w", err)
	}
	return checkNames(data, t, ours...)
}

// CheckNames holds a program that was not built here to what command lines name.
func CheckNames(file string, t Target) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return checkNames(data, t)
}

func checkNames(data []byte, t Target, more ...string) error {
	var missing []string
	for _, n := range append(t.Needs(), more...) {
		if t.OS == "windows" && n == "chardev-socket" {
			n = "chardev-pipe"
		}
		// Strings that are the end of another one are kept once.
		if !bytes.Contains(data, []byte(n+"\x00")) {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("this QEMU is without %s", strings.Join(missing, ", "))
	}
	return nil
}

func checkELF(data []byte, t Target) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[t.Arch]
	if f.Machine != machine {
		return fmt.Errorf("for %s", f.Machine)
	}
	if f.Type != elf.ET_DYN {
		return errors.New("not position independent")
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("not static")
		}
	}
	libs, err := f.ImportedLibraries()
	if err == nil && len(libs) > 0 {
		err = fmt.Errorf("it needs %v", libs)
	}
	return err
}

func checkPE(data []byte, t Target) error {
	f, err := pe.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if t.Arch != "amd64" || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		return fmt.Errorf("for machine %#x", f.Machine)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return err
	}
	if len(symbols) == 0 {
		return errors.New("it looks up nothing: not a program for Windows")
	}
	for _, s := range symbols {
		_, lib, _ := strings.Cut(s, ":")
		lib = strings.ToLower(lib)
		if !slices.Contains(systemLibraries, lib) && !strings.HasPrefix(lib, "api-ms-win-core-") {
			return fmt.Errorf("it needs %s", lib)
		}
	}
	return nil
}
