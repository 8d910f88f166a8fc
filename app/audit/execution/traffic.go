package execution

import (
	"errors"
	"fmt"
	"time"

	"piwork/app/audit"
	"piwork/vmhost/traffic"
)

// recordEvery is how often [Execution.Follow] makes records: of so long they miss what went, when the
// program is killed.
const recordEvery = 5 * time.Minute

// Traffic records what went to hosts and came from them. x needs no ID.
func (x Execution) Traffic(log *audit.Log, purpose string, totals []traffic.Total) error {
	var c traffic.Counter
	return x.traffic(log, purpose, &c, totals)
}

// Follow records again and again what take lists, until end, which records the rest. What could not be
// recorded is recorded later. x needs no ID.
func (x Execution) Follow(log *audit.Log, purpose string, take func() []traffic.Total) (end func() error) {
	var left traffic.Counter
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		t := time.NewTicker(recordEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				_ = x.traffic(log, purpose, &left, take()) // the end says it
			case <-stop:
				return
			}
		}
	}()
	return func() error {
		close(stop)
		<-over
		return x.traffic(log, purpose, &left, take())
	}
}

// traffic records totals and what is left from before. What it cannot record is left.
func (x Execution) traffic(log *audit.Log, purpose string, left *traffic.Counter, totals []traffic.Total) error {
	var errs []error
	for _, t := range totals {
		left.Host(t.Host, t.Port).Add(t.Out, t.In, t.Times)
	}
	for _, t := range left.Take() {
		r := x.record(audit.EventTraffic)
		r.Traffic = audit.Traffic{Host: t.Host, Port: t.Port, Purpose: purpose, BytesOut: t.Out, BytesIn: t.In, Times: t.Times}
		if err := log.Append(r); err != nil {
			left.Host(t.Host, t.Port).Add(t.Out, t.In, t.Times)
			errs = append(errs, fmt.Errorf("record what left this computer: %w", err))
		}
	}
	return errors.Join(errs...)
}
