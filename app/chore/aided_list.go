package chore

// Extensions of what an AI can read, or is given the words of.
var (
	noteDocs     = []string{".md", ".txt", ".pdf", ".docx", ".odt", ".rtf", ".html", ".htm"}
	seenPictures = []string{".jpg", ".jpeg", ".png", ".webp", ".gif"}
	someTables   = []string{".csv", ".tsv", ".xlsx"}
)

// aidedChores are those to which an AI adds something, in the order in which they
// are offered.
var aidedChores = []Chore{
	aided{
		name: "summarise-notes", base: extractText, set: map[string]any{"layout": false}, exts: noteDocs, result: "Summary.md",
		asks: "Read all notes and documents, those in subfolders only where they are listed, and of documents that are no plain text the text that was made of them. " +
			"Write one summary in Markdown: first what matters in at most ten lines, then what is still to be done with its dates, then a section for each topic. " +
			"After every statement name the file that it is from. Say what contradicts itself; invent nothing.",
	},
	aided{
		name: "contract-summary", base: extractText, set: map[string]any{"layout": true}, exts: noteDocs, result: "Contracts.md",
		asks: "Read every contract, of documents that are no plain text the text that was made of them. Write one Markdown file with a section for each contract: " +
			"who with whom, about what, from when until when, how and by when it can be ended, what it costs and when that changes, duties, penalties, what is unusual. " +
			"Quote the sentence for each date and amount and name the file. Write \"not said\" where it says nothing. Begin with a table of all deadlines, the next one first. This is no legal advice; say so in one sentence.",
	},
	aided{
		name: "check-receipts", base: receiptsToTable, set: map[string]any{"format": tableCSV}, exts: receiptsToTable.exts, result: "Receipts.csv",
		asks: "A program made a table of receipts by fixed rules; its last column says how sure it is of each row. Look at the receipt of every row that is not at least 0.9 sure or lacks a date, a seller or a total, " +
			"and at every receipt that has no row; `pdftotext -layout FILE -` and `tesseract FILE -` show their words. Write the whole table again, with the same columns in the same order and form, and two more: " +
			"\"Checked\" (yes for rows that you looked at) and \"Note\" (what you changed, and why). Leave other rows as they are. Leave a cell empty rather than guess.",
	},
	aided{
		name: "clean-csv", base: cleanTable, set: map[string]any{"format": tableCSV}, exts: someTables, result: "Cleaned.csv",
		asks: "A program made copies of the tables without empty and doubled rows. Clean up what rules cannot: the same name written in several ways, dates and numbers in several forms, units in the cell, columns that mean the same, rows that are the same thing. " +
			"Where there is more than one table, put those of the same kind into one. Keep every value that you do not understand as it is. Write the cleaned table as CSV (RFC 4180, UTF-8), dates as YYYY-MM-DD, and tell in the end what you changed, with how many rows of each.",
	},
	aided{
		name: "folder-dashboard", base: folderReport{}, set: map[string]any{"format": "md", "name": "Report", "top": 20}, result: "Dashboard.html",
		asks: "A program wrote a report of the folder: how much of what, the biggest, newest and oldest files. Read it, and of the files what you need to say what they are about. " +
			"Write one HTML page, without scripts and without anything from the internet: what this folder is for, its parts with a sentence each, what is new, what takes the space, what could be tidied up. Simple inline SVG bars are fine. Name files by their paths.",
	},
	aided{
		name: "rename-photos", exts: seenPictures,
		asks: "Look at every picture and give it a name that says what is on it, in two to five words, such as \"Children at the beach.jpg\". Rename it with `mv -n` in the same folder; a date or number at the beginning of the name stays there. " +
			"Keep the extension. Two pictures never get the same name: add a number. Change nothing but names, and leave alone what you cannot recognise. Your renaming waits for the person's yes.",
	},
}
