package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/answer"
	"piwork/app/problem"
)

// every are the codes of problems that each operation may answer with, beside its own
// (handler.failing): of what asks and where, of the program as a whole, and what
// nobody foresaw.
var every = []string{
	answer.CodeForbidden, answer.CodeIdempotency, answer.CodeNoWindow, answer.CodeTooLarge, answer.CodeTooManyConnections, answer.CodeTooManyRequests,
	answer.CodeTooManyStreams, answer.CodeUnauthorized, problem.CodeAuditFailed, problem.CodeBadRequest, problem.CodeCancelled,
	problem.CodeChanged, problem.CodeDiskFull,
	problem.CodeMoving, problem.CodeNotFound, problem.CodeOutputDenied, problem.CodePermission, problem.CodePlaceGone,
	problem.CodeSettingsChanged, problem.CodeShuttingDown, problem.CodeTokenScope, problem.CodeUnknown,
}

// Problems that several operations have in common.
var (
	// ofPlace are those of making a place to work in, for a task of its own.
	ofPlace = []string{
		problem.CodeAccelUnavailable, problem.CodeBootFailed, problem.CodeDenied, problem.CodeFolderRefused, problem.CodeFolderSilent,
		problem.CodeKeyRevoked, problem.CodeNoRoom, problem.CodeNotChecked, problem.CodeNotFound, problem.CodePackCorrupt,
		problem.CodePackMissing, problem.CodePackTooNew, problem.CodeRuleDenied, problem.CodeRuntimeUnfit, problem.CodeShareFailed,
		problem.CodeTimeout, problem.CodeUnsupported, problem.CodeVMFailed,
	}
	// ofWork are those of work in the place of a task that is there.
	ofWork = []string{
		problem.CodePackCorrupt, problem.CodeRuntimeUnfit, problem.CodeShareFailed, problem.CodeStartFailed, problem.CodeUnsupported, problem.CodeVMFailed,
	}
	// ofChanges are those of what a task changed.
	ofChanges = []string{
		problem.CodeFolderRefused, problem.CodeFolderSilent, problem.CodeNotFound, problem.CodeRecordDamaged, problem.CodeTaskRunning,
	}
	// ofRecord are those of the record of a task.
	ofRecord = []string{
		problem.CodeNotFound, problem.CodeRecordDamaged,
	}
	// ofFolder are those of a folder that is named.
	ofFolder = []string{
		problem.CodeFolderRefused, problem.CodeFolderSilent,
	}
	// ofFile are those of a file of a task, by its path.
	ofFile = []string{
		problem.CodeFileKind, problem.CodeFileMissing, problem.CodeFileOutside,
	}
	// ofKeys are those of where keys are kept.
	ofKeys = []string{
		problem.CodeKeychain, problem.CodeKeysLocked,
	}
)

// toolProblems are those of an operation on files, which answers with what became of its task.
var toolProblems = slices.Concat(ofPlace, []string{
	problem.CodeAddOnMissing, problem.CodeExitStatus, problem.CodeFolderGone, problem.CodeFolderOverlap, problem.CodeInputMissing,
	problem.CodeInputOnline, problem.CodeInputTooLarge, problem.CodeInputUnreadable, problem.CodeInputUnsupported,
	problem.CodeNothingLeft, problem.CodeOutOfMemory, problem.CodeOutputExists, problem.CodeOutputLimit, problem.CodeStartFailed,
	problem.CodeTokenFolder, problem.CodeToolFailed,
})

// problemsExtension has the codes in the document: of an operation its own, of the document
// those of each.
const problemsExtension = "x-problems"

// failing names the problems of its own that an operation may answer with.
func (h handler) failing(codes ...string) handler {
	h.problems = append(slices.Clip(h.problems), codes...)
	return h
}

// foresees reports whether an operation with problems of its own may answer with a code.
func foresees(own []string, code string) bool {
	return slices.Contains(own, code) || slices.Contains(every, code)
}

// unforeseen is logged of a problem that its operation does not name.
const unforeseen = "api: a problem that is not in the table"

// own are the problems of an operation of huma.
func own(o *huma.Operation) []string {
	codes, _ := o.Metadata[problemsExtension].([]string)
	return codes
}

// tellProblems says of an operation of the document which problems are its own.
func tellProblems(doc *huma.OpenAPI, pattern string, codes []string) {
	method, path, _ := strings.Cut(pattern, " ")
	codes = slices.Sorted(slices.Values(codes))
	for _, o := range operationsOf(doc.Paths[path]) {
		if o.Method != method || len(codes) == 0 {
			continue
		}
		o.Extensions = map[string]any{problemsExtension: codes}
		if other := o.Responses["default"]; other != nil {
			var list []string
			for _, code := range codes {
				list = append(list, fmt.Sprintf("%s (%d)", code, answer.StatusOf(problem.New(code))))
			}
			other.Description = "A problem. Of its own: " + strings.Join(list, ", ")
		}
	}
}

func operationsOf(p *huma.PathItem) []*huma.Operation {
	return slices.DeleteFunc([]*huma.Operation{p.Get, p.Post, p.Put, p.Patch, p.Delete}, func(o *huma.Operation) bool { return o == nil })
}
