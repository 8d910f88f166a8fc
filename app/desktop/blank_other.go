//go:build desktop && !e2e

package desktop

import "net/http"

func blankPage(next http.Handler) http.Handler { return next }
