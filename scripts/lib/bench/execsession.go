package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"piwork/app/attach"
	"piwork/app/client"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

const (
	outputSize   = 1 << 30 // bytes of exec/session/output: what the start of a program takes is little beside that
	manySessions = 200
	manyRounds   = 64
	manyWords    = 4000 // of a round, as streamScript has it: some 50 KB. A session writes five times what is kept of it
)

// keptOpen has a task of a kind stay open for sessions while do runs.
func (p *apiRoom) keptOpen(cl *client.Client, kind string, do func(id string)) {
	made := must(cl.StartTask(p.ctx, tasks.StartRequest{Kind: task.KindExec, Detached: true, MachineChoice: tasks.MachineChoice{Runtime: kind}, StreamsRequest: tasks.StreamsRequest{Open: true}}))
	holder := must(cl.CreateSession(p.ctx, made.ID, sessions.Request{})) // the end of the last one is that of the task
	defer p.end(func() error {
		_, err := cl.CloseSession(p.ctx, holder.ID)
		return err
	})
	do(made.ID)
}

// session has a program run in an open task while do talks to it.
func (p *apiRoom) session(cl *client.Client, id string, r sessions.Request, do func(attach.Conn)) {
	s := must(cl.CreateSession(p.ctx, id, r))
	defer p.end(func() error {
		_, err := cl.CloseSession(p.ctx, s.ID)
		return err
	})
	c := must(cl.AttachSession(p.ctx, s.ID, sessions.AttachRequest{Write: true}))
	defer c.Close()
	do(c)
}

// sessionOutput measures how fast what a program writes arrives at a client of its session,
// beside the same program on a pipe.
func (p *apiRoom) sessionOutput(cl *client.Client) {
	argv := []string{"head", "-c", strconv.Itoa(outputSize), "/dev/zero"}
	bare := p.bubblewrap(cl, argv...)
	perSecond := func(n int64, took time.Duration) float64 { return float64(n) / (1 << 20) / took.Seconds() }
	p.keptOpen(cl, vmhost.KindSandbox, func(id string) {
		x, y := inTurn(p.runs, func() (rate float64) {
			began := time.Now()
			p.session(cl, id, sessions.Request{Argv: argv, KeepKB: 8192}, func(c attach.Conn) {
				var got, skipped int64
				for {
					piece, err := c.Read(p.ctx)
					if errors.Is(err, io.EOF) {
						break
					}
					check(err)
					got, skipped = got+int64(len(piece.Data)), skipped+piece.Skipped
				}
				if got+skipped != outputSize {
					failf("%d bytes came and %d were skipped", got, skipped)
				}
				rate = perSecond(got, time.Since(began)) // what is skipped has not arrived
				if skipped > 0 {
					fmt.Fprintf(os.Stderr, "%d %% were skipped\n", skipped*100/outputSize)
				}
			})
			return rate
		}, func() float64 {
			began := time.Now()
			cmd := exec.CommandContext(p.ctx, bare[0], bare[1:]...)
			out := must(cmd.StdoutPipe())
			check(cmd.Start())
			buf, got := make([]byte, 64<<10), int64(0)
			for n, err := out.Read(buf); err == nil; n, err = out.Read(buf) {
				got += int64(n)
			}
			check(cmd.Wait())
			if got != outputSize {
				failf("%d bytes came", got)
			}
			return perSecond(got, time.Since(began))
		})
		p.add(row{
			Name: "exec/session/output", Unit: "MiB/s", Ours: median(x), ComparatorName: "a pipe from " + commandText(bare, p.dir), Comparator: median(y),
			Better: "higher", Runs: p.runs,
		})
	})
}

// streamer is one of many programs, which answers each line with some 50 KB that only it
// writes.
type streamer struct {
	body string
	send func(line string)
	take func(into []byte) // as much as fits
}

// streamScript is what a streamer runs: no program is started after its beginning.
const streamScript = `printf -v x "$0 %.0s" {1..4000}; while read -r n; do printf '%s %s\n' "$n" "$x"; done`

// streamWord is what the streamer of a number says.
func streamWord(i int) string { return fmt.Sprintf("session-%d", i) }

// rounds has all of them stream at once and returns how long that took. Whatever is lost, or
// of another one, ends the bench.
func rounds(all []*streamer) time.Duration {
	fails := make(chan error, len(all))
	return timed(func() {
		var work sync.WaitGroup
		for i, s := range all {
			work.Go(func() {
				fails <- try(func() {
					var got []byte
					for n := range manyRounds {
						want := strconv.Itoa(n) + " " + s.body + "\n"
						s.send(strconv.Itoa(n) + "\n")
						if len(got) != len(want) {
							got = make([]byte, len(want))
						}
						if s.take(got); string(got) != want {
							failf("session %d, round %d: %.80q, want %.80q", i, n, got, want)
						}
					}
				})
			})
		}
		work.Wait()
		for range all {
			check(<-fails)
		}
	})
}

// manySessions measures many sessions that stream at once beside as many pipes, and what the
// controller takes for them.
func (p *apiRoom) manySessions(cl *client.Client, controller int) {
	bare := p.bubblewrap(cl, "bash", "-c", streamScript)
	// Unpacking the runtime took more: the peak is from here on (proc_pid_clear_refs(5)).
	check(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", controller), []byte("5"), 0))
	before := peakOf(controller)
	var size int
	all := func(start func(i int, s *streamer) (end func())) time.Duration {
		streamers := make([]*streamer, manySessions)
		for i := range streamers {
			streamers[i] = &streamer{body: strings.Repeat(streamWord(i)+" ", manyWords)}
			defer start(i, streamers[i])()
			size += len(streamers[i].body) * manyRounds
		}
		return rounds(streamers)
	}
	p.keptOpen(cl, vmhost.KindSandbox, func(id string) {
		runs := min(p.runs, 3)
		ours, theirs := inTurn(runs, func() time.Duration {
			return all(func(i int, s *streamer) func() {
				made := must(cl.CreateSession(p.ctx, id, sessions.Request{Argv: []string{"bash", "-c", streamScript, streamWord(i)}}))
				c := must(cl.AttachSession(p.ctx, made.ID, sessions.AttachRequest{Write: true}))
				var left []byte
				s.send = func(line string) { check(c.Write(p.ctx, []byte(line))) }
				s.take = func(into []byte) {
					for n := 0; n < len(into); {
						if len(left) == 0 {
							piece := must(c.Read(p.ctx))
							if left = piece.Data; piece.Skipped > 0 {
								failf("%d bytes are lost", piece.Skipped)
							}
						}
						m := copy(into[n:], left)
						n, left = n+m, left[m:]
					}
				}
				return func() {
					p.end(func() error {
						_, err := cl.CloseSession(p.ctx, made.ID)
						return errors.Join(c.Close(), err)
					})
				}
			})
		}, func() time.Duration {
			return all(func(i int, s *streamer) func() {
				cmd := exec.CommandContext(p.ctx, bare[0], append(bare[1:len(bare):len(bare)], streamWord(i))...)
				in, out := must(cmd.StdinPipe()), must(cmd.StdoutPipe())
				check(cmd.Start())
				s.send = func(line string) { must(io.WriteString(in, line)) }
				s.take = func(into []byte) { must(io.ReadFull(out, into)) }
				return func() { p.end(func() error { return errors.Join(in.Close(), cmd.Wait()) }) }
			})
		})
		p.rates("exec/session/many/output", fmt.Sprintf("%d pipes, each from %s", manySessions, commandText(bare, p.dir)), "MiB/s",
			float64(size)/float64(2*runs)/(1<<20), ours, theirs)
	})
	p.add(row{Name: "exec/session/many/peak-memory", Unit: "MiB", Ours: peakOf(controller), ComparatorName: "the same process before", Comparator: before, Runs: 1})
}

// peakOf is the most memory that a process has had so far, in MiB (proc(5), VmHWM).
func peakOf(pid int) float64 {
	for line := range bytes.Lines(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmHWM:" {
			return must(strconv.ParseFloat(string(f[1]), 64)) / 1024
		}
	}
	failf("the process %d does not say its memory", pid)
	return 0
}
