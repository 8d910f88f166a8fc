package execution

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/audit"
	"piwork/vmhost/traffic"
)

// recorded lists what the log says of hosts: bytes out, each record one number.
func recorded(t *testing.T, log *audit.Log) (out []int64) {
	t.Helper()
	page, err := log.Records(t.Context(), audit.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.Records {
		if r.Event == audit.EventTraffic {
			out = append(out, r.BytesOut)
		}
	}
	return out
}

// What went is recorded while the task goes on: a program that is killed misses minutes of it, and not
// days.
func TestTrafficIsRecordedMeanwhile(t *testing.T) {
	log := testLog(t)
	synctest.Test(t, func(t *testing.T) {
		var c traffic.Counter
		end := Execution{Task: "t"}.Follow(log, audit.PurposeNetwork, c.Take)
		host := c.Host("a.example", 443)
		host.Add(5, 0, 1)
		time.Sleep(recordEvery + time.Second)
		synctest.Wait()
		if got := recorded(t, log); !slices.Equal(got, []int64{5}) {
			t.Errorf("meanwhile: %v", got)
		}
		host.Add(7, 0, 1)
		if err := end(); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(recorded(t, log)); got != "[5 7]" && got != "[7 5]" {
			t.Errorf("at the end: %v", got)
		}
	})
}

// What could not be recorded is recorded later, with what comes then.
func TestTrafficThatCouldNotBeRecorded(t *testing.T) {
	closed, log := testLog(t), testLog(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	var left traffic.Counter
	x := Execution{Task: "t"}
	if err := x.traffic(closed, audit.PurposeNetwork, &left, []traffic.Total{{Host: "a.example", Port: 443, Out: 5, Times: 1}}); err == nil {
		t.Error("recorded in a closed log")
	}
	if err := x.traffic(log, audit.PurposeNetwork, &left, []traffic.Total{{Host: "a.example", Port: 443, Out: 7, Times: 1}}); err != nil {
		t.Error(err)
	}
	if got := recorded(t, log); !slices.Equal(got, []int64{12}) {
		t.Errorf("%v", got)
	}
}
