// Package gatewaytest has servers that answer as providers of models do, by a
// script: real HTTP, streamed, with tools, refusals, pauses and connections that
// break off. Tests of the gateway, of tasks in real machines, and measurements
// use them. Nothing in here is part of the program.
//
// A [Server] takes one [Turn] of its script for each question, the last one again
// and again, and remembers what it was asked. It answers both as an
// Anthropic-compatible server (POST /v1/messages) and as an OpenAI-compatible one
// (POST /v1/chat/completions, POST /v1/responses), streamed or whole as it is asked
// to, and in pi's own protocol as Radius does (POST /v1/messages with a context, GET
// /v1/config).
package gatewaytest
