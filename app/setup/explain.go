package setup

import (
	"slices"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// explain is the one problem of a proof boot that failed with an accelerator.
func explain(accel qemu.Accel, f Facts) problem.Problem {
	r := lead(accel, f)
	params := map[string]any{"accel": string(accel)}
	for name, value := range map[string]string{
		"device": f.Path, "cpu": f.CPU, "outer": f.Outer, "confined": f.Confined, "confineId": f.ConfineID,
		"group": f.Group, "holder": f.Holder, "blocked": f.Blocked, "edition": f.Edition,
	} {
		if value != "" {
			params[name] = value
		}
	}
	if f.Offered != Unknown {
		params["cpuFlag"] = f.Flag
	}
	if f.Guest != Unknown {
		params["hypervisor"] = f.Guest == Yes
	}
	if f.Build > 0 {
		params["build"] = f.Build
	}
	if slices.Contains(r.fix, problem.FixFirmware) {
		menu := menuOf(f.Maker, f.Vendor)
		params["firmwareKey"], params["firmwarePath"] = menu.Key, menu.Path
		if f.Maker != "" {
			params["maker"] = f.Maker
		}
	}
	fixes := problem.Fixes(r.fix...)
	for i := range fixes {
		fixes[i].Command = command(fixes[i].Code, accel, f)
	}
	p := accelProblem(string(accel)+"-"+r.cause, fixes, params, "")
	p.Restart = r.restart
	return p
}

// layers reports the checks of acceleration, from the hardware up. At most one
// fails: that of the cause that must be mended first. What lies above it is
// skipped. After a boot that proved all of them none fails: then what was seen
// does not matter.
func (r *run) layers(accel qemu.Accel, f Facts, proven bool, took time.Duration) {
	first := lead(accel, f)
	codes := layersOf(accel, f)
	at := slices.IndexFunc(codes, func(c layer) bool { return c.code == first.check })
	for i, c := range codes {
		state := CheckUnknown
		switch {
		case i == at && !proven:
			state = CheckFailed
		case at >= 0 && i > at && !proven:
			state = CheckSkipped
		case c.fine:
			state = CheckPassed
		}
		r.add(Check{Code: c.code, State: state, Params: c.params, TookMS: took.Milliseconds()})
		took = 0 // it was one look
	}
}

// glance tells what looks fine before the boot decides, from the hardware up to the
// first that does not: a boot may still show that it does not matter.
func (r *run) glance(accel qemu.Accel, f Facts) {
	first := lead(accel, f).check
	for _, c := range layersOf(accel, f) {
		if c.code == first || !c.fine {
			return
		}
		r.seen(Check{Code: c.code, State: CheckPassed, Params: c.params})
	}
}

// layer is a check that exists for an accelerator.
type layer struct {
	code   string
	fine   bool // by what was seen
	params map[string]any
}

func layersOf(accel qemu.Accel, f Facts) (out []layer) {
	add := func(code string, fine bool, params ...any) {
		l := layer{code: code, fine: fine, params: map[string]any{}}
		for i := 0; i+1 < len(params); i += 2 {
			if v := params[i+1]; v != "" {
				l.params[params[i].(string)] = v
			}
		}
		out = append(out, l)
	}
	able := f.Capable == Yes || f.Offered == Yes
	switch accel {
	case qemu.AccelKVM:
		works := f.Device == DeviceWorks || f.Device == DeviceBusy
		first := lead(accel, f).check
		// KVM can work where the processor shows nothing (paravirtual KVM):
		// then neither says anything.
		if !works || f.Offered == Yes {
			add(CheckAccelCPU, able && first != CheckAccelCPU, "cpu", f.CPU, "cpuFlag", f.Flag, "outer", f.Outer)
			if f.Guest != Yes || first == CheckAccelFirmware {
				// Kernels before 6.7 show svm even when the firmware locked it; the
				// module only loads when it did not.
				add(CheckAccelFirmware, f.Firmware == Yes || f.Flag == "vmx" || f.Offered == Yes && f.Module == Yes)
			}
		}
		add(CheckAccelSystem, works || f.Module == Yes)
		why := ""
		if f.DeviceErr != nil {
			why = f.DeviceErr.Error()
		}
		add(CheckAccelDevice, works, "device", f.Path, "error", why)
	case qemu.AccelWHPX:
		running := f.Running == Yes
		add(CheckAccelCPU, able || running, "cpu", f.CPU, "outer", f.Outer)
		if f.Guest != Yes || lead(accel, f).check == CheckAccelFirmware {
			add(CheckAccelFirmware, f.Firmware == Yes || running)
		}
		add(CheckAccelSystem, f.Platform == Yes)
		add(CheckAccelDevice, running)
	case qemu.AccelHVF:
		add(CheckAccelCPU, able || f.Support == Yes, "cpu", f.CPU)
		add(CheckAccelSystem, f.Support == Yes)
		add(CheckAccelDevice, f.Support == Yes && f.Refusal == "")
	}
	return out
}

// hear learns from what QEMU said when an accelerator refused it.
func (f *Facts) hear(accel qemu.Accel, output string) {
	says := func(s string) bool { return strings.Contains(output, s) }
	switch accel {
	case qemu.AccelKVM:
		// It was free a moment ago.
		if f.Device == DeviceWorks && (says("failed to initialize kvm: Device or resource busy") || says("ioctl(KVM_CREATE_VM) failed: 16")) {
			f.Device = DeviceBusy
		}
	case qemu.AccelHVF:
		for word, refusal := range map[string]string{"HV_BUSY": "busy", "HV_DENIED": "denied", "HV_UNSUPPORTED": "unsupported"} {
			if says(word) {
				f.Refusal = refusal
			}
		}
	case qemu.AccelWHPX:
		if f.Running == Unknown && says("WHPX: No accelerator found") {
			f.Running = No
		}
	}
}
