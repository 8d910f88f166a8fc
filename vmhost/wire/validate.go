package wire

import (
	"encoding/pem"
	"net"
	"net/netip"
	"path"
	"strings"
)

// Validate implements the bounds of HelloParams.
func (p HelloParams) Validate() error {
	return firstError(within("version", int64(p.Version), 1, 1<<20), short("app", p.App, maxShort))
}

// Validate implements the bounds of Hello.
func (h Hello) Validate() error {
	if err := firstError(
		within("version", int64(h.Version), 1, 1<<20),
		short("agent", h.Agent, maxShort), short("bootId", h.BootID, maxShort), short("kernel", h.Kernel, maxShort),
		within("capabilities", int64(len(h.Capabilities)), 0, maxMarks),
		marks(h.MarksMS),
		within("errors", int64(len(h.Errors)), 0, maxMarks),
	); err != nil {
		return err
	}
	for _, c := range h.Capabilities {
		if err := short("capabilities", c, maxShort); err != nil {
			return err
		}
	}
	for _, e := range h.Errors {
		if len(e) > MaxDetail {
			return invalid("errors", "%d bytes, at most %d", len(e), MaxDetail)
		}
	}
	return nil
}

// Validate implements the bounds of WarmParams.
func (p WarmParams) Validate() error { return place(p.Hostname, p.Locale, p.TimeZone) }

// Validate implements the bounds of WarmResult.
func (r WarmResult) Validate() error { return marks(r.MarksMS) }

// Validate implements the bounds of ClockParams.
func (p ClockParams) Validate() error { return clock(p.UnixNano) }

// Validate implements the bounds of PrepareParams.
func (p PrepareParams) Validate() error {
	if err := firstError(
		clock(p.UnixNano), within("entropy", int64(len(p.Entropy)), MinEntropy, MaxEntropy), place(p.Hostname, p.Locale, p.TimeZone),
	); err != nil {
		return err
	}
	if p.Mount != nil {
		if err := p.Mount.Validate(); err != nil {
			return err
		}
	}
	if err := within("layers", int64(len(p.Layers)), 0, MaxLayers); err != nil {
		return err
	}
	names, disks := map[string]bool{}, map[string]bool{}
	for _, l := range p.Layers {
		if err := l.Validate(); err != nil {
			return err
		}
		if names[l.Name] || disks[l.Disk] {
			return invalid("layers", "%s on the disk %s is not alone", l.Name, l.Disk)
		}
		names[l.Name], disks[l.Disk] = true, true
	}
	return nil
}

// Validate implements the bounds of Layer. Its name becomes that of a
// directory and of a mapped device.
func (l Layer) Validate() error {
	if err := firstError(id("layers.name", l.Name), id("layers.disk", l.Disk), within("layers.disk", int64(len(l.Disk)), 1, MaxSerial)); err != nil {
		return err
	}
	if strings.Contains(l.Name, ":") { // separates the directories of an overlay
		return invalid("layers.name", "%q contains a colon", l.Name)
	}
	if l.RootHash == "" {
		if l.Salt != "" || l.DataBlocks != 0 {
			return invalid("layers.rootHash", "missing")
		}
		return nil
	}
	if len(l.Salt) > 64 || len(l.Salt)%2 != 0 || strings.Trim(l.Salt, "0123456789abcdef") != "" {
		return invalid("layers.salt", "%.80q is not a salt in hex", l.Salt)
	}
	return firstError(digest("layers.rootHash", l.RootHash), within("layers.dataBlocks", l.DataBlocks, 1, 1<<28))
}

// Validate implements the bounds of MountParams. A share may be mounted at or
// below FoldersDir and StateDir only.
func (p MountParams) Validate() error {
	if err := firstError(absolute("path", p.Path), short("kind", p.Kind, maxShort), short("export", p.Export, maxShort)); err != nil {
		return err
	}
	switch p.Kind {
	case KindVirtioFS, KindVirtio9P:
		if err := firstError(id("export", p.Export), within("export", int64(len(p.Export)), 1, MaxTag)); err != nil {
			return err
		}
	default:
		return invalid("kind", "%q is unknown", p.Kind)
	}
	if strings.ContainsAny(p.Export, ",") {
		return invalid("export", "%q contains a comma", p.Export)
	}
	if !at(p.Path, FoldersDir) && !at(p.Path, StateDir) {
		return invalid("path", "%q is not at or below %s or %s", p.Path, FoldersDir, StateDir)
	}
	if p.State && p.Path != FoldersDir {
		return invalid("state", "there is one in %s only", FoldersDir)
	}
	return nil
}

// Validate implements the bounds of NetworkParams.
func (p NetworkParams) Validate() error {
	if p.Door != "" {
		if !path.IsAbs(p.Door) || p.MAC+p.Address+p.Gateway+p.DNS != "" || p.MTU != 0 {
			return invalid("door", "%.80q is no socket, or not all", p.Door)
		}
		return certificate("authority", p.Authority)
	}
	if hw, err := net.ParseMAC(p.MAC); err != nil || len(hw) != 6 || hw[0]&1 != 0 {
		return invalid("mac", "%.80q is not the address of one card", p.MAC)
	}
	network, err := netip.ParsePrefix(p.Address)
	if err != nil || !network.Addr().Is4() || network.Bits() < 8 || network.Bits() > 30 {
		return invalid("address", "%.80q is no IPv4 address in a network", p.Address)
	}
	gateway, err := netip.ParseAddr(p.Gateway)
	if err != nil || !network.Contains(gateway) || gateway == network.Addr() {
		return invalid("gateway", "%.80q is not in %s", p.Gateway, p.Address)
	}
	if dns, err := netip.ParseAddr(p.DNS); err != nil || !dns.Is4() {
		return invalid("dns", "%.80q is no IPv4 address", p.DNS)
	}
	return firstError(within("mtu", int64(p.MTU), MinMTU, MaxMTU), certificate("authority", p.Authority))
}

// certificate checks that a text is one certificate in PEM, or nothing.
func certificate(field, s string) error {
	if s == "" {
		return nil
	}
	if err := within(field, int64(len(s)), 1, MaxCertificate); err != nil {
		return err
	}
	block, rest := pem.Decode([]byte(s))
	if block == nil || block.Type != "CERTIFICATE" || len(block.Headers) > 0 || len(rest) > 0 || !strings.HasPrefix(s, "-----BEGIN ") {
		return invalid(field, "%.80q is not one certificate", s)
	}
	return nil
}

// Validate implements the bounds of CacheParams.
func (p CacheParams) Validate() error {
	return firstError(id("disk", p.Disk), within("disk", int64(len(p.Disk)), 1, MaxSerial), within("limitMb", p.LimitMB, MinCacheMB, MaxCacheMB))
}

// Validate implements the bounds of EchoParams: none beyond the line's.
func (p EchoParams) Validate() error { return nil }

// Validate implements the bounds of Empty: none.
func (Empty) Validate() error { return nil }

// Validate implements the bounds of Session.
func (s Session) Validate() error {
	return firstError(id("id", s.ID), optionalAbsolute("cwd", s.Cwd), environment("env", s.Env))
}

// Validate implements the bounds of SessionRef.
func (r SessionRef) Validate() error { return id("id", r.ID) }

// Validate implements the bounds of Limits.
func (l Limits) Validate() error {
	return firstError(
		within("limits.wallMs", l.WallMS, 0, MaxWallMS),
		within("limits.cpuMs", l.CPUMS, 0, MaxWallMS),
		within("limits.memoryMb", l.MemoryMB, 0, MaxMemoryMB),
		within("limits.outputBytes", l.OutputBytes, 0, MaxOutput),
		within("limits.ioBytes", l.IOBytes, 0, MaxIO),
	)
}

// Validate implements the bounds of ExecParams.
func (p ExecParams) Validate() error {
	if err := firstError(
		id("id", p.ID), optionalID("session", p.Session), optionalAbsolute("cwd", p.Cwd),
		environment("env", p.Env), p.Limits.Validate(),
		within("argv", int64(len(p.Argv)), 1, MaxArgs), within("stdin", int64(len(p.Stdin)), 0, MaxStdin),
		within("ahead", p.Ahead, 0, MaxOutput), short("request", p.Request, MaxID),
	); err != nil {
		return err
	}
	if p.Argv[0] == "" {
		return invalid("argv", "the program has no name")
	}
	for _, a := range p.Argv {
		if len(a) > MaxArg || strings.IndexByte(a, 0) >= 0 {
			return invalid("argv", "a word of %d bytes is too long or contains a NUL", len(a))
		}
	}
	if p.Terminal != nil {
		return p.Terminal.Validate()
	}
	return nil
}

// Validate implements the bounds of TerminalSize.
func (s TerminalSize) Validate() error {
	return firstError(within("columns", int64(s.Columns), 1, MaxTerminal), within("rows", int64(s.Rows), 1, MaxTerminal))
}

// Validate implements the bounds of ExecResize.
func (r ExecResize) Validate() error { return firstError(id("id", r.ID), r.TerminalSize.Validate()) }

// Validate implements the bounds of ExecTaken.
func (t ExecTaken) Validate() error {
	return firstError(id("id", t.ID), within("bytes", t.Bytes, 1, MaxOutput))
}

// Validate implements the bounds of ExecRef.
func (r ExecRef) Validate() error { return id("id", r.ID) }

// Validate implements the bounds of ExecWrite.
func (w ExecWrite) Validate() error {
	return firstError(id("id", w.ID), within("data", int64(len(w.Data)), 0, MaxChunk))
}

// Validate implements the bounds of ExecSignal.
func (s ExecSignal) Validate() error {
	return firstError(id("id", s.ID), within("signal", int64(s.Signal), 1, MaxSignal))
}

// Validate implements the bounds of ExecOutput.
func (o ExecOutput) Validate() error {
	if o.Stream != Stdout && o.Stream != Stderr && o.Stream != Log && o.Stream != Control {
		return invalid("stream", "%q is unknown", o.Stream)
	}
	return firstError(id("id", o.ID), within("data", int64(len(o.Data)), 1, MaxChunk))
}

// Validate implements the bounds of ExecResult.
func (r ExecResult) Validate() error {
	return firstError(
		id("id", r.ID),
		within("exitCode", int64(r.ExitCode), 0, 255), within("signal", int64(r.Signal), 0, MaxSignal),
		short("ended", r.Ended, maxShort),
		within("wallMs", r.WallMS, 0, 2*MaxWallMS), within("cpuMs", r.CPUMS, 0, MaxOutput),
		within("peakKb", r.PeakKB, 0, MaxMemoryMB<<10),
		within("stdout", int64(len(r.Stdout)+len(r.Stderr)), 0, MaxRunOut),
	)
}

// Validate implements the bounds of ToolParams; what Params may hold is up to
// the operation.
func (p ToolParams) Validate() error {
	if err := firstError(
		id("id", p.ID), id("op", p.Op), optionalAbsolute("out", p.Out), p.Limits.Validate(),
		within("in", int64(len(p.In)), 0, MaxInputs), short("request", p.Request, MaxID),
	); err != nil {
		return err
	}
	for _, in := range p.In {
		if err := absolute("in", in); err != nil {
			return err
		}
	}
	return nil
}

// Validate implements the bounds of ToolResult.
func (r ToolResult) Validate() error {
	if err := firstError(id("id", r.ID), within("wallMs", r.WallMS, 0, 2*MaxWallMS), within("versions", int64(len(r.Versions)), 0, maxMarks)); err != nil {
		return err
	}
	for _, f := range r.Out {
		if err := firstError(absolute("out.path", f.Path), within("out.size", f.Size, 0, 1<<62), digest("out.sha256", f.SHA256)); err != nil {
			return err
		}
	}
	for _, p := range r.Problems {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	for k, v := range r.Versions {
		if err := firstError(short("versions", k, maxShort), short("versions", v, maxShort)); err != nil {
			return err
		}
	}
	return nil
}

// Validate implements the bounds of ToolProblem.
func (p ToolProblem) Validate() error {
	if err := firstError(id("problems.code", p.Code), optionalAbsolute("problems.path", p.Path)); err != nil {
		return err
	}
	if len(p.Detail) > MaxDetail {
		return invalid("problems.detail", "%d bytes, at most %d", len(p.Detail), MaxDetail)
	}
	return nil
}

// Validate implements the bounds of ToolProgress.
func (p ToolProgress) Validate() error {
	if err := firstError(id("id", p.ID), optionalAbsolute("item", p.Item), within("total", p.Total, 0, 1<<50)); err != nil {
		return err
	}
	return within("done", p.Done, 0, p.Total)
}

// Validate implements the bounds of LogLine.
func (l LogLine) Validate() error {
	return firstError(short("level", l.Level, maxShort), within("text", int64(len(l.Text)), 0, MaxDetail),
		short("op", l.Op, maxShort), short("run", l.Run, maxShort), short("request", l.Request, maxShort))
}
