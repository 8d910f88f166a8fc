package audit

import (
	"cmp"
	"time"

	"piwork/vmhost"
)

// OCSFVersion is that of the Open Cybersecurity Schema Framework (schema.ocsf.io) that [OCSF]
// speaks.
const OCSFVersion = "1.3.0"

// Classes and activities of OCSF.
const (
	ocsfBase      = 0
	ocsfProcess   = 1007 // Process Activity
	ocsfAuthorize = 3003 // Authorize Session
	ocsfNetwork   = 4001 // Network Activity

	ocsfLaunch    = 1
	ocsfTerminate = 2
	ocsfAssign    = 1 // of privileges
	ocsfTraffic   = 6
	ocsfOther     = 99

	ocsfSuccess = 1
	ocsfFailure = 2

	ocsfUnknown = 0 // kind of device: a computer of some kind, this one or another
	ocsfVirtual = 6
)

// OCSF is an event of it: what programs that collect the logs of many computers read. What OCSF has no
// member for is in Unmapped.
type OCSF struct {
	Activity int    `json:"activity_id"`
	Category int    `json:"category_uid"`
	Class    int    `json:"class_uid"`
	Type     int    `json:"type_uid"`
	Time     int64  `json:"time"` // milliseconds since 1970
	Severity int    `json:"severity_id"`
	Message  string `json:"message,omitempty"`
	ocsfOutcome
	Metadata ocsfMetadata `json:"metadata"`
	Actor    *ocsfActor   `json:"actor,omitempty"`
	Device   *ocsfDevice  `json:"device,omitempty"`

	Process    *ocsfNamed    `json:"process,omitempty"`
	User       *ocsfNamed    `json:"user,omitempty"`
	Session    *ocsfNamed    `json:"session,omitempty"`
	Privileges []string      `json:"privileges,omitempty"`
	To         *ocsfEndpoint `json:"dst_endpoint,omitempty"`
	Traffic    *ocsfBytes    `json:"traffic,omitempty"`
	Unmapped   Record        `json:"unmapped"`
}

type ocsfOutcome struct {
	Status   int    `json:"status_id,omitempty"`
	Code     string `json:"status_code,omitempty"`
	Duration int64  `json:"duration,omitempty"` // milliseconds
	Exit     *int   `json:"exit_code,omitempty"`
}

type ocsfMetadata struct {
	Version     string    `json:"version"`
	UID         int64     `json:"sequence"`
	Profiles    []string  `json:"profiles,omitempty"`
	Correlation string    `json:"correlation_uid,omitempty"`
	Product     ocsfNamed `json:"product"`
}

type ocsfActor struct {
	App  string     `json:"app_name"`
	User *ocsfNamed `json:"user,omitempty"`
}

type ocsfNamed struct {
	Name   string `json:"name,omitempty"`
	UID    string `json:"uid,omitempty"`
	Vendor string `json:"vendor_name,omitempty"`
}

type ocsfDevice struct {
	Type int    `json:"type_id"`
	Name string `json:"name"`
}

type ocsfEndpoint struct {
	Host string `json:"hostname"`
	Port int    `json:"port,omitempty"`
}

type ocsfBytes struct {
	Out int64 `json:"bytes_out"`
	In  int64 `json:"bytes_in"`
	All int64 `json:"bytes"`
}

// OCSF makes an event of a record.
func (r Record) OCSF() OCSF {
	e := OCSF{
		Time: r.Time.UnixNano() / int64(time.Millisecond), Severity: 1, // informational
		Metadata: ocsfMetadata{Version: OCSFVersion, UID: r.N, Correlation: r.Request, Product: ocsfNamed{Name: "piwork", Vendor: "piwork"}},
		Unmapped: r,
	}
	e.Activity, e.Class = ocsfOther, ocsfBase
	switch r.Event {
	case EventBegin:
		e.Activity, e.Class, e.Process = ocsfLaunch, ocsfProcess, &ocsfNamed{Name: r.Program, UID: r.Exec}
	case EventEnd:
		e.Activity, e.Class, e.Process = ocsfTerminate, ocsfProcess, &ocsfNamed{UID: r.Exec}
		e.Duration, e.Exit, e.Code, e.Status = r.WallMS, r.Exit, r.Problem, ocsfSuccess
		if r.Problem != "" || r.Ended != "" || r.Exit != nil && *r.Exit != 0 {
			e.Status = ocsfFailure
		}
	case EventDecision, EventFolder:
		e.Class, e.User = ocsfAuthorize, &ocsfNamed{Name: cmp.Or(r.By, "unknown"), UID: r.Client}
		if r.Task != "" {
			e.Session = &ocsfNamed{UID: r.Task}
		}
		e.Privileges, e.Status = []string{cmp.Or(r.Topic, "unknown")}, ocsfSuccess
		switch {
		case r.Answer == vmhost.AnswerDeny:
			e.Status = ocsfFailure
		case r.Answer == vmhost.AnswerAllow, r.Event == EventFolder && r.Topic == FolderAdded:
			e.Activity = ocsfAssign
		}
	case EventTraffic, EventRequest:
		e.Activity, e.Class = ocsfTraffic, ocsfNetwork
		e.To, e.Traffic = &ocsfEndpoint{r.Host, r.Port}, &ocsfBytes{r.BytesOut, r.BytesIn, r.BytesOut + r.BytesIn}
		switch r.Answer { // of a request
		case vmhost.AnswerAllow:
			e.Status = ocsfSuccess
		case vmhost.AnswerDeny:
			e.Status = ocsfFailure
		}
	case EventBroken:
		e.Severity, e.Message = 4, "the audit log did not hold: "+r.Reason // high
	case EventRecovered, EventExpired:
		e.Message = string(r.Event)
	}
	e.Category, e.Type = e.Class/1000, e.Class*100+e.Activity
	if e.Class != ocsfBase { // actor and device are of the profile "host", which that class has not
		e.Metadata.Profiles, e.Actor = []string{"host"}, &ocsfActor{App: cmp.Or(r.Client, r.Door, "piwork")}
		if r.By != "" {
			e.Actor.User = &ocsfNamed{Name: r.By}
		}
	}
	if e.Class == ocsfProcess {
		e.Device = &ocsfDevice{Type: ocsfUnknown, Name: cmp.Or(r.Domain, "unknown")} // the end of an execution does not say
		switch vmhost.Domain(r.Domain) {
		case vmhost.DomainVM, vmhost.DomainContainer:
			e.Device.Type = ocsfVirtual
		}
	}
	return e
}
