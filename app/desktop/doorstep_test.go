package desktop

import (
	"testing"

	"piwork/app/task"
)

func TestDoorstep(t *testing.T) {
	var heard []int64
	d := doorstep{emit: func(e task.Event) { heard = append(heard, e.Seq) }}
	for i := range int64(mostKept + 2) {
		d.tell(task.Event{Seq: i})
	}
	if len(heard) != 0 {
		t.Fatalf("nobody is there, and heard %d", len(heard))
	}
	d.isThere()
	d.isThere()
	d.tell(task.Event{Seq: 5000})
	if len(heard) != mostKept+1 || heard[0] != 2 || heard[mostKept-1] != mostKept+1 || heard[mostKept] != 5000 {
		t.Errorf("heard %d, from %d to %d", len(heard), heard[0], heard[len(heard)-1])
	}
}
