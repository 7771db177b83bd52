// Comments: `-- line`, `--[[ block ]]`, `--[=[ block ]=]` of any level.
//
// An open `--[[` takes the rest of the file; an open `--[=[` is a comment of one line. Source: language specification, 1.2.

#include "tree_sitter/parser.h"

enum TokenType { COMMENT };

void *tree_sitter_blink_external_scanner_create(void) { return NULL; }
void tree_sitter_blink_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_blink_external_scanner_serialize(void *payload, char *buffer) {
	(void)payload;
	(void)buffer;
	return 0;
}
void tree_sitter_blink_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
	(void)payload;
	(void)buffer;
	(void)length;
}

static bool is_white(int32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

// Moves to the end of the line, which is where the comment ends unless a bracket closes further on.
static void line(TSLexer *lexer) {
	while (!lexer->eof(lexer) && lexer->lookahead != '\n') advance(lexer);
	lexer->mark_end(lexer);
}

// Whether a closing bracket of the level follows; moves behind it, or to the end of the file.
static bool close(TSLexer *lexer, unsigned level) {
	while (!lexer->eof(lexer)) {
		if (lexer->lookahead != ']') {
			advance(lexer);
			continue;
		}
		advance(lexer);
		unsigned marks = 0;
		while (lexer->lookahead == '=' && marks <= level) {
			advance(lexer);
			marks++;
		}
		if (marks == level && lexer->lookahead == ']') {
			advance(lexer);
			return true;
		}
	}
	return false;
}

bool tree_sitter_blink_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
	(void)payload;
	if (!valid[COMMENT]) return false;
	while (is_white(lexer->lookahead)) lexer->advance(lexer, true);
	if (lexer->lookahead != '-') return false;
	advance(lexer);
	if (lexer->lookahead != '-') return false;
	advance(lexer);
	lexer->result_symbol = COMMENT;
	if (lexer->lookahead != '[') {
		line(lexer);
		return true;
	}
	advance(lexer);
	unsigned level = 0;
	while (lexer->lookahead == '=') {
		advance(lexer);
		level++;
	}
	if (lexer->lookahead != '[') {
		line(lexer);
		return true;
	}
	advance(lexer);
	if (level == 0) {
		close(lexer, 0);
		lexer->mark_end(lexer);
		return true;
	}
	// The comment may end with this line, unless it closes on a later one: looked for in two steps, the first of which
	// marks where the line ends.
	bool closed = false;
	while (!lexer->eof(lexer) && lexer->lookahead != '\n') {
		if (lexer->lookahead != ']') {
			advance(lexer);
			continue;
		}
		advance(lexer);
		unsigned marks = 0;
		while (lexer->lookahead == '=' && marks <= level) {
			advance(lexer);
			marks++;
		}
		if (marks == level && lexer->lookahead == ']') {
			advance(lexer);
			closed = true;
			break;
		}
	}
	lexer->mark_end(lexer);
	if (!closed && close(lexer, level)) lexer->mark_end(lexer);
	return true;
}
