package app

import (
	"context"

	"piwork/app/problem"
)

// Diagnostics gathers; see Service.
func (c *Controller) Diagnostics(context.Context) (Diagnostics, error) {
	return Diagnostics{}, problem.New(problem.CodeUnsupported)
}

// WriteDiagnostics writes; see Service.
func (c *Controller) WriteDiagnostics(context.Context, DiagnosticsRequest) (DiagnosticsFile, error) {
	return DiagnosticsFile{}, problem.New(problem.CodeUnsupported)
}

// Licences lists; see Service.
func (c *Controller) Licences(context.Context) (Licences, error) {
	return Licences{}, problem.New(problem.CodeUnsupported)
}
