package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// together is how many machines are measured at the same time.
const together = 4

// four measures what machines that are ready take together: proportional set
// size (proc_pid_smaps_rollup(5)), in which what they share counts once.
func four(b *B) {
	w := newWorkshop(b)
	defer b.end(w.factory.Close)
	ways := []way{restored, restoredDevice, booted}
	took, whole := make(map[way][]float64), make(map[way][]float64)
	for i := range b.runs {
		for k := range ways {
			how := ways[(i+k)%len(ways)]
			m := w.together(how)
			took[how], whole[how] = append(took[how], m.pss), append(whole[how], m.pss+m.unmapped)
		}
	}
	if idle := memoryNow(); idle != (taken{}) {
		failf("machines that were ended still take %.1f MiB", idle.pss+idle.unmapped)
	}
	for _, x := range []struct {
		name string
		ours []float64
	}{
		{"memory/four/pss", took[restored]}, {"memory/four-virtiofs/pss", took[restoredDevice]}, {"memory/four-virtiofs/whole", whole[restoredDevice]},
	} {
		b.add(row{
			Name: x.name, Unit: "MiB", Ours: median(x.ours), Comparator: median(took[booted]), Runs: b.runs,
			ComparatorName: "the same four machines, booted, their folder over 9p",
		})
	}
}

// taken is what processes take, MiB.
type taken struct {
	pss      float64 // proportional set size, in which what they share counts once
	unmapped float64 // of machines with a device: copied for them, and not touched yet
}

// together has machines ready at the same time, each after one small program.
func (w *workshop) together(how way) taken {
	for range together {
		r := w.open(how)
		defer w.end(r.end)
		r.run("cat", "hello.txt")
	}
	w.rest(2 * time.Second) // for what goes on after the start, on both sides
	return memoryNow()
}

// memoryNow is the memory of all processes below this one, and of this one what it
// shares with machines as their device.
func memoryNow() (m taken) {
	for _, pid := range append(descendants(), os.Getpid()) {
		all, shared, resident, err := pssOf(pid)
		if errors.Is(err, os.ErrNotExist) {
			continue // it ended
		}
		check(err)
		if pid == os.Getpid() {
			m.pss += shared
			continue
		}
		m.pss += all
		if has := sharedOf(pid); has > 0 {
			m.unmapped += max(0, has-resident)
		}
	}
	return m
}

// pssOf is what a process has mapped, in MiB: its proportional set size, that of
// memory shared with a device alone, and how much of that it has touched.
func pssOf(pid int) (all, shared, resident float64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0, 0, 0, err
	}
	device := false
	for line := range strings.Lines(string(b)) {
		word := strings.Fields(line)
		if len(word) >= 5 && strings.Contains(word[0], "-") { // the head of a mapping
			device = strings.HasPrefix(strings.Join(word[5:], " "), sharedRAM)
			continue
		}
		if word[0] != "Pss:" && word[0] != "Rss:" {
			continue
		}
		kb, err := strconv.ParseFloat(word[1], 64)
		if err != nil {
			return 0, 0, 0, err
		}
		switch mb := kb / 1024; {
		case word[0] == "Pss:":
			all += mb
			if device {
				shared += mb
			}
		case device:
			resident += mb
		}
	}
	return all, shared, resident, nil
}

// descendants are the processes below this one.
func descendants() (all []int) {
	for at := []int{os.Getpid()}; len(at) > 0; at = at[1:] {
		for _, t := range must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", at[0]))) {
			b, _ := os.ReadFile(t) // a thread that ended has none
			for _, f := range strings.Fields(string(b)) {
				pid := must(strconv.Atoi(f))
				all, at = append(all, pid), append(at, pid)
			}
		}
	}
	return all
}
