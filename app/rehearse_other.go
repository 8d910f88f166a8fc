//go:build !e2e

package app

import "piwork/app/setup"

// rehearsed is the identity: only builds with the tag e2e look at computers that
// are invented, whatever the environment says.
func rehearsed(o setup.Options) setup.Options { return o }
