package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/telemetry"
)

// telemetryService counts what happens, and sends it where the person says.
type telemetryService interface {
	Metrics(context.Context) ([]byte, error)
	TelemetrySettings(context.Context) (telemetry.Settings, error)
	SetTelemetry(context.Context, telemetry.Settings) (telemetry.Settings, error)
	EndCommand(context.Context, telemetry.Command) (telemetry.Command, error)
}

// metricsText is in the text format of Prometheus.
type metricsText struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// What stands here is about the whole computer, and the person's: a token needs manage.
var telemetryOperations = []operation{
	{"getMetrics", "GET " + metricsPath, "How often things happened, and how long they took, for Prometheus",
		"Counted since the process began, on this computer, also where nothing is sent. Names and contents are in none of it.",
		do(Service.Metrics, func(a *API, ctx context.Context, _ *none) (*metricsText, error) {
			data, err := a.service.Metrics(ctx)
			return &metricsText{telemetry.MetricsType, data}, err
		}).answering("text/plain", "The metrics", &huma.Schema{Type: huma.TypeString})},
	{"getTelemetry", "GET /v1/settings/telemetry", "Where are traces and metrics sent?", "", get(Service.TelemetrySettings)},
	{"setTelemetry", "PUT /v1/settings/telemetry", "Choose where traces and metrics are sent, or nowhere", "It counts at once. A program with a token cannot.", send(Service.SetTelemetry).needing(needPerson)},
	{"endCommand", "POST /v1/telemetry/command", "Say that a command of the command line is over, for its trace", "", send(Service.EndCommand).needing(needPerson)},
}
