package atlogin

import (
	"bytes"
	"encoding/xml"
	"path/filepath"
	"strings"
)

// name of the service, in the style of each system.
const name = "io.piwork.controller"

// systemd is a user unit. config is the directory of the user's settings. It is tried again for
// as long as it fails: a drive with the data may be mounted after the login.
// Only the controller is ended with it (systemd.kill(5)): a window that it opened for a click on
// a message is in its control group, too, and stays. Machines end with the controller by
// themselves, as those of one that no system started.
func systemd(program, config string) Service {
	unit := "piwork.service"
	return Service{
		File: filepath.Join(config, "systemd", "user", unit),
		Content: []byte("[Unit]\nDescription=piwork, for what is to happen at a time\nStartLimitIntervalSec=0\n\n" +
			"[Service]\nType=exec\nExecStart=" + unitQuote(program) + " serve --background --idle 0\nRestart=on-failure\nRestartSec=30\nKillMode=process\n\n" +
			"[Install]\nWantedBy=default.target\n"),
		Add:    [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", unit}},
		Remove: [][]string{{"systemctl", "--user", "disable", unit}},
		Gone:   [][]string{{"systemctl", "--user", "daemon-reload"}},
	}
}

// unitQuote quotes a word of a command in a unit (systemd.service(5), "Command lines").
func unitQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(s) + `"`
}

// launchd is a LaunchAgent. launchd reads it at login by itself. It throttles CPU and disk of
// every ProcessType but Interactive, and with them those of workrooms and windows that the
// controller starts (launchd.plist(5)).
func launchd(program, home string) Service {
	return Service{
		File: filepath.Join(home, "Library", "LaunchAgents", name+".plist"),
		Content: []byte(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key><string>` + name + `</string>
	<key>ProgramArguments</key>
	<array><string>` + escaped(program) + `</string><string>serve</string><string>--background</string><string>--idle</string><string>0</string></array>
	<key>RunAtLoad</key><true/>
	<key>ProcessType</key><string>Interactive</string>
</dict>
</plist>
`),
	}
}

// scheduled is a task of Windows' task scheduler that runs at the logon of user, a SID, with
// their rights only. Without a Priority it runs below normal, and so does every workroom that it
// starts: the scheduler's 7 is for background tasks, 4 to 6 for interactive ones.
func scheduled(program, config, user string) Service {
	file := filepath.Join(config, "at-login.xml")
	return Service{
		File: file,
		Content: []byte(`<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><UserId>` + escaped(user) + `</UserId></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>` + escaped(user) + `</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings><ExecutionTimeLimit>PT0S</ExecutionTimeLimit><DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries><StopIfGoingOnBatteries>false</StopIfGoingOnBatteries><Priority>5</Priority></Settings>
  <Actions Context="Author"><Exec><Command>` + escaped(program) + `</Command><Arguments>serve --background --idle 0</Arguments></Exec></Actions>
</Task>
`),
		Add:    [][]string{{"schtasks.exe", "/Create", "/F", "/TN", name, "/XML", file}},
		Remove: [][]string{{"schtasks.exe", "/Delete", "/F", "/TN", name}},
	}
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // to memory
	return b.String()
}
