package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// good holds a valid message of every type that has bounds.
func good() []validator {
	hash := strings.Repeat("0a", 32)
	return []validator{
		HelloParams{Version: 1, App: "1.2.3"},
		Hello{Version: 1, Agent: "1", BootID: "x", Kernel: "6.12", Capabilities: []string{"exec"}, MarksMS: map[string]uint64{"init": 1}, Errors: []string{"x"}},
		PrepareParams{UnixNano: 1, Entropy: make([]byte, 64), Hostname: "work-room1", Locale: "de_DE.UTF-8@euro", TimeZone: "America/Argentina/Buenos_Aires"},
		PrepareParams{UnixNano: 1, Entropy: make([]byte, MaxEntropy), TimeZone: "Etc/GMT+5"},
		PrepareParams{UnixNano: 1, Entropy: make([]byte, 64), Layers: []Layer{{Name: "media", Disk: "layer-1"}, {Name: "office", Disk: "layer-2", RootHash: hash, Salt: "0b", DataBlocks: 7}}},
		PrepareParams{UnixNano: 1, Entropy: make([]byte, 64), Mount: &MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders"}},
		WarmParams{}, WarmParams{Hostname: "work-room1", Locale: "C.UTF-8", TimeZone: "Europe/Berlin"}, WarmResult{MarksMS: map[string]uint64{"root": 1}}, ClockParams{UnixNano: 1},
		MountParams{Kind: "virtiofs", Path: "/folders", Export: "folders", State: true},
		MountParams{Kind: "virtio9p", Path: "/folders", Export: "folders"}, MountParams{Kind: "virtio9p", Path: "/state", Export: "state"},
		CacheParams{Disk: "cache", LimitMB: 10_240},
		NetworkParams{MAC: "02:00:00:00:00:01", Address: "10.0.2.15/24", Gateway: "10.0.2.2", DNS: "10.0.2.3", MTU: 1500, Authority: aCertificate},
		Connection{Local: "198.18.0.2:40000", Remote: "198.19.0.1:443"}, Owner{}, Owner{Exe: "/usr/bin/node", Name: "npm\n", Args: []string{"npm install", "", "\x1b"}},
		EchoParams{Data: "\n\x00"}, Empty{},
		Session{ID: "a-1_B.c:2", Cwd: "/work", Env: map[string]string{"A": "b=c\n"}}, SessionRef{ID: "1"},
		Limits{}, Limits{WallMS: MaxWallMS, CPUMS: 1, MemoryMB: 1, OutputBytes: 1},
		ExecParams{ID: "x", Session: "s", Argv: []string{"a", "", "b\nc", strings.Repeat("x", MaxArg)}, Cwd: "/", Stdin: make([]byte, MaxStdin)},
		ExecRef{ID: "x"}, ExecWrite{ID: "x", Close: true}, ExecWrite{ID: "x", Data: make([]byte, MaxChunk)}, ExecSignal{ID: "x", Signal: 15},
		ExecOutput{ID: "x", Stream: Stderr, Data: []byte{0}}, ExecResult{ID: "x", ExitCode: 255, Signal: 9, Ended: EndedTimeout, Stdout: make([]byte, MaxRunOut)},
		ToolParams{ID: "x", Op: "image.convert", In: []string{"/folders/a\nb/-c:ü"}, Out: "/work/out/x", Request: "-a.B_9"},
		ToolResult{ID: "x", Out: []ToolFile{{Path: "/a", Size: 1, SHA256: hash}}, Problems: []ToolProblem{{Code: "input-broken", Path: "/a"}, {Code: "timeout"}}, Versions: map[string]string{"qpdf": "1"}},
		FileParams{ID: "x", Op: FileRead, Path: "/work", Roots: []string{"/"}, Offset: 1 << 40, Length: MaxFileData},
		FileParams{ID: "x", Op: FileWrite, Path: "/work/ü", Roots: []string{"/work", "/folders"}, Expect: hash, Size: MaxFileData}, FileParams{ID: "x", Op: FileWrite, Path: "/a", Roots: []string{"/"}, Expect: FileAbsent},
		FileParams{ID: "x", Op: FileList, Path: "/work", Roots: []string{"/"}, Depth: MaxDepth, Limit: MaxEntries}, FileParams{ID: "x", Op: FileWatch, Path: "/work", Roots: []string{"/"}, Limit: 1, WaitMS: 1},
		FileInfo{Path: "/a", Kind: KindLink, Mode: 0o7777, Target: "../\xff"}, FileInfo{Path: "/a", Kind: KindFile, Size: 1, SHA256: hash},
		FileResult{Info: &FileInfo{Path: "/a", Kind: KindOther}, Entries: []FileInfo{{Path: "/", Kind: KindDirectory}}}, FileChange{What: ChangeReady}, FileChange{What: ChangeRemoved, Path: "/a"},
		ActFailure{Code: ActChanged, Path: "/a", SHA256: FileAbsent, Detail: "x"},
		FetchParams{ID: "x", URL: "https://ü.example:8443/a?b#c", Roots: []string{"/"}, Limit: MaxInline, StallMS: 1}, FetchParams{ID: "x", URL: "http://[::1]/", Into: "/a", Roots: []string{"/"}, Limit: MaxFetch, StallMS: 1},
		FetchResult{URL: "http://a", Status: 200, SHA256: hash},
		PageParams{ID: "x", Roots: []string{"/"}, WaitMS: 1, Steps: []PageStep{{Do: PageOpen, URL: "http://a"}, {Do: PageText}, {Do: PageClick, Selector: "a > b"}, {Do: PageType, Selector: "a"}, {Do: PagePDF, Into: "/a"}}},
		PageResult{URL: "http://a", Title: "\x1b", Steps: []PageDone{{Text: "x"}, {Failed: ActMissing}, {File: &FileInfo{Path: "/a", Kind: KindFile}}}},
		ToolProgress{ID: "x", Done: 1, Total: 1, Item: "/a"}, LogLine{Level: "info", Text: "x\ny", Op: "pdf.merge", Run: "x", Request: "r"},
	}
}

// network is good parameters but for a change.
const aCertificate = "-----BEGIN CERTIFICATE-----\nMTIz\n-----END CERTIFICATE-----\n"

func network(change func(*NetworkParams)) NetworkParams {
	p := NetworkParams{MAC: "02:00:00:00:00:01", Address: "10.0.2.15/24", Gateway: "10.0.2.2", DNS: "10.0.2.3", MTU: 1500}
	change(&p)
	return p
}

type validator interface{ Validate() error }

func TestValidateGood(t *testing.T) {
	for i, m := range good() {
		if err := m.Validate(); err != nil {
			t.Errorf("%d: %T: %v", i, m, err)
		}
	}
}

// Attacks: each would reach further than it may if it passed.
func TestValidateBad(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	many := make([]string, 100_000)
	for i := range many {
		many[i] = "/x"
	}
	tooMany := map[string]uint64{}
	for i := range uint64(maxMarks + 1) {
		tooMany[fmt.Sprint("m", i)] = i
	}
	env := map[string]string{}
	for i := range MaxEnv + 1 {
		env[fmt.Sprint("v", i)] = ""
	}
	prepare := func(f func(*PrepareParams)) PrepareParams {
		p := PrepareParams{UnixNano: 1, Entropy: make([]byte, 64)}
		f(&p)
		return p
	}
	layer := func(f func(*Layer)) PrepareParams {
		l := Layer{Name: "media", Disk: "layer-1", RootHash: strings.Repeat("0a", 32), Salt: "0b", DataBlocks: 7}
		f(&l)
		return prepare(func(p *PrepareParams) { p.Layers = []Layer{l} })
	}
	exec := func(f func(*ExecParams)) ExecParams {
		p := ExecParams{ID: "x", Argv: []string{"true"}}
		f(&p)
		return p
	}
	tool := func(f func(*ToolParams)) ToolParams {
		p := ToolParams{ID: "x", Op: "a.b", In: []string{"/x"}}
		f(&p)
		return p
	}
	file := func(f func(*FileParams)) FileParams {
		p := FileParams{ID: "x", Op: FileWatch, Path: "/x", Roots: []string{"/"}, Limit: 1, WaitMS: 1}
		f(&p)
		return p
	}
	tests := []struct {
		field string
		msg   validator
	}{
		{"url", FetchParams{ID: "x", URL: "file:///etc/passwd", Roots: []string{"/"}, Limit: 1, StallMS: 1}}, {"url", FetchParams{ID: "x", URL: "http://a:b@c", Roots: []string{"/"}, Limit: 1, StallMS: 1}}, {"url", FetchParams{ID: "x", URL: "http:a"}},
		{"limit", FetchParams{ID: "x", URL: "http://a", Roots: []string{"/"}, Limit: MaxInline + 1, StallMS: 1}}, {"roots", FetchParams{ID: "x", URL: "http://a"}}, {"into", FetchParams{ID: "x", URL: "http://a", Into: "a"}},
		{"sha256", FetchResult{URL: "http://a", Status: 200}}, {"status", FetchResult{URL: "http://a"}}, {"type", FetchResult{URL: "http://a", Status: 200, Type: "a\nb"}},
		{"steps", PageParams{ID: "x", Roots: []string{"/"}, WaitMS: 1}}, {"steps", PageParams{ID: "x", Roots: []string{"/"}, WaitMS: 1, Steps: []PageStep{{Do: PageText}}}}, {"steps", PageParams{ID: "x", Roots: []string{"/"}, WaitMS: 1, Steps: make([]PageStep, MaxPageSteps+1)}},
		{"do", PageStep{Do: "dance"}}, {"url", PageStep{Do: PageOpen, URL: "javascript:x"}}, {"selector", PageStep{Do: PageClick}}, {"selector", PageStep{Do: PageText, Selector: long}}, {"into", PageStep{Do: PagePDF}}, {"text", PageStep{Do: PageType, Selector: "a", Text: "\xff"}},
		{"steps", PageResult{Steps: make([]PageDone, MaxPageSteps+1)}}, {"text", PageResult{Steps: []PageDone{{Text: long}}}}, {"failed", PageResult{Steps: []PageDone{{Failed: "x"}}}}, {"path", PageResult{Steps: []PageDone{{File: &FileInfo{Kind: KindFile}}}}},
		{"op", file(func(p *FileParams) { p.Op = "dance" })}, {"path", file(func(p *FileParams) { p.Path = "../x" })}, {"path", file(func(p *FileParams) { p.Path = "/a/../b" })}, {"path", file(func(p *FileParams) { p.Path = "/\xff" })},
		{"roots", file(func(p *FileParams) { p.Roots = nil })}, {"roots", file(func(p *FileParams) { p.Roots = []string{"x"} })}, {"roots", file(func(p *FileParams) { p.Roots = many })},
		{"expect", file(func(p *FileParams) { p.Expect = "none" })}, {"depth", file(func(p *FileParams) { p.Depth = MaxDepth + 1 })}, {"limit", file(func(p *FileParams) { p.Limit = MaxChanges + 1 })}, {"waitMs", file(func(p *FileParams) { p.WaitMS = 0 })},
		{"length", file(func(p *FileParams) { p.Length = MaxFileData + 1 })}, {"size", file(func(p *FileParams) { p.Size = -1 })}, {"offset", file(func(p *FileParams) { p.Offset = -1 })},
		{"kind", FileInfo{Path: "/a"}}, {"path", FileInfo{Path: "a", Kind: KindFile}}, {"mode", FileInfo{Path: "/a", Kind: KindFile, Mode: 1 << 20}}, {"sha256", FileInfo{Path: "/a", Kind: KindFile, SHA256: "x"}}, {"target", FileInfo{Path: "/a", Kind: KindLink, Target: long}},
		{"modified", FileInfo{Path: "/a", Kind: KindFile, Modified: time.Unix(1<<40, 0)}},
		{"entries", FileResult{Entries: make([]FileInfo, MaxEntries+1)}}, {"size", FileResult{Size: MaxFileData + 1}}, {"what", FileChange{What: "x"}}, {"path", FileChange{What: ChangeCreated}}, {"path", FileChange{What: ChangeCreated, Path: "/\xff"}},
		{"code", ActFailure{}}, {"detail", ActFailure{Code: "x", Detail: long}}, {"sha256", ActFailure{Code: "x", SHA256: "x"}},
		{"version", HelloParams{}}, {"version", HelloParams{Version: -1}}, {"app", HelloParams{Version: 1, App: long}}, {"app", HelloParams{Version: 1, App: "a\nb"}},
		{"bootId", Hello{Version: 1, BootID: long}}, {"kernel", Hello{Version: 1, Kernel: "\xff"}}, {"capabilities", Hello{Version: 1, Capabilities: many}},
		{"errors", Hello{Version: 1, Errors: []string{long}}}, {"capabilities", Hello{Version: 1, Capabilities: []string{"a\x00"}}},
		{"unixNano", prepare(func(p *PrepareParams) { p.UnixNano = 0 })}, {"unixNano", prepare(func(p *PrepareParams) { p.UnixNano = -5 })},
		{"entropy", prepare(func(p *PrepareParams) { p.Entropy = p.Entropy[:63] })}, {"entropy", prepare(func(p *PrepareParams) { p.Entropy = make([]byte, MaxEntropy+1) })},
		{"hostname", prepare(func(p *PrepareParams) { p.Hostname = "a.b" })}, {"hostname", prepare(func(p *PrepareParams) { p.Hostname = "-a" })},
		{"hostname", prepare(func(p *PrepareParams) { p.Hostname = "a\n127.0.0.1 evil" })}, {"hostname", prepare(func(p *PrepareParams) { p.Hostname = strings.Repeat("a", 64) })},
		{"locale", prepare(func(p *PrepareParams) { p.Locale = "../../x" })}, {"locale", prepare(func(p *PrepareParams) { p.Locale = "C UTF" })},
		{"timeZone", prepare(func(p *PrepareParams) { p.TimeZone = "../../etc/passwd" })}, {"timeZone", prepare(func(p *PrepareParams) { p.TimeZone = "/etc/passwd" })},
		{"request", tool(func(p *ToolParams) { p.Request = "a\nb" })}, {"request", tool(func(p *ToolParams) { p.Request = long })},
		{"request", ExecParams{ID: "x", Argv: []string{"a"}, Request: "a\nb"}}, {"request", ExecParams{ID: "x", Argv: []string{"a"}, Request: long}},
		{"layers.name", layer(func(l *Layer) { l.Name = "" })}, {"layers.name", layer(func(l *Layer) { l.Name = "../x" })},
		{"layers.name", layer(func(l *Layer) { l.Name = "a:/proc" })}, {"layers.name", layer(func(l *Layer) { l.Name = "a/b" })},
		{"layers.disk", layer(func(l *Layer) { l.Disk = "" })}, {"layers.disk", layer(func(l *Layer) { l.Disk = "../vda" })},
		{"layers.disk", layer(func(l *Layer) { l.Disk = strings.Repeat("x", MaxSerial+1) })},
		{"layers.rootHash", layer(func(l *Layer) { l.RootHash = l.RootHash[1:] })}, {"layers.rootHash", layer(func(l *Layer) { l.RootHash = "" })},
		{"layers.salt", layer(func(l *Layer) { l.Salt = "0" })}, {"layers.salt", layer(func(l *Layer) { l.Salt = "- 1 ignore_corruption" })},
		{"layers.dataBlocks", layer(func(l *Layer) { l.DataBlocks = 0 })}, {"layers.dataBlocks", layer(func(l *Layer) { l.DataBlocks = 1 << 40 })},
		{"layers", prepare(func(p *PrepareParams) { p.Layers = []Layer{{Name: "a", Disk: "x"}, {Name: "a", Disk: "y"}} })},
		{"layers", prepare(func(p *PrepareParams) { p.Layers = []Layer{{Name: "a", Disk: "x"}, {Name: "b", Disk: "x"}} })},
		{"layers", prepare(func(p *PrepareParams) { p.Layers = make([]Layer, MaxLayers+1) })},
		{"timeZone", prepare(func(p *PrepareParams) { p.TimeZone = "Europe//Berlin" })}, {"timeZone", prepare(func(p *PrepareParams) { p.TimeZone = ":x" })},
		{"kind", prepare(func(p *PrepareParams) { p.Mount = &MountParams{Kind: "nfs", Path: "/folders"} })}, {"path", prepare(func(p *PrepareParams) { p.Mount = &MountParams{Kind: "virtio9p", Export: "folders", Path: "/etc"} })},
		{"hostname", WarmParams{Hostname: "a\n127.0.0.1 evil"}}, {"hostname", WarmParams{Hostname: long}}, {"locale", WarmParams{Locale: "../../x"}}, {"timeZone", WarmParams{TimeZone: "../../etc/passwd"}},
		{"marksMs", WarmResult{MarksMS: map[string]uint64{long: 1}}}, {"marksMs", WarmResult{MarksMS: map[string]uint64{"a\nb": 1}}}, {"marksMs", WarmResult{MarksMS: tooMany}},
		{"unixNano", ClockParams{}}, {"unixNano", ClockParams{UnixNano: -1}},
		{"export", MountParams{Kind: "virtiofs", Path: "/folders"}}, {"export", MountParams{Kind: "virtiofs", Path: "/folders", Export: strings.Repeat("x", 37)}},
		{"export", MountParams{Kind: "virtiofs", Path: "/folders", Export: "a/b"}}, {"kind", MountParams{Kind: "9p", Path: "/folders", Export: "a"}},
		{"path", MountParams{Kind: "virtiofs", Path: "/work", Export: "a"}},
		{"state", MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders/x", State: true}}, {"kind", MountParams{Kind: "nfs", Path: "/folders"}}, {"path", MountParams{Kind: "virtio9p", Export: "folders", Path: "/etc"}}, {"path", MountParams{Kind: "virtio9p", Export: "folders", Path: "/folders/../etc"}},
		{"mac", network(func(p *NetworkParams) { p.MAC = "" })}, {"mac", network(func(p *NetworkParams) { p.MAC = "01:00:00:00:00:01" })}, {"mac", network(func(p *NetworkParams) { p.MAC = "02:00:00:00:00:00:00:01" })},
		{"address", network(func(p *NetworkParams) { p.Address = "10.0.2.15" })}, {"address", network(func(p *NetworkParams) { p.Address = "10.0.2.15/32" })}, {"address", network(func(p *NetworkParams) { p.Address = "fd00::2/64" })},
		{"gateway", network(func(p *NetworkParams) { p.Gateway = "10.0.3.2" })}, {"gateway", network(func(p *NetworkParams) { p.Gateway = "10.0.2.15" })},
		{"dns", network(func(p *NetworkParams) { p.DNS = "8.8.8.8\nsearch evil" })}, {"dns", network(func(p *NetworkParams) { p.DNS = "::1" })},
		{"disk", CacheParams{LimitMB: 64}}, {"disk", CacheParams{Disk: "../vda", LimitMB: 64}}, {"disk", CacheParams{Disk: strings.Repeat("c", MaxSerial+1), LimitMB: 64}},
		{"limitMb", CacheParams{Disk: "cache"}}, {"limitMb", CacheParams{Disk: "cache", LimitMB: -1}}, {"limitMb", CacheParams{Disk: "cache", LimitMB: 1 << 62}},
		{"mtu", network(func(p *NetworkParams) { p.MTU = 0 })}, {"mtu", network(func(p *NetworkParams) { p.MTU = 1 << 20 })},
		{"authority", network(func(p *NetworkParams) { p.Authority = "anything" })}, {"authority", network(func(p *NetworkParams) { p.Authority = aCertificate + aCertificate })},
		{"authority", network(func(p *NetworkParams) { p.Authority = "before\n" + aCertificate })}, {"authority", network(func(p *NetworkParams) {
			p.Authority = strings.ReplaceAll(aCertificate, "CERTIFICATE", "EC PRIVATE KEY")
		})},
		{"authority", network(func(p *NetworkParams) { p.Authority = strings.Repeat("A", MaxCertificate+1) })},
		{"path", MountParams{Kind: "virtio9p", Export: "folders", Path: "folders"}}, {"path", MountParams{Kind: "virtio9p", Export: "folders", Path: "/foldersx"}}, {"path", MountParams{Kind: "9p"}},
		{"export", MountParams{Kind: "virtio9p", Path: "/folders", Export: "a,rfdno=0"}}, {"export", MountParams{Kind: "virtio9p", Path: "/folders", Export: "a\nb"}},
		{"id", Session{}}, {"id", Session{ID: "../x"}}, {"id", Session{ID: ".x"}}, {"id", Session{ID: "-x"}}, {"id", Session{ID: "a/b"}}, {"id", Session{ID: strings.Repeat("x", MaxID+1)}}, {"id", Session{ID: "ü"}},
		{"cwd", Session{ID: "x", Cwd: "rel"}}, {"cwd", Session{ID: "x", Cwd: "/a/../b"}}, {"cwd", Session{ID: "x", Cwd: "/a\x00"}}, {"cwd", Session{ID: "x", Cwd: "/" + long}},
		{"env", Session{ID: "x", Env: env}}, {"env", Session{ID: "x", Env: map[string]string{"": "x"}}}, {"env", Session{ID: "x", Env: map[string]string{"A=B": "x"}}},
		{"env", Session{ID: "x", Env: map[string]string{"A": "x\x00B=y"}}}, {"env", Session{ID: "x", Env: map[string]string{"A": long}}},
		{"id", SessionRef{}}, {"id", ExecRef{ID: "a b"}}, {"id", ExecWrite{}}, {"data", ExecWrite{ID: "x", Data: make([]byte, MaxChunk+1)}},
		{"signal", ExecSignal{ID: "x"}}, {"signal", ExecSignal{ID: "x", Signal: -1}}, {"signal", ExecSignal{ID: "x", Signal: 65}},
		{"limits.wallMs", Limits{WallMS: -1}}, {"limits.wallMs", Limits{WallMS: MaxWallMS + 1}}, {"limits.cpuMs", Limits{CPUMS: -1}}, {"limits.memoryMb", Limits{MemoryMB: 1 << 50}}, {"limits.outputBytes", Limits{OutputBytes: -1}},
		{"argv", exec(func(p *ExecParams) { p.Argv = nil })}, {"argv", exec(func(p *ExecParams) { p.Argv = []string{""} })}, {"argv", exec(func(p *ExecParams) { p.Argv = []string{"a", "b\x00c"} })},
		{"argv", exec(func(p *ExecParams) { p.Argv = many })}, {"argv", exec(func(p *ExecParams) { p.Argv = []string{"a", long} })},
		{"stdin", exec(func(p *ExecParams) { p.Stdin = make([]byte, MaxStdin+1) })}, {"session", exec(func(p *ExecParams) { p.Session = "a b" })},
		{"limits.wallMs", exec(func(p *ExecParams) { p.Limits.WallMS = -1 })}, {"cwd", exec(func(p *ExecParams) { p.Cwd = "x" })},
		{"stream", ExecOutput{ID: "x", Stream: "stdin", Data: []byte("x")}}, {"data", ExecOutput{ID: "x", Stream: Stdout}}, {"data", ExecOutput{ID: "x", Stream: Stdout, Data: make([]byte, MaxChunk+1)}},
		{"exitCode", ExecResult{ID: "x", ExitCode: 256}}, {"exitCode", ExecResult{ID: "x", ExitCode: -1}}, {"signal", ExecResult{ID: "x", Signal: 99}}, {"ended", ExecResult{ID: "x", Ended: long}},
		{"stdout", ExecResult{ID: "x", Stdout: make([]byte, MaxRunOut), Stderr: []byte("x")}}, {"wallMs", ExecResult{ID: "x", WallMS: -1}}, {"cpuMs", ExecResult{ID: "x", CPUMS: -1}},
		{"op", tool(func(p *ToolParams) { p.Op = "" })}, {"op", tool(func(p *ToolParams) { p.Op = "../x" })}, {"in", tool(func(p *ToolParams) { p.In = many })}, {"in", tool(func(p *ToolParams) { p.In = []string{"rel"} })},
		{"in", tool(func(p *ToolParams) { p.In = []string{"/a/./b"} })}, {"in", tool(func(p *ToolParams) { p.In = []string{"/a\x00b"} })}, {"in", tool(func(p *ToolParams) { p.In = []string{""} })}, {"out", tool(func(p *ToolParams) { p.Out = "x" })},
		{"out.path", ToolResult{ID: "x", Out: []ToolFile{{Path: "../a", SHA256: strings.Repeat("0", 64)}}}}, {"out.sha256", ToolResult{ID: "x", Out: []ToolFile{{Path: "/a", SHA256: "zz"}}}},
		{"out.size", ToolResult{ID: "x", Out: []ToolFile{{Path: "/a", Size: -1, SHA256: strings.Repeat("0", 64)}}}}, {"problems.code", ToolResult{ID: "x", Problems: []ToolProblem{{}}}},
		{"problems.path", ToolProblem{Code: "x", Path: "a"}}, {"problems.detail", ToolProblem{Code: "x", Detail: long}}, {"versions", ToolResult{ID: "x", Versions: map[string]string{"a": long}}},
		{"done", ToolProgress{ID: "x", Done: 2, Total: 1}}, {"done", ToolProgress{ID: "x", Done: -1, Total: 1}}, {"total", ToolProgress{ID: "x", Total: -1}}, {"item", ToolProgress{ID: "x", Item: "rel"}},
		{"local", Connection{}}, {"local", Connection{Local: "198.18.0.2", Remote: "198.19.0.1:443"}}, {"local", Connection{Local: "[::1]:1", Remote: "198.19.0.1:443"}},
		{"remote", Connection{Local: "198.18.0.2:1", Remote: "198.19.0.1:0"}}, {"remote", Connection{Local: "198.18.0.2:1", Remote: "name:443"}},
		{"exe", Owner{Exe: long}}, {"name", Owner{Name: long}}, {"args", Owner{Args: many}}, {"args", Owner{Args: []string{"x", long}}},
		{"level", LogLine{Level: long}}, {"text", LogLine{Text: long}}, {"request", LogLine{Request: long}}, {"run", LogLine{Run: "a\nb"}},
	}
	for i, tt := range tests {
		var bad *InvalidError
		if err := tt.msg.Validate(); !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%d: %T: error = %v, want one of %s", i, tt.msg, err, tt.field)
		} else if len(bad.Error()) > 8<<10 {
			t.Errorf("%d: %T: an error of %d bytes", i, tt.msg, len(bad.Error()))
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\nb\x00\x1b[31m": "a?b??[31m", "\xff\xfe": "?", "ü": "ü",
	} {
		if got := Short(in); got != want {
			t.Errorf("Short(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Short(strings.Repeat("ü", 1000)); len(got) > 200 {
		t.Errorf("%d bytes", len(got))
	}
}

// What an action says is one thing: a second one would pass unchecked.
func TestParseNews(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	for line, good := range map[string]bool{
		`{"change":{"what":"ready"}}`: true, `{"file":{}}`: true, `{"page":{}}`: true, `{"failed":{"code":"missing"}}`: true,
		`{"fetch":{"url":"http://a","status":200,"sha256":"` + hash + `"}}`: true, `{"file":{},"fetch":null}`: true,
		`{}`: false, `null`: false, `[]`: false, `{"file":{"size":-1}}`: false,
		`{"file":{},"fetch":{"status":-1}}`: false, `{"change":{"what":"ready"},"failed":{}}`: false, `{"page":{},"file":{}}`: false,
	} {
		if n, err := ParseNews([]byte(line)); (err == nil) != good {
			t.Errorf("%s: %+v %v", line, n, err)
		}
	}
}

// A list that is too long is refused before its elements are made.
func TestParseNewsOfManyValues(t *testing.T) {
	for line, good := range map[string]bool{
		`{"file":{"entries":[{}` + strings.Repeat(",{}", maxNewsValues+1) + `]}}`:                 false,
		`{"failed":{"code":"x","detail":"a\"` + strings.Repeat(",", 2*maxNewsValues) + `"}}`:      true,
		`{"failed":{"code":"x","detail":"a\\"` + strings.Repeat(`,"a":0`, maxNewsValues+1) + `}}`: false,
	} {
		_, err := ParseNews([]byte(line))
		if many := err != nil && strings.Contains(err.Error(), "values"); many == good {
			t.Errorf("%.60s: %v", line, err)
		}
	}
}

// FuzzNews parses what an action may say: whatever is set in it is valid.
func FuzzNews(f *testing.F) {
	for _, s := range []string{`{"file":{"entries":[{"path":"/a","kind":"file"}]}}`, `{"file":{},"fetch":{"status":-1}}`, `{"page":{"steps":[{"text":"x"}]}}`, `{"failed":{"code":"x"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		n, err := ParseNews(line)
		if err != nil {
			return
		}
		set := 0
		check := func(is bool, valid func() error) {
			if is {
				if set++; valid() != nil || set > 1 {
					t.Errorf("%+v: %v", n, valid())
				}
			}
		}
		check(n.Change != nil, func() error { return n.Change.Validate() })
		check(n.File != nil, func() error { return n.File.Validate() })
		check(n.Fetch != nil, func() error { return n.Fetch.Validate() })
		check(n.Page != nil, func() error { return n.Page.Validate() })
		check(n.Failed != nil, func() error { return n.Failed.Validate() })
	})
}

// FuzzMessages decodes bytes as every message: nothing may panic, and what is
// valid fits in a line and stays valid when it is sent again.
func FuzzMessages(f *testing.F) {
	for i, m := range good() {
		b, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 4096 {
			f.Add(i, b)
		}
	}
	check := []func([]byte) error{
		fuzzOne[HelloParams], fuzzOne[Hello], fuzzOne[PrepareParams], fuzzOne[MountParams], fuzzOne[EchoParams], fuzzOne[Empty], fuzzOne[Session],
		fuzzOne[SessionRef], fuzzOne[Limits], fuzzOne[ExecParams], fuzzOne[ExecRef], fuzzOne[ExecWrite], fuzzOne[ExecSignal], fuzzOne[ExecOutput],
		fuzzOne[ExecResult], fuzzOne[ToolParams], fuzzOne[ToolResult], fuzzOne[ToolProgress], fuzzOne[LogLine],
		fuzzOne[WarmParams], fuzzOne[WarmResult], fuzzOne[ClockParams],
		fuzzOne[Connection], fuzzOne[Owner],
	}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		if len(data) > MaxLine {
			return
		}
		if err := check[uint(kind)%uint(len(check))](data); err != nil {
			t.Error(err)
		}
	})
}

func fuzzOne[T validator](data []byte) error {
	var m T
	if json.Unmarshal(data, &m) != nil || m.Validate() != nil {
		return nil
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var again T
	if err := json.Unmarshal(b, &again); err != nil {
		return err
	}
	return again.Validate()
}
