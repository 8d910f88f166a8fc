package flags

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/projectcache"
	"piwork/app/tasks"
	"piwork/pack/lazyregexp"
	"piwork/vmhost"
)

// Machine are of commands that start a task: how large its workroom is.
type Machine struct {
	memory  string
	cpus    int
	runtime string
	cache   string

	services []string

	requires *vmhost.Requirement
}

// EnvRuntime is the kind of place where nothing else is said.
const EnvRuntime = "PIWORK_RUNTIME"

// Variables that chose where tools ran in programs before this one.
const (
	oldSandbox = "GEMINI_SANDBOX"
	oldImage   = "GEMINI_SANDBOX_IMAGE"
)

// OldOverride is a variable of an older program that is set.
type OldOverride struct {
	Name, Value string
	Requires    string // what it is taken for, as --requires; "" where it chooses nothing
}

// OldOverrides are those that are set, where runtime is what --runtime says and required whether
// there is a --requires. What they ask for is the least that a place has to be: they choose none
// that is weaker than the best one, which is a person's to do.
func OldOverrides(runtime string, required bool) (out []OldOverride) {
	for _, name := range []string{oldSandbox, oldImage} {
		o := OldOverride{Name: name, Value: os.Getenv(name)}
		if name == oldSandbox && cmp.Or(runtime, os.Getenv(EnvRuntime)) == "" && !required {
			switch strings.ToLower(o.Value) {
			case "", "0", "false", "no", "off":
			case "docker", "podman":
				o.Requires = vmhost.KindVM + "," + vmhost.KindContainer
			default: // some sandbox
				o.Requires = string(vmhost.IsolationNamespace)
			}
		}
		if o.Value != "" {
			out = append(out, o)
		}
	}
	return out
}

// Add gives a command the flags.
func (f *Machine) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.memory, "memory", "", "")
	cmd.Flags().IntVar(&f.cpus, "cpus", 0, "")
	cmd.Flags().StringVar(&f.runtime, "runtime", "", "")
	Requires(cmd, &f.requires)
}

// AddCache gives a command that runs programs of a person or an AI the flag for the cache of
// a project; without a name it is the one of the set of folders.
func (f *Machine) AddCache(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cache, "cache", "", "")
	cmd.Flags().Lookup("cache").NoOptDefVal = projectcache.OfFolders
}

// AddServices gives a command that runs programs of a person or an AI the flag for services
// that these use with a secret of the person.
func (f *Machine) AddServices(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.services, "service", nil, "")
}

// MeantAsCache is the first word of a program that was rather meant as the name for a --cache
// without one, "" where none was: exec --cache app --folder . -- ls.
func (f *Machine) MeantAsCache(cmd *cobra.Command, program []string) string {
	if f.cache != projectcache.OfFolders || cmd.ArgsLenAtDash() == 0 || !slices.Contains(program, "--") {
		return ""
	}
	if _, err := projectcache.ProjectOf(program[0], nil); err != nil {
		return ""
	}
	return program[0]
}

// Fill puts what was given into a request.
func (f *Machine) Fill(r *tasks.StartRequest) error {
	if f.cpus < 0 {
		return Usage("cpus")
	}
	r.Services = f.services
	r.CPUs, r.Runtime, r.Requires, r.Cache = f.cpus, cmp.Or(f.runtime, os.Getenv(EnvRuntime)), f.requires, f.cache
	for _, o := range OldOverrides(f.runtime, f.requires != nil) {
		if o.Requires != "" {
			_ = (&requirement{to: &r.Requires}).Set(o.Requires) // it is made of known words
		}
	}
	if f.memory == "" {
		return nil
	}
	var err error
	r.MemoryMB, err = ParseMemory(f.memory)
	return err
}

var memoryForm = lazyregexp.New(`^([0-9]{1,7}(?:\.[0-9]{1,3})?)([MG])(?:i?B)?$`)

// ParseMemory reads "2G", "1.5g" or "512M" as MiB.
func ParseMemory(s string) (int, error) { return ParseAmount(s, 1<<10) }

// ParseAmount reads the same, of which a G has so many M.
func ParseAmount(s string, giga float64) (int, error) {
	m := memoryForm().FindStringSubmatch(strings.Replace(strings.ToUpper(s), "IB", "iB", 1))
	if m == nil {
		return 0, Usage("memory", "value", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, Usage("memory", "value", s)
	}
	if m[2] == "G" {
		n *= giga
	}
	if n < 1 {
		return 0, Usage("memory", "value", s)
	}
	return int(n), nil
}
