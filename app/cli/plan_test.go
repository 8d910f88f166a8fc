//go:build unix

package cli

import (
	"bytes"
	"io"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
)

// waiting is the task that waits, as soon as one does.
func (f *fake) waiting(t *testing.T) string {
	t.Helper()
	for {
		list, err := f.Tasks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 && list[0].State == task.StateWaiting {
			return list[0].ID
		}
		time.Sleep(time.Millisecond)
	}
}

// A question ends by itself when somebody answers it elsewhere, and nobody types anything here.
func TestQuestionAnsweredElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		args   []string
		asks   string
		answer func(t *testing.T, f *fake, id string) error
		says   string
	}{
		"a plan": {[]string{"run", "pictures-to-pdf", "--folder", "."}, "Carry out this plan?", func(t *testing.T, f *fake, id string) error {
			_, err := f.AcceptPlan(t.Context(), id)
			return err
		}, "The plan was accepted elsewhere"},
		"a plan that is cancelled": {[]string{"run", "pictures-to-pdf", "--folder", "."}, "Carry out this plan?", func(t *testing.T, f *fake, id string) error {
			_, err := f.CancelTask(t.Context(), id)
			return err
		}, ""},
		"a question": {[]string{"ask", "Tidy up", "--folder", ".:rw"}, "Allow it?", func(t *testing.T, f *fake, id string) error {
			_, err := f.Answer(t.Context(), id, "q1", consent.AnswerRequest{Answer: vmhost.AnswerAllow})
			return err
		}, "The question is closed"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := inBackground(t)
			if name == "a question" {
				f.Consent.Questions = []vmhost.Question{{ID: "q1", Kind: vmhost.AskCommand, Items: []string{}, Text: vmhost.Text{Code: "agent-command"}}}
			}
			p := newPerson(t)
			end := p.runs(f, tt.args...)
			p.reads(tt.asks)
			id := f.waiting(t)
			if err := tt.answer(t, f, id); err != nil {
				t.Fatal(err)
			}
			p.reads(tt.says)
			want := ExitDone
			if tt.says == "" {
				want = ExitFailed
			}
			if code := <-end; code != want {
				t.Errorf("exit %d, want %d", code, want)
			}
		})
	}
}

// slowly answers a question after do.
type slowly struct {
	text string
	do   func()
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.do != nil {
		s.do()
		s.do = nil
	}
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// An answer about a plan that came too late changes nothing: the task goes on.
func TestLateAnswerAboutAPlan(t *testing.T) {
	for _, typed := range []string{"y\n", "n\n", "\n"} {
		f, _ := inBackground(t)
		f.deaf = make(chan struct{})
		in := &slowly{text: typed, do: func() {
			if _, err := f.AcceptPlan(t.Context(), f.waiting(t)); err != nil {
				t.Error(err)
			}
			for list, _ := f.Tasks(t.Context()); list[0].State == task.StateWaiting; list, _ = f.Tasks(t.Context()) {
				time.Sleep(time.Millisecond)
			}
			time.AfterFunc(time.Second/2, func() { close(f.deaf) })
		}}
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"run", "pictures-to-pdf", "--folder", "."}, Options{Stdin: in, Stdout: &out, Stderr: &errs, Open: f.held, IsTerminal: func(any) bool { return true }})
		list, err := f.Tasks(t.Context())
		if err != nil || code != ExitDone || list[0].State != task.StateDone {
			t.Errorf("%q: exit %d, %+v, %v\n%s%s", typed, code, list, err, &out, &errs)
		}
	}
}

// Who attaches to a chore that waits with its plan is shown the plan and asked; a no leaves the
// task waiting, and says how to accept the plan.
func TestAttachToAPlan(t *testing.T) {
	for _, typed := range []string{"y\r", "n\r"} {
		f, _ := inBackground(t)
		if _, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []task.FolderRequest{{Path: "/home/me/Trip"}}}); err != nil {
			t.Fatal(err)
		}
		id := f.waiting(t)
		p := newPerson(t)
		end := p.runs(f, "task", "attach", id)
		p.reads("Carry out this plan?")
		p.types(typed)
		if typed == "n\r" {
			p.reads("piwork task accept " + words.ShortID(id))
			if _, err := f.AcceptPlan(t.Context(), id); err != nil { // as somebody does later
				t.Fatal(err)
			}
		}
		if code := <-end; code != ExitDone {
			t.Errorf("%q: exit %d", typed, code)
		}
	}
}
