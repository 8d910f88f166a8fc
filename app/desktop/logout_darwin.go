//go:build desktop

package desktop

import "log/slog"

// hearSession hears nothing here.
//
// On macOS a log-out is a quit like any other to Wails 2: its applicationShouldTerminate
// refuses it, and asks this program whether the window closes (NSTerminateCancel, then
// OnBeforeClose). So piwork stops the log-out once; with tasks at work it asks what
// closing asks, and without any it closes, and the next log-out goes through. What would
// tell them apart, NSWorkspaceWillPowerOffNotification and the quit event's
// kAEQuitReason, is to be had on the main thread in Objective-C alone.
func hearSession(*logout, *slog.Logger) (deaf func(), err error) { return func() {}, nil }
