package api

// tokenParam carries the token where a browser sends no headers.
const tokenParam = "access_token"
