package acp

import (
	"errors"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/problem"
)

// Codes of errors, as the protocol has them.
const (
	codeParse      = -32700
	codeBadMessage = -32600
	codeBadParams  = -32602
	codeInternal   = -32603
	codeNotFound   = -32002
)

// said is an error as the person reads it in the editor: a problem in words.
func (d *Door) said(err error) error {
	if _, is := errors.AsType[*sdk.RequestError](err); err == nil || is {
		return err
	}
	p := problem.From(err).Clone()
	d.o.Words.Problem(p)
	parts := []string{sentence(p.Title), p.Detail, p.Reason} // Markdown, as all texts of the door
	code := codeInternal
	switch p.Code {
	case problem.CodeBadRequest:
		code, parts = codeBadParams, append(parts, p.Details)
	case problem.CodeFolderRefused, problem.CodeFolderOverlap:
		code = codeBadParams
	case problem.CodeUnknown:
		parts = append(parts, p.Details)
	case problem.CodeNotFound:
		code = codeNotFound
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return &sdk.RequestError{Code: code, Message: escaped(strings.Join(parts, " ")), Data: map[string]any{"code": p.Code}}
}

// refused is an error of the door itself.
func (d *Door) refused(text string, params map[string]any) error {
	return &sdk.RequestError{Code: codeBadParams, Message: d.o.Words.Text(text, params)}
}

// message is what an error says.
func message(err error) string {
	if r, is := errors.AsType[*sdk.RequestError](err); is {
		return r.Message
	}
	return err.Error()
}

// sentence ends a title as a sentence does.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!:") {
		return s
	}
	return s + "."
}
