package upkeep

import (
	"context"
	"io"
	"strconv"

	"piwork/app/audit"
	"piwork/app/problem"
)

// AuditSettings say for how long records of the audit log are kept.
type AuditSettings struct {
	Days int `json:"days"` // 0 is for ever, as far as the log's size allows
}

// AuditVerify follows the chain of the audit log.
func (u *Upkeep) AuditVerify(context.Context) (audit.Report, error) { return u.o.Audit.Verify() }

// AuditRecords finds records of the audit log.
func (u *Upkeep) AuditRecords(ctx context.Context, f audit.Filter) (audit.Page, error) {
	return u.o.Audit.Records(ctx, f)
}

// ExportAudit returns the audit log as a file that can be verified elsewhere.
func (u *Upkeep) ExportAudit(context.Context) (io.ReadCloser, error) { return u.o.Audit.Export() }

// AuditKeeping says for how long records are kept.
func (u *Upkeep) AuditKeeping(context.Context) (AuditSettings, error) {
	return u.o.AuditChoice.Get(), nil
}

// SetAuditKeeping saves for how long records are kept. Older ones go within a day.
func (u *Upkeep) SetAuditKeeping(ctx context.Context, s AuditSettings) (AuditSettings, error) {
	if s.Days < 0 || s.Days > audit.MaxDays {
		return AuditSettings{}, problem.BadRequest("days", "%d is not between 0 and %d", s.Days, audit.MaxDays)
	}
	ctx, done, err := u.o.Registry.Use(ctx)
	if err != nil {
		return AuditSettings{}, err
	}
	defer done()
	if err := u.o.Audit.Decide(ctx, "", audit.Decision{Topic: "audit-days", Answer: strconv.Itoa(s.Days)}); err != nil {
		return AuditSettings{}, err
	}
	err = u.o.AuditChoice.Update(func(now *AuditSettings) error { *now = s; return nil })
	if err != nil {
		return AuditSettings{}, problem.From(err)
	}
	return s, nil
}
