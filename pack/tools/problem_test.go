package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestProblems(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, missing := os.Open(filepath.Join(dir, "missing"))
	_, exists := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o600)
	for _, tt := range []struct {
		got, want string
	}{
		{InputProblem("/a", missing).Code, InputMissing},
		{InputProblem("/a", fs.ErrPermission).Code, InputUnreadable},
		{InputProblem("/a", errors.New("input/output error")).Code, InputUnreadable},
		{InputProblem("/a", fmt.Errorf("read: %w", notDownloaded)).Code, InputOnline},
		{OutputProblem(exists).Code, OutputExists},
		{OutputProblem(missing).Code, OutputDenied},
		{OutputProblem(fs.ErrPermission).Code, OutputDenied},
		{OutputProblem(fmt.Errorf("write: %w", errors.New("odd"))).Code, ToolFailed},
	} {
		if tt.got != tt.want {
			t.Errorf("code %s, want %s", tt.got, tt.want)
		}
	}
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		end  Ending
		want string
	}{
		{Ending{ExitCode: 1, Stderr: "whatever"}, InputBroken},
		{Ending{ExitCode: 137, Timeout: true}, Timeout},
		{Ending{ExitCode: 137}, OutOfMemory},
		{Ending{ExitCode: 1, Stderr: "Traceback…\nMemoryError"}, OutOfMemory},
		{Ending{ExitCode: 1, Stderr: "magick: memory allocation failed `x' @ error/png.c"}, OutOfMemory},
		{Ending{ExitCode: 1, Stderr: "OSError: [Errno 28] No space left on device"}, DiskFull},
		{Ending{ExitCode: 1, Stderr: "OSError: [Errno 122] Disk quota exceeded"}, DiskFull},
		{Ending{ExitCode: 1, Stderr: "magick: unable to read image `a.jpg': Remote I/O error"}, InputOnline},
		{Ending{ExitCode: 153}, InputTooLarge},
		{Ending{ExitCode: 1, Stderr: "magick: width or height exceeds limit `x'"}, InputTooLarge},
		{Ending{ExitCode: 1, Stderr: "magick: cache resources exhausted `x'"}, InputTooLarge},
		{Ending{ExitCode: 1, Stderr: "magick: no decode delegate for this image format"}, InputUnsupported},
		{Ending{ExitCode: 1, Stderr: "attempt to perform an operation not allowed by the security policy `MSL'"}, InputUnsupported},
	} {
		if got := tt.end.Code(InputBroken); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.end, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"  plain \n": "plain", "a\x00b\x1b[31mc\x07": "ab[31mc", "two\nlines\tand tabs": "two\nlines\tand tabs", "\xff": "\uFFFD",
	} {
		if got := Words(in); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
	long := Words(strings.Repeat("ü", 10_000) + "the reason")
	if len(long) > maxWords+8 || !strings.HasSuffix(long, "the reason") || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %.40q", len(long), long)
	}
}
