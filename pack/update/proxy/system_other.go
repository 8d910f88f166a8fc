//go:build !linux && !darwin && !windows

package proxy

import "context"

func system(context.Context) (Settings, error) { return Settings{}, errNotSet }
