// Package sdktest has streams that break, and what is heard of them: one table, which the tests of
// every SDK go through. [Serve] plays it over HTTP; rows with a program are played through its
// pipes, as `piwork serve --stdio` speaks. A request that is no stream is answered by the real API,
// over an invented controller.
//
// A test reads the table (GET /table), and for each row it opens the row's stream with a token of
// its own, "<number of the row>.<anything>". What it hears, and how that ends, is compared with the
// row, and so is what the server was asked with that token (GET /asked).
//
// A connection that breaks is one that is closed before its answer has its end (the last chunk, of
// HTTP/1.1). Where an answer has its end, the server ended the stream.
package sdktest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
)

// What a row has an SDK do.
const (
	Events  = "events"  // hear all events
	Agent   = "agent"   // hear what the agent of the task "x" says
	Watch   = "watch"   // hear what changes in "/x" of the task "x"
	Output  = "output"  // start a detached task, and read its output
	Request = "request" // ask for the task "none", which is no stream
)

// Row is a stream that breaks, and what an SDK makes of it.
type Row struct {
	Name     string   `json:"name"`
	Stream   string   `json:"stream"`
	Program  string   `json:"program"`  // with which it is played, "" over HTTP
	Language string   `json:"language"` // of the client, "" where it says none
	Heard    []int64  `json:"heard"`    // seq of each event, 0 of those without an id; of a watch how many came by then
	Output   string   `json:"output"`   // of the task
	Asked    []string `json:"asked"`    // Last-Event-ID of each request that was made, over HTTP

	// How it ends: with these, or well where all of them are empty.
	Status int    `json:"status"`
	Code   string `json:"code"`
	Error  string `json:"error"` // is in the error

	answers []reply
	script  string // of the program
}

// reply is how the server answers a request.
type reply struct {
	body   string
	cut    bool   // the connection breaks behind it
	mute   bool   // likewise, without any answer
	stands bool   // it has no end
	no     int    // a status, in place of a stream
	code   string // of the problem
	later  string // Retry-After
}

// said writes what a message of a stream carries.
func said(v any) string {
	var b bytes.Buffer
	if err := answer.WriteJSON(&b, v); err != nil {
		return err.Error() // which no SDK takes for an event
	}
	return strings.TrimSpace(b.String())
}

// message is an event as it is sent. Those of a task are of the one that was started.
func message(seq int64, kind task.EventKind, data any) string {
	e := said(task.Event{V: task.RecordVersion, Seq: seq, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Task: "{task}", Kind: kind, Data: data})
	if seq == 0 {
		return "data: " + e + "\n\n"
	}
	return fmt.Sprintf("id: %d\ndata: %s\n\n", seq, e)
}

func step(seq int64) string { return message(seq, task.EventStep, task.StepData{Step: "boot"}) }

func steps(seq ...int64) (s string) {
	for _, n := range seq {
		s += step(n)
	}
	return s
}

func output(part int64, text string) string {
	return message(0, task.EventOutput, task.OutputData{Stream: "stdout", Part: part, Data: []byte(text)})
}

func state(seq int64, s task.State) string {
	return message(seq, task.EventState, task.StateData{State: s})
}

func line(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func numbered(n int64, name, data string) string {
	return fmt.Sprintf("id: %d\n", n) + line(name, data)
}

// spoken is what the agent says, as a line of its record with a number, or as one that is not kept.
func spoken(n int64, data string) string {
	if n == 0 {
		return line(api.AgentEvent, data)
	}
	return numbered(n, api.AgentEvent, data)
}

// half is the first half of a message.
func half(s string) string { return s[:len(s)/2] }

// refusal is an answer that is no stream.
func refusal(status int, code, later string) reply {
	return reply{no: status, code: code, later: later}
}

// table has the rows, without where programs are.
func table() []Row {
	broken := func(s string) reply { return reply{body: s, cut: true} }
	whole := func(s string) reply { return reply{body: s} }
	return []Row{
		{Name: "broken between events", Stream: Events, Heard: []int64{1, 2, 3}, Asked: []string{"", "2"},
			answers: []reply{broken(steps(1, 2)), whole(step(3))}},
		{Name: "broken in the middle of an event", Stream: Events, Heard: []int64{1, 2, 3}, Asked: []string{"", "1"},
			answers: []reply{broken(step(1) + half(step(2))), whole(steps(2, 3))}},
		{Name: "broken before the line that ends an event", Stream: Events, Heard: []int64{1, 2}, Asked: []string{"", "1"},
			answers: []reply{broken(step(1) + strings.TrimSuffix(step(2), "\n")), whole(step(2))}},
		{Name: "broken before the first event", Stream: Events, Heard: []int64{1}, Asked: []string{"", ""},
			answers: []reply{broken(half(step(1))), whole(step(1))}},
		{Name: "broken behind an event without an id", Stream: Events, Heard: []int64{1, 0, 2}, Asked: []string{"", "1"},
			answers: []reply{broken(step(1) + message(0, task.EventProgress, task.ProgressData{})), whole(step(2))}},
		{Name: "no answer, once", Stream: Events, Heard: []int64{1, 2}, Asked: []string{"", "1", "1"},
			answers: []reply{broken(step(1)), {mute: true}, whole(step(2))}},
		{Name: "503 with Retry-After, once", Stream: Events, Heard: []int64{1, 2}, Asked: []string{"", "1", "1"},
			answers: []reply{broken(step(1)), refusal(http.StatusServiceUnavailable, problem.CodeShuttingDown, "1"), whole(step(2))}},
		{Name: "a gateway that has nobody behind it, once", Stream: Events, Heard: []int64{1, 2}, Asked: []string{"", "1", "1"},
			answers: []reply{broken(step(1)), refusal(http.StatusBadGateway, "", ""), whole(step(2))}},
		{Name: "429 with Retry-After, twice", Stream: Events, Heard: []int64{1, 2}, Asked: []string{"", "", "1", "1"},
			answers: []reply{refusal(http.StatusTooManyRequests, answer.CodeTooManyStreams, "1"), broken(step(1)), refusal(http.StatusTooManyRequests, answer.CodeTooManyStreams, "1"), whole(step(2))}},
		{Name: "the server ends it", Stream: Events, Heard: []int64{1}, Asked: []string{""},
			answers: []reply{whole(":\n\n" + step(1))}},
		{Name: "the server ends it in the middle of an event", Stream: Events, Heard: []int64{1}, Asked: []string{""},
			answers: []reply{whole(step(1) + half(step(2)))}},
		{Name: "401 when it comes back", Stream: Events, Heard: []int64{1}, Asked: []string{"", "1"}, Status: http.StatusUnauthorized, Code: answer.CodeUnauthorized,
			answers: []reply{broken(step(1)), refusal(http.StatusUnauthorized, answer.CodeUnauthorized, "")}},
		{Name: "401 at once", Stream: Events, Asked: []string{""}, Status: http.StatusUnauthorized, Code: answer.CodeUnauthorized,
			answers: []reply{refusal(http.StatusUnauthorized, answer.CodeUnauthorized, "")}},
		{Name: "503 at once", Stream: Events, Asked: []string{""}, Status: http.StatusServiceUnavailable, Code: problem.CodeShuttingDown,
			answers: []reply{refusal(http.StatusServiceUnavailable, problem.CodeShuttingDown, "1")}},
		{Name: "what is not remembered any more", Stream: Events, Heard: []int64{100, 0, 5, 6, 7}, Asked: []string{"", "100", "6"},
			answers: []reply{broken(step(100)), broken(message(0, task.EventReset, struct{}{}) + steps(5, 6)), whole(step(7))}},
		{Name: "an event in between, and it is tried anew", Stream: Events, Heard: []int64{1, 2, 3}, Asked: []string{"", "1", "1", "1", "1", "2", "2", "2", "2"},
			answers: []reply{broken(step(1)), broken(""), broken(""), broken(""), broken(step(2)), broken(""), broken(""), broken(""), whole(step(3))}},
		{Name: "no event in between, until it is given up", Stream: Events, Heard: []int64{1}, Asked: []string{"", "1", "1", "1", "1", "1"}, Error: "does not answer",
			answers: []reply{broken(step(1)), broken(""), broken(half(step(2))), {mute: true}, broken(":\n\n"), broken("")}},
		{Name: "lines, to their end", Stream: Agent, Heard: []int64{1, 2}, Asked: []string{""},
			answers: []reply{whole(spoken(1, `{"seq":1}`) + spoken(2, `{"seq":2}`) + line(api.AgentOver, "{}"))}},
		{Name: "lines, broken behind a part of a message", Stream: Agent, Heard: []int64{4, 0, 5}, Asked: []string{"", "4"},
			answers: []reply{broken(spoken(4, `{"seq":4}`) + spoken(0, `{"seq":0}`) + half(spoken(5, `{"seq":5}`))), whole(spoken(5, `{"seq":5}`) + line(api.AgentOver, "{}"))}},
		{Name: "lines, broken behind parts of a message alone", Stream: Agent, Heard: []int64{0, 0, 5}, Asked: []string{"", "4"},
			answers: []reply{broken(numbered(4, api.AgentEvent, `{"seq":0}`) + numbered(4, api.AgentEvent, `{"seq":0}`)), whole(spoken(5, `{"seq":5}`) + line(api.AgentOver, "{}"))}},
		{Name: "lines, no answer at once", Stream: Agent, Asked: []string{""}, Error: "does not answer",
			answers: []reply{{mute: true}}},
		{Name: "lines, for a reader that is too slow", Stream: Agent, Heard: []int64{1, 2}, Asked: []string{"", "1"},
			answers: []reply{whole(spoken(1, `{"seq":1}`)), whole(spoken(2, `{"seq":2}`) + line(api.AgentOver, "{}"))}},
		{Name: "lines, of which one looks like an event", Stream: Agent, Heard: []int64{9, 3}, Asked: []string{"", "2"},
			answers: []reply{broken(spoken(2, `{"kind":"reset","seq":9}`)), whole(spoken(3, `{"seq":3}`) + line(api.AgentOver, "{}"))}},
		{Name: "no line in between, until it is given up", Stream: Agent, Heard: []int64{1}, Asked: []string{"", "1", "1", "1", "1", "1"}, Error: "does not answer",
			answers: []reply{broken(spoken(1, `{"seq":1}`)), whole(""), broken(""), {mute: true}, whole(""), broken("")}},
		{Name: "a watch, to its end", Stream: Watch, Heard: []int64{1, 2}, Asked: []string{""},
			answers: []reply{whole(numbered(1, api.FileChanged, "{}") + numbered(2, api.FileChanged, "{}") + line(api.FileOver, "{}"))}},
		{Name: "a watch, broken", Stream: Watch, Heard: []int64{1, 2}, Asked: []string{"", "1"},
			answers: []reply{broken(numbered(1, api.FileChanged, "{}") + half(numbered(2, api.FileChanged, "{}"))), whole(numbered(1, api.FileChanged, "{}") + line(api.FileOver, "{}"))}},
		{Name: "a watch that the server ends too early", Stream: Watch, Heard: []int64{1, 2}, Asked: []string{"", "1"},
			answers: []reply{whole(numbered(1, api.FileChanged, "{}")), whole(numbered(1, api.FileChanged, "{}") + line(api.FileOver, "{}"))}},
		{Name: "a watch, only ready in between, until it is given up", Stream: Watch, Heard: []int64{1, 2, 3, 4, 5, 6}, Asked: []string{"", "1", "1", "1", "1", "1"}, Error: "does not answer",
			answers: slices.Repeat([]reply{broken(numbered(1, api.FileChanged, `{"what":"ready"}`))}, 6)},
		{Name: "output, of which nothing is lost", Stream: Output, Output: "abc", Asked: []string{"", "1"},
			answers: []reply{broken(state(1, task.StateRunning) + output(1, "a") + output(2, "b")), whole(output(3, "c") + state(2, task.StateDone))}},
		{Name: "output, of which a piece is lost", Stream: Output, Asked: []string{"", "1"}, Error: "was lost",
			answers: []reply{broken(state(1, task.StateRunning) + output(1, "a") + half(output(2, "b"))), whole(output(3, "c") + state(2, task.StateDone))}},
		{Name: "a task that is not over when the server ends its stream", Stream: Output, Output: "ab", Asked: []string{"", "1"},
			answers: []reply{whole(state(1, task.StateRunning) + output(1, "a")), whole(output(2, "b") + state(2, task.StateDone))}},
		{Name: "a request that is refused", Stream: Request, Status: http.StatusNotFound, Code: problem.CodeNotFound, Error: title("en", problem.CodeNotFound)},
		{Name: "a request that is refused, in German", Stream: Request, Language: "de", Status: http.StatusNotFound, Code: problem.CodeNotFound, Error: title("de", problem.CodeNotFound)},
		{Name: "503 at once, in the first language that there is", Stream: Events, Language: "x-y, de-AT;q=0.5", Asked: []string{""}, Status: http.StatusServiceUnavailable, Code: problem.CodeShuttingDown, Error: title("de", problem.CodeShuttingDown),
			answers: []reply{refusal(http.StatusServiceUnavailable, problem.CodeShuttingDown, "1")}},
		{Name: "401 when it comes back, in German", Stream: Events, Language: "de", Heard: []int64{1}, Asked: []string{"", "1"}, Status: http.StatusUnauthorized, Code: answer.CodeUnauthorized, Error: title("de", answer.CodeUnauthorized),
			answers: []reply{broken(step(1)), refusal(http.StatusUnauthorized, answer.CodeUnauthorized, "")}},
		{Name: "pipes, and the process is gone", Stream: Events, Heard: []int64{1}, Error: "has ended",
			script: begun(1) + piped(1, 1)},
		{Name: "pipes, and the server ends it", Stream: Events, Heard: []int64{1},
			script: begun(1) + piped(1, 1) + say(`{"id":1,"end":true}`) + stays},
		{Name: "pipes, and what is behind the process breaks", Stream: Events, Heard: []int64{1, 2},
			script: begun(1) + piped(1, 1) + say(`{"id":1,"error":"the stream broke: unexpected EOF"}`) + resumed(2, 1) + piped(2, 2) + say(`{"id":2,"end":true}`) + stays},
		{Name: "pipes of an older program, which says no numbers", Stream: Events, Heard: []int64{1, 2},
			script: begun(1) + strings.Replace(piped(1, 1), `"number":1,`, "", 1) + say(`{"id":1,"error":"the stream broke: unexpected EOF"}`) + resumed(2, 1) + piped(2, 2) + say(`{"id":2,"end":true}`) + stays},
		{Name: "pipes, and the process is gone before it goes on", Stream: Events, Heard: []int64{1}, Error: "has ended",
			script: begun(1) + piped(1, 1) + say(`{"id":1,"error":"the stream broke: unexpected EOF"}`)},
		{Name: "pipes, lines, broken", Stream: Agent, Heard: []int64{4, 5},
			script: begun(1) + say(`{"id":1,"event":"agent.event","number":4,"body":{"seq":4}}`) + say(`{"id":1,"error":"the stream broke: unexpected EOF"}`) +
				resumed(2, 4) + say(`{"id":2,"event":"agent.event","number":5,"body":{"seq":5}}`) + say(`{"id":2,"event":"agent.over","body":{}}`) + say(`{"id":2,"end":true}`) + stays},
		{Name: "pipes, a watch, to its end", Stream: Watch, Heard: []int64{1},
			script: begun(1) + say(`{"id":1,"event":"file.change","number":1,"body":{}}`) + say(`{"id":1,"event":"file.over","body":{}}`) + say(`{"id":1,"end":true}`) + stays},
		{Name: "pipes, a request in German", Stream: Request, Language: "de", Status: http.StatusNotFound, Code: problem.CodeNotFound, Error: title("de", problem.CodeNotFound),
			script: "read -r asked\n" + carries("Accept-Language", "de") + say(`{"id":1,"status":404,"headers":{},"body":`+said(problemIn("de", http.StatusNotFound, problem.CodeNotFound))+`}`) + stays},
		{Name: "pipes, a stream in German, also when it goes on", Stream: Events, Language: "de", Heard: []int64{1, 2},
			script: "read -r asked\n" + carries("Accept-Language", "de") + stream(1) + piped(1, 1) + say(`{"id":1,"error":"the stream broke: unexpected EOF"}`) +
				"read -r asked\n" + carries("Accept-Language", "de") + carries("Last-Event-ID", "1") + stream(2) + piped(2, 2) + say(`{"id":2,"end":true}`) + stays},
	}
}

// problemIn is a problem in a language.
func problemIn(language string, status int, code string) *answer.Error {
	return answer.InWords(words.For(language), answer.Simple(status, code, ""))
}

// title is what the error of a problem has.
func title(language, code string) string { return problemIn(language, 0, code).Title }

// Parts of programs that speak as `piwork serve --stdio` does, in the language of sh.

const stays = "cat >/dev/null\n" // until its input ends

func say(line string) string { return "printf '%s\\n' '" + line + "'\n" }

// stream is that one stands.
func stream(id int) string {
	return say(fmt.Sprintf(`{"id":%d,"status":200,"headers":{},"stream":true}`, id))
}

// begun is a stream that was asked for.
func begun(id int) string { return "read -r asked\n" + stream(id) }

// resumed is one that goes on behind an event.
func resumed(id int, after int64) string {
	return "read -r asked\n" + carries("Last-Event-ID", fmt.Sprint(after)) + stream(id)
}

// carries ends the program where a request does not have a header.
func carries(name, value string) string {
	return fmt.Sprintf("case $asked in *'\"%s\":'*'\"%s\"'*) ;; *) exit 1 ;; esac\n", name, value)
}

func piped(id int, seq int64) string {
	data := strings.TrimPrefix(strings.TrimPrefix(step(seq), fmt.Sprintf("id: %d\n", seq)), "data: ")
	return say(fmt.Sprintf(`{"id":%d,"event":"message","number":%d,"body":%s}`, id, seq, strings.TrimSpace(data)))
}
