package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// instruments are all metrics. Their names in Prometheus have "_" for each dot, and end with
// their unit, and with _total where they only grow.
type instruments struct {
	requests, starts, waits, executions metric.Float64Histogram

	refused, tasks, pool, asked, tokens, lost_ metric.Int64Counter
}

// Bounds of histograms, in seconds.
var (
	short = []float64{0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}
	long  = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
)

// make makes the instruments, with their labels in brackets.
func (i *instruments) make(m metric.Meter, s Sources) error {
	errs := []error{figures(m, s)}
	counter := func(name, what string) metric.Int64Counter {
		c, err := m.Int64Counter("piwork."+name, metric.WithDescription(what))
		errs = append(errs, err)
		return c
	}
	seconds := func(name, what string, bounds []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram("piwork."+name, metric.WithDescription(what), metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(bounds...))
		errs = append(errs, err)
		return h
	}
	i.requests = seconds("api.request.duration", "Requests to the API but for streams [operation, status]", short)
	i.refused = counter("api.refused", "Requests that were refused before anything was done [reason]")
	i.tasks = counter("tasks", "Tasks that ended [kind, outcome]")
	i.waits = seconds("queue.wait", "Waiting for room on this computer [queue]", long)
	i.starts = seconds("start.duration", "Starts of the places of tasks [runtime, way, outcome]", long)
	i.pool = counter("pool", "Starts of virtual machines from what was prepared (hit), or from nothing (miss) [result]")
	i.executions = seconds("execution.duration", "Programs and operations in the places of tasks [runtime, action, operation, outcome]", long)
	i.asked = counter("gateway.requests", "Requests to models [gen_ai.provider.name, gen_ai.request.model, outcome]")
	i.tokens = counter("gateway.tokens", "Tokens of models [gen_ai.provider.name, gen_ai.request.model, gen_ai.token.type]")
	i.lost_ = counter("telemetry.lost", "Messages that the endpoint of telemetry did not take [signal]")
	return errors.Join(errs...)
}

// with are the attributes of a measurement.
func with(kv ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(kv...))
}

func (t *Telemetry) lost(signal string) {
	t.lost_.Add(context.Background(), 1, with(keySignal.String(signal)))
}

// Figures are read when somebody asks, by the value of the label that tells them apart.
type Figures func() map[string]int64

// Sources are the figures that rooms count themselves.
type Sources struct {
	Queue      Figures      // who waits, by queue
	ShareCalls Figures      // calls of machines to their folders, by class
	ShareBytes Figures      // bytes, by direction
	Journal    func() int64 // bytes that were written down to be undone
}

// figures are the instruments that are read when somebody asks; rooms that are not there have none.
func figures(m metric.Meter, s Sources) error {
	each := func(f Figures, key attribute.Key) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			if f != nil {
				for value, n := range f() {
					o.Observe(n, with(key.String(value)))
				}
			}
			return nil
		}
	}
	_, queue := m.Int64ObservableGauge("piwork.queue.length", metric.WithDescription("Tasks that wait for room on this computer [queue]"), metric.WithInt64Callback(each(s.Queue, keyQueue)))
	_, calls := m.Int64ObservableCounter("piwork.share.calls", metric.WithDescription("Calls of tasks to their folders [class]"), metric.WithInt64Callback(each(s.ShareCalls, keyClass)))
	_, size := m.Int64ObservableCounter("piwork.share.bytes", metric.WithDescription("Bytes that tasks read and wrote in their folders [direction]"), metric.WithInt64Callback(each(s.ShareBytes, keyDirection)))
	_, kept := m.Int64ObservableCounter("piwork.journal.bytes", metric.WithDescription("Bytes that journals were left with, so that changes can be undone"), metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		if s.Journal != nil {
			o.Observe(s.Journal())
		}
		return nil
	}))
	return errors.Join(queue, calls, size, kept)
}
