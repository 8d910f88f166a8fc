package app

import (
	"context"

	"piwork/app/problem"
)

// Licences lists; see Service.
func (c *Controller) Licences(context.Context) (Licences, error) {
	return Licences{}, problem.New(problem.CodeUnsupported)
}
