package api

import (
	"context"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/paging"
	"piwork/app/audit"
	"piwork/app/upkeep"
)

// auditService has the log of what was executed.
type auditService interface {
	AuditVerify(context.Context) (audit.Report, error)
	AuditRecords(context.Context, audit.Filter) (audit.Page, error)
	ExportAudit(context.Context) (io.ReadCloser, error)
	AuditKeeping(context.Context) (upkeep.AuditSettings, error)
	SetAuditKeeping(context.Context, upkeep.AuditSettings) (upkeep.AuditSettings, error)
}

// AuditFilter is an audit.Filter as the query of a request.
type AuditFilter struct {
	Task    string      `query:"task" maxLength:"64" doc:"only of this task"`
	Client  string      `query:"client" maxLength:"128" doc:"only of this program with a token"`
	Request string      `query:"request" maxLength:"128" doc:"only of this request (X-Request-Id)"`
	Event   audit.Event `query:"event" enum:"begin,end,decision,folder,traffic,request,recovered,expired,broken" doc:"only of this kind"`
	About   string      `query:"about" maxLength:"8192" doc:"only about this path of a folder, path in a workroom, address of the web, or host"`
	Since   time.Time   `query:"since" doc:"only of this time or later"`
	Before  int64       `query:"before" minimum:"0" doc:"only with a smaller number: the cursor of the page before"`
	Limit   int         `query:"limit" minimum:"0" maximum:"1000" doc:"0 is 100"`
}

// auditRequest asks for a page of the log.
type auditRequest struct {
	AuditFilter
	address url.URL
}

// Resolve implements huma.Resolver.
func (r *auditRequest) Resolve(hc huma.Context) []error {
	r.address = hc.URL()
	return nil
}

// auditPage is a page of the log.
type auditPage struct {
	Next string `header:"Link" doc:"rel=next: where the next page is; absent at the end of the log"`
	Body audit.Page
}

var auditOperations = []operation{
	{"verifyAudit", "GET /v1/audit/verify", "Does the chain of the audit log hold?", "", get(Service.AuditVerify)},
	{"listAudit", "GET /v1/audit", "What was executed and decided, and what left this computer; the latest first",
		"Names of files and arguments are digests: `about` finds those of a path, an address or a host.",
		do(Service.AuditRecords, func(a *API, ctx context.Context, in *auditRequest) (*auditPage, error) {
			found, err := a.service.AuditRecords(ctx, audit.Filter(in.AuditFilter))
			if err != nil {
				return nil, err
			}
			out := &auditPage{Body: found}
			if found.Before > 0 {
				out.Next = paging.Link(in.address, "before", strconv.FormatInt(found.Before, 10))
			}
			return out, nil
		})},
	{"exportAudit", "GET /v1/audit/export", "The audit log as a file that can be verified elsewhere",
		"JSON lines: the signed head, then all records as they were written.",
		do(Service.ExportAudit, func(a *API, ctx context.Context, _ *none) (*huma.StreamResponse, error) {
			f, err := a.service.ExportAudit(ctx)
			if err != nil {
				return nil, err
			}
			return &huma.StreamResponse{Body: func(hc huma.Context) {
				_, w := humago.Unwrap(hc)
				download(a.log, w, f, "application/jsonl", "piwork-audit.jsonl")
			}}, nil
		}).answering("application/jsonl", "The file", binary)},
	{"getAuditKeeping", "GET /v1/settings/audit", "For how long are records of the audit log kept?", "", get(Service.AuditKeeping)},
	{"setAuditKeeping", "POST /v1/settings/audit", "Choose for how long they are kept", "Older ones go within a day. A program with a token cannot.", send(Service.SetAuditKeeping).needing(needPerson)},
}
