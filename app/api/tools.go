package api

import (
	"context"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/toolroute"
	"piwork/pack/tools"
)

var toolOperations = []operation{
	{"listTools", "GET " + toolroute.Path, "The operations on files", "Each is run by POST /v1/tools/{name}. params is the JSON schema of its parameters.",
		call(nil, func(*API, context.Context, *none) ([]tools.Description, error) { return tools.Catalogue(), nil })},
}

// admitTool lets in who may do operations. Files of a form are never in memory.
func (a *API) admitTool() func(huma.Context, func(huma.Context)) {
	admit, count := admitClient(a, needTools), a.countBody(toolroute.MaxCall, false)
	return func(hc huma.Context, next func(huma.Context)) {
		admit(hc, func(hc huma.Context) {
			if kind, _, _ := mime.ParseMediaType(hc.Header("Content-Type")); kind == "multipart/form-data" {
				next(hc)
				return
			}
			count(hc, next)
		})
	}
}

// toolRoutes has a route for every operation of the catalogue.
func toolRoutes() []route {
	var out []route
	for _, name := range tools.Names() {
		out = append(out, route{
			pattern: http.MethodPost + " " + toolroute.Path + "/" + name, kind: routeChange, waits: true, requests: toolroute.Requests(name), problems: toolProblems,
			register: func(a *API, h huma.API) { a.tools.Register(h, name, a.admitTool()) },
		})
	}
	return out
}
