//go:build desktop

package desktop

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32                    = windows.NewLazySystemDLL("user32.dll")
	procRegisterClassEx       = user32.NewProc("RegisterClassExW")
	procUnregisterClass       = user32.NewProc("UnregisterClassW")
	procCreateWindowEx        = user32.NewProc("CreateWindowExW")
	procDestroyWindow         = user32.NewProc("DestroyWindow")
	procDefWindowProc         = user32.NewProc("DefWindowProcW")
	procGetMessage            = user32.NewProc("GetMessageW")
	procDispatchMessage       = user32.NewProc("DispatchMessageW")
	procPostMessage           = user32.NewProc("PostMessageW")
	procPostQuitMessage       = user32.NewProc("PostQuitMessage")
	procShutdownReasonCreate  = user32.NewProc("ShutdownBlockReasonCreate")
	procShutdownReasonDestroy = user32.NewProc("ShutdownBlockReasonDestroy")
)

var sessionProcs = []*windows.LazyProc{
	procRegisterClassEx, procUnregisterClass, procCreateWindowEx, procDestroyWindow, procDefWindowProc, procGetMessage,
	procDispatchMessage, procPostMessage, procPostQuitMessage, procShutdownReasonCreate, procShutdownReasonDestroy,
}

// sessionWndProc is onSessionMessage for Windows; what was made for it is never freed.
var sessionWndProc = sync.OnceValue(func() uintptr { return windows.NewCallback(onSessionMessage) })

// theSession is whose messages onSessionMessage gets: a program has one.
var theSession *sessionWindow

// From winuser.h.
const (
	wmDestroy         = 0x0002
	wmClose           = 0x0010
	wmQueryEndSession = 0x0011
	wmEndSession      = 0x0016
)

// shutdownFirst has Windows end this program before those that it started, its
// machines among them: all processes start at 0x280, and higher levels end first
// (SetProcessShutdownParameters; 0x300 to 0x3FF are for programs).
const shutdownFirst = 0x300

// wndClassEx is WNDCLASSEXW.
type wndClassEx struct {
	size, style                        uint32
	wndProc                            uintptr
	clsExtra, wndExtra                 int32
	instance, icon, cursor, background windows.Handle
	menuName, className                *uint16
	iconSmall                          windows.Handle
}

// winMsg is MSG.
type winMsg struct {
	hwnd           windows.HWND
	message        uint32
	wParam, lParam uintptr
	time           uint32
	x, y           int32
}

// sessionWindow is a window that nobody sees, which hears that the session ends: Wails'
// window does not listen to it. It is a top-level one, because those that are for
// messages only do not hear what all hear. All of it belongs to one thread, as windows
// and their shutdown reasons do; see "Shutting Down" and "Shutdown Changes for Windows
// Vista" in the documentation of Windows.
type sessionWindow struct {
	logout   *logout
	log      *slog.Logger
	class    *uint16
	instance windows.Handle
	hwnd     uintptr
}

// hearSession has l hear that the session of Windows ends, until deaf is called. deaf
// returns when the thread is gone; it is called when l is finished, because the thread
// may be waiting for that.
func hearSession(l *logout, log *slog.Logger) (deaf func(), err error) {
	for _, p := range sessionProcs {
		if err := p.Find(); err != nil {
			return nil, fmt.Errorf("hear when the session ends: %w", err)
		}
	}
	if err := windows.SetProcessShutdownParameters(shutdownFirst, 0); err != nil {
		log.Warn("window: end before the machines at a log-out", "error", err)
	}
	s := &sessionWindow{logout: l, log: log}
	made, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := s.create()
		made <- err
		if err == nil {
			s.loop()
		}
		s.unregister()
	}()
	if err := <-made; err != nil {
		<-ended
		return nil, fmt.Errorf("hear when the session ends: %w", err)
	}
	return func() {
		if ok, _, err := procPostMessage.Call(s.hwnd, wmClose, 0, 0); ok == 0 {
			log.Warn("window: end the one that hears the session", "error", err)
			return // its thread ends with the process
		}
		<-ended
	}, nil
}

// create makes the window.
func (s *sessionWindow) create() error {
	name, err := windows.UTF16PtrFromString("piwork session")
	if err != nil {
		return err
	}
	title, err := windows.UTF16PtrFromString("piwork")
	if err != nil {
		return err
	}
	if err := windows.GetModuleHandleEx(0, nil, &s.instance); err != nil {
		return fmt.Errorf("GetModuleHandleEx: %w", err)
	}
	class := wndClassEx{wndProc: sessionWndProc(), instance: s.instance, className: name}
	class.size = uint32(unsafe.Sizeof(class))
	if atom, _, err := procRegisterClassEx.Call(uintptr(unsafe.Pointer(&class))); uint16(atom) == 0 {
		return fmt.Errorf("RegisterClassEx: %w", err)
	}
	s.class = name
	theSession = s
	hwnd, _, err := procCreateWindowEx.Call(0, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(title)),
		0, 0, 0, 0, 0, 0, 0, uintptr(s.instance), 0)
	if hwnd == 0 {
		return fmt.Errorf("CreateWindowEx: %w", err)
	}
	s.hwnd = hwnd
	return nil
}

// loop runs the window until it is closed.
func (s *sessionWindow) loop() {
	var m winMsg
	for {
		got, _, err := procGetMessage.Call(uintptr(unsafe.Pointer(&m)), 0, 0, 0)
		switch int32(got) {
		case 0:
			return
		case -1:
			s.log.Error("window: hear when the session ends", "error", err)
			return
		}
		_, _, _ = procDispatchMessage.Call(uintptr(unsafe.Pointer(&m)))
	}
}

func (s *sessionWindow) unregister() {
	if s.class != nil {
		_, _, _ = procUnregisterClass.Call(uintptr(unsafe.Pointer(s.class)), uintptr(s.instance))
	}
}

// onSessionMessage is the WNDPROC. WM_QUERYENDSESSION is answered at once, and only
// WM_ENDSESSION may take its time: it says whether the session ends after all, and
// Windows may end the process once it is answered.
func onSessionMessage(hwnd uintptr, message uint32, wParam, lParam uintptr) uintptr {
	s := theSession
	switch message {
	case wmQueryEndSession:
		s.logout.hear(endAsked, s)
		return 1
	case wmEndSession:
		if wParam == 0 {
			s.logout.hear(endOff, s)
		} else {
			s.logout.hear(endTold, s)
		}
		return 0
	case wmClose:
		_, _, _ = procDestroyWindow.Call(hwnd)
		return 0
	case wmDestroy:
		_, _, _ = procPostQuitMessage.Call(0)
		return 0
	}
	result, _, _ := procDefWindowProc.Call(hwnd, uintptr(message), wParam, lParam)
	return result
}

// hold implements excuse. Without a reason, Windows kills a program without a visible
// window after 5 s, and piwork may be in the background.
func (s *sessionWindow) hold() {
	languages, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil {
		s.log.Debug("window: the languages of the person", "error", err)
	}
	reason, err := windows.UTF16PtrFromString(logoutReason(languages))
	if err == nil {
		if ok, _, failed := procShutdownReasonCreate.Call(s.hwnd, uintptr(unsafe.Pointer(reason))); ok == 0 {
			err = failed
		}
	}
	if err != nil {
		s.log.Warn("window: say why the log-out waits", "error", err)
	}
}

// release implements excuse.
func (s *sessionWindow) release() {
	if ok, _, err := procShutdownReasonDestroy.Call(s.hwnd); ok == 0 && !errors.Is(err, windows.ERROR_INVALID_WINDOW_HANDLE) {
		s.log.Debug("window: the reason why the log-out waits", "error", err)
	}
}
