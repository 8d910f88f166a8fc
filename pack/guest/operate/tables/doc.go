// Package tables reads, cleans, joins and writes tables: CSV, JSON and workbooks
// (table.read, table.convert, table.clean, table.merge). A table is in memory as a
// whole, within tools.MaxTableSize; a single record is bounded before it is read.
package tables
