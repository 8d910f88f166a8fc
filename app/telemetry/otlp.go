package telemetry

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// resource is what sends: the program. Nothing of this computer, and nothing that the
// environment says of it.
func resource(version string) *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: attributes([]attribute.KeyValue{attribute.String("service.name", "piwork"), attribute.String("service.version", version)})}
}

var scope = &commonpb.InstrumentationScope{Name: "piwork"}

func attributes(all []attribute.KeyValue) (out []*commonpb.KeyValue) {
	for _, kv := range all {
		v := &commonpb.AnyValue{}
		switch kv.Value.Type() {
		case attribute.INT64:
			v.Value = &commonpb.AnyValue_IntValue{IntValue: kv.Value.AsInt64()}
		default: // there are no others here
			v.Value = &commonpb.AnyValue_StringValue{StringValue: kv.Value.String()}
		}
		out = append(out, &commonpb.KeyValue{Key: string(kv.Key), Value: v})
	}
	return out
}

func nano(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano()) //nolint:gosec // after 1970
}

// tracesOf are spans as a message.
func tracesOf(version string, spans []sdktrace.ReadOnlySpan) *tracepb.TracesData {
	list := make([]*tracepb.Span, 0, len(spans))
	for _, s := range spans {
		trace, own, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
		p := &tracepb.Span{
			TraceId: trace[:], SpanId: own[:], Name: s.Name(), Kind: tracepb.Span_SpanKind(s.SpanKind()), //nolint:gosec // as in both
			StartTimeUnixNano: nano(s.StartTime()), EndTimeUnixNano: nano(s.EndTime()), Attributes: attributes(s.Attributes()),
		}
		if s.Parent().SpanID().IsValid() {
			p.ParentSpanId = parent[:]
		}
		for _, e := range s.Events() {
			p.Events = append(p.Events, &tracepb.Span_Event{TimeUnixNano: nano(e.Time), Name: e.Name, Attributes: attributes(e.Attributes)})
		}
		if s.Status().Code == codes.Error {
			p.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
		}
		list = append(list, p)
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: resource(version), ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope, Spans: list}},
	}}}
}

// metricsOf are metrics as a message. All are sums since the program began.
func metricsOf(version string, all metricdata.ResourceMetrics) *metricspb.MetricsData {
	var list []*metricspb.Metric
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			p := &metricspb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				p.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{
					DataPoints: numbers(d.DataPoints), IsMonotonic: true, AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
				}}
			case metricdata.Gauge[int64]:
				p.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: numbers(d.DataPoints)}}
			case metricdata.Histogram[float64]:
				h := &metricspb.Histogram{AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
				for _, at := range d.DataPoints {
					h.DataPoints = append(h.DataPoints, &metricspb.HistogramDataPoint{
						Attributes: attributes(at.Attributes.ToSlice()), StartTimeUnixNano: nano(at.StartTime), TimeUnixNano: nano(at.Time),
						Count: at.Count, Sum: &at.Sum, BucketCounts: at.BucketCounts, ExplicitBounds: at.Bounds,
					})
				}
				p.Data = &metricspb.Metric_Histogram{Histogram: h}
			}
			list = append(list, p)
		}
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: resource(version), ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: scope, Metrics: list}},
	}}}
}

func numbers(points []metricdata.DataPoint[int64]) (out []*metricspb.NumberDataPoint) {
	for _, at := range points {
		out = append(out, &metricspb.NumberDataPoint{
			Attributes: attributes(at.Attributes.ToSlice()), StartTimeUnixNano: nano(at.StartTime), TimeUnixNano: nano(at.Time),
			Value: &metricspb.NumberDataPoint_AsInt{AsInt: at.Value},
		})
	}
	return out
}
