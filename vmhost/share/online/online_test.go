package online

import "testing"

func TestWhatSystemsSay(t *testing.T) {
	for name, got := range map[string]struct{ is, want bool }{
		"windows: a plain file":                          {OfWindows(0x20), false},
		"windows: read-only and hidden":                  {OfWindows(0x1 | 0x2), false},
		"windows: pinned, and here":                      {OfWindows(0x20 | 0x80000), false},
		"windows: unpinned, and still here":              {OfWindows(0x20 | 0x100000 | 0x400), false},
		"windows: recall on data access":                 {OfWindows(0x400000 | 0x400 | 0x200), true},
		"windows: recall on open":                        {OfWindows(0x40000), true},
		"windows: on a tape":                             {OfWindows(0x1000 | 0x20), true},
		"windows: IO_REPARSE_TAG_CLOUD":                  {CloudTag(0x9000001a), true},
		"windows: IO_REPARSE_TAG_CLOUD_6":                {CloudTag(0x9000601a), true},
		"windows: IO_REPARSE_TAG_CLOUD_F":                {CloudTag(0x9000f01a), true},
		"windows: IO_REPARSE_TAG_ONEDRIVE":               {CloudTag(0x80000021), false},
		"windows: a symbolic link":                       {CloudTag(0xa000000c), false},
		"windows: a junction":                            {CloudTag(0xa0000003), false},
		"windows: a program's alias (APPEXECLINK)":       {CloudTag(0x8000001b), false},
		"windows: no tag":                                {CloudTag(0), false},
		"darwin: none":                                   {OfDarwin(0), false},
		"darwin: hidden, compressed":                     {OfDarwin(0x8000 | 0x20), false},
		"darwin: dataless":                               {OfDarwin(0x40000000 | 0x20), true},
		"windows: ERROR_CLOUD_FILE_PROVIDER_NOT_RUNNING": {failedOfWindows(362), true},
		"windows: ERROR_CLOUD_FILE_NETWORK_UNAVAILABLE":  {failedOfWindows(388), true},
		"windows: ERROR_CLOUD_FILE_PROVIDER_TERMINATED":  {failedOfWindows(404), true},
		"windows: ERROR_CLOUD_FILE_REQUEST_TIMEOUT":      {failedOfWindows(426), true},
		"windows: ERROR_ACCESS_DENIED":                   {failedOfWindows(5), false},
		"windows: ERROR_PROCESS_MODE_ALREADY_BACKGROUND": {failedOfWindows(402), false},
		"FUSE: here":                                     {OfFUSE(4096, 8), false},
		"FUSE: empty":                                    {OfFUSE(0, 0), false},
		"FUSE: a size and no blocks":                     {OfFUSE(1, 0), true},
	} {
		if got.is != got.want {
			t.Errorf("%s: %v", name, got.is)
		}
	}
}

func TestStubs(t *testing.T) {
	for name, of := range map[string]string{
		".report.pdf.icloud": "report.pdf", "..hidden.icloud": ".hidden", "report.pdf.icloud": "", ".icloud": "", "..icloud": "",
		".report.pdf": "", ".a.icloud.txt": "", "": "",
	} {
		if got := StubOf(name); got != of {
			t.Errorf("%q stands for %q", name, got)
		}
		if Stub(name) != (of != "" && hasStubs) {
			t.Errorf("%q: %v", name, Stub(name))
		}
	}
}
