package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"piwork/app/problem"
)

// MetricsType is the media type of [Telemetry.Metrics].
const MetricsType = "text/plain; version=0.0.4; charset=utf-8"

// Metrics are the metrics in the text format of Prometheus, also where nothing is sent.
func (t *Telemetry) Metrics(ctx context.Context) ([]byte, error) {
	var all metricdata.ResourceMetrics
	if err := t.reader.Collect(ctx, &all); err != nil {
		return nil, problem.From(fmt.Errorf("read the metrics: %w", err))
	}
	var out bytes.Buffer
	for _, scope := range all.ScopeMetrics {
		slices.SortFunc(scope.Metrics, func(a, b metricdata.Metrics) int { return strings.Compare(a.Name, b.Name) })
		for _, m := range scope.Metrics {
			expose(&out, m)
		}
	}
	return out.Bytes(), nil
}

// expose writes one metric.
func expose(out *bytes.Buffer, m metricdata.Metrics) {
	name := strings.ReplaceAll(m.Name, ".", "_")
	head := func(kind string) { fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, m.Description, name, kind) }
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		name += "_total"
		head("counter")
		for _, p := range d.DataPoints {
			sample(out, name, p.Attributes, "", p.Value)
		}
	case metricdata.Gauge[int64]:
		head("gauge")
		for _, p := range d.DataPoints {
			sample(out, name, p.Attributes, "", p.Value)
		}
	case metricdata.Histogram[float64]:
		name += "_seconds"
		head("histogram")
		for _, p := range d.DataPoints {
			sum := uint64(0)
			for i, n := range p.BucketCounts {
				sum += n
				bound := "+Inf"
				if i < len(p.Bounds) {
					bound = strconv.FormatFloat(p.Bounds[i], 'g', -1, 64)
				}
				sample(out, name+"_bucket", p.Attributes, bound, sum)
			}
			sample(out, name+"_sum", p.Attributes, "", strconv.FormatFloat(p.Sum, 'g', -1, 64))
			sample(out, name+"_count", p.Attributes, "", p.Count)
		}
	}
}

// sample writes a line; bound is that of a bucket, "" elsewhere.
func sample(out *bytes.Buffer, name string, labels attribute.Set, bound string, value any) {
	var all []string
	for _, kv := range labels.ToSlice() {
		all = append(all, strings.ReplaceAll(string(kv.Key), ".", "_")+"="+quoted(kv.Value.String()))
	}
	if bound != "" {
		all = append(all, "le="+quoted(bound))
	}
	out.WriteString(name)
	if len(all) > 0 {
		out.WriteString("{" + strings.Join(all, ",") + "}")
	}
	fmt.Fprintf(out, " %v\n", value)
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func quoted(s string) string { return `"` + escapes.Replace(s) + `"` }
