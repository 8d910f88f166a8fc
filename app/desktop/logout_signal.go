//go:build desktop && !windows

package desktop

import "log/slog"

// hearSession hears nothing here. On Linux the end of a session is a signal. On macOS
// it is a quit like any other to Wails 2, which refuses it at first and then closes the
// window: the log-out is stopped once, and goes through when it is tried again.
func hearSession(*logout, *slog.Logger) (deaf func(), err error) { return func() {}, nil }
