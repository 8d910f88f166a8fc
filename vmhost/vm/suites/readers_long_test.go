//go:build long && linux

package suites_test

import (
	"maps"
	"testing"
)

func TestReaders(t *testing.T) {
	for name, tt := range map[string]struct {
		read func(string, outcomes)
		out  string
		want outcomes
	}{
		"codes": {byCode, "x\nRESULT a b 0\nRESULT c 77\nRESULT d 1\n", outcomes{"a b": passed, "c": skipped, "d": failed}},
		"Go":    {byGo, "--- PASS: TestA (0.00s)\n    --- FAIL: TestA/b (1.20s)\n    --- SKIP: TestA/c (0.00s)\n", outcomes{"TestA": passed, "TestA/b": failed, "TestA/c": skipped}},
		"nfstest": {byNFSTest, "    PASS: open - a file (3 passed, 0 failed)\n    FAIL: open - a mode (138 passed, 374 failed)\n    PASS: seekdir - right at offset = 5846766129195461039\n    PASS: close\n    FAIL: close\n    IGNR: x\n",
			outcomes{"open - a file": passed, "open - a mode": failed, "seekdir - right": passed, "close": failed, "x": skipped}},
		"JUnit": {byJUnit, "Running\n1 test failed\n" + `<testsuites tests="3"><testsuite><testcase name="a" status="run" result="completed"/><testcase name="b"><failure/></testcase><testcase name="c"><skipped/></testcase><testcase name="d"><error/></testcase></testsuite></testsuites>`,
			outcomes{"a": passed, "b": failed, "c": skipped, "d": failed}},
		"no JUnit":  {byJUnit, "Killed\n", outcomes{"the report: XML syntax error on line 1: unexpected EOF": failed}},
		"stress-ng": {byStressNG, "stress-ng: info:  [12] skipped: 1: binderfs (1)\nstress-ng: info:  [12] passed: 2: dir (1) dup (1)\nstress-ng: info:  [12] failed: 1: link (1)\n", outcomes{"binderfs": skipped, "dir": passed, "dup": passed, "link": failed}},
	} {
		found := outcomes{}
		if tt.read(tt.out, found); !maps.Equal(found, tt.want) {
			t.Errorf("%s: %v, want %v", name, found, tt.want)
		}
	}
}
