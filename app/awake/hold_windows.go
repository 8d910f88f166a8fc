package awake

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sys/windows"
)

var setThreadExecutionState = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadExecutionState")

const (
	esContinuous     = 0x80000000
	esSystemRequired = 0x00000001
)

// System asks for it on a thread of its own: it is the thread's.
func System(_ context.Context, _ string) (func(), error) {
	if err := setThreadExecutionState.Find(); err != nil {
		return nil, fmt.Errorf("ask to stay awake: %w", err)
	}
	asked, over := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if before, _, err := setThreadExecutionState.Call(esContinuous | esSystemRequired); before == 0 {
			asked <- fmt.Errorf("ask to stay awake: %w", err)
			return
		}
		asked <- nil
		<-over
		_, _, _ = setThreadExecutionState.Call(esContinuous)
	}()
	if err := <-asked; err != nil {
		return nil, err
	}
	return func() { close(over) }, nil
}
