package task

import "embed"

// Schemas are the JSON schemas (draft 2020-12) of the records of version 1, by
// file name: task, event, plan, change, question, decision and problem. Their
// ids are urn:piwork:schema:1:<name>. They allow members that they do not know:
// records are extended, never reshaped.
//
//go:embed schema/*.json
var Schemas embed.FS
