/**
 * Makes `blink.tmLanguage.json`: `node syntaxes/make.mjs`, or with `--check` says whether it is what this makes.
 *
 * A rule for each bracket, so that a word is what it stands for where it is: no word of the language is reserved. A rule
 * that may not be left before a name has come begins with `\G`, right behind its keyword. Source: language
 * specification, 1 and 2; the scopes are those of `test/grammar.mjs`.
 */

import { readFileSync, writeFileSync } from "node:fs";

const NUMBER = String.raw`-?(?:\d*\.\d+|\d+)`;
const WORD = String.raw`[A-Za-z_]\w*`;
/** Where a name that is to come is given up. */
const NO_NAME = String.raw`(?=[^\sA-Za-z_-]|-(?!-))`;
const KEYWORDS = "type|struct|enum|map|set|event|function|scope|option|export|import";
/** Keywords only in front of a name and a brace. */
const OPENERS = "entity|table|state";
const OPENER = String.raw`\b(${OPENERS})\b(?=\s+${WORD}\s*\{)`;
/** Where a declaration ends: where the next begins, or the scope around it ends. */
const END = String.raw`(?=@|\}|\b(?:${KEYWORDS})\b|\b(?:${OPENERS})\s+${WORD}\s*\{)`;
const ITEM_END = String.raw`(?=,|\})`;
const PRIMITIVES = [
	"u8 u16 u24 u32 i8 i16 i24 i32 f16 f24 f32 f64 quat quat32 boolean string buffer vector CFrame Color3 BrickColor DateTime",
	"DateTimeMillis Vector2 UDim UDim2 NumberRange ColorSequence TweenInfo Instance unknown",
];
/** Keys of blocks that take a word, and the others. */
const WORD_KEYS = "From Type Channel Call Yield Priority Per Relevance Owner Transform Velocity Parent Named Tags Attributes Interpolate Codec";
const KEYS =
	"Data Return Rate Burst Concurrency Stream Stamp Poll Fast Keepalive Epsilon MaxDelay Input Key";

const KEYWORD = "keyword.declaration.blink";
const FIELD = "keyword.other.field.blink";
const CONSTANT = "constant.language.blink";
const PROPERTY = "variable.other.property.blink";
const REFERENCE = "entity.name.type.reference.blink";
const TYPE = "entity.name.type.declaration.blink";
const MEMBER = "entity.name.function.declaration.blink";
const SPACE = "entity.name.namespace.declaration.blink";

const alternatives = (words) => [words].flat().join(" ").split(" ").join("|");
/** Keys in their own spelling and in lower case, which are the two that count. */
const spellings = (keys) => keys.split(" ").flatMap((key) => [key, key.toLowerCase()]).join("|");
const use = (...names) => names.map((name) => ({ include: `#${name}` }));
const one = (name, match) => ({ name, match });
const COMMA = one("punctuation.separator.comma.blink", ",");
const ANY_CONSTANT = one(CONSTANT, String.raw`\b${WORD}\b`);
const ANY_PROPERTY = one(PROPERTY, String.raw`\b${WORD}\b`);

/** From a bracket or word to where it ends. */
const span = (begin, name, end, ...patterns) => ({ begin, beginCaptures: { 0: { name } }, end, patterns: patterns.flat() });
const closed = (open, close, kind, until, ...patterns) => ({
	begin: open,
	beginCaptures: { 0: { name: `punctuation.${kind}.begin.blink` } },
	end: close + until,
	endCaptures: { 0: { name: `punctuation.${kind}.end.blink` } },
	patterns: patterns.flat(),
});
const braces = (...patterns) => closed(String.raw`\{`, String.raw`\}`, "section.braces", "", ...patterns);

/** The name that comes next, comments before it. */
const name = (scope, word = WORD) => ({
	begin: String.raw`\G`,
	end: `(${word})|${NO_NAME}`,
	endCaptures: { 1: { name: scope } },
	patterns: use("comments"),
});
const declaration = (begin, scope, ...patterns) => span(begin, KEYWORD, END, name(scope), patterns.flat());
const declared = (words, scope, ...patterns) => declaration(String.raw`\b(?:${words})\b`, scope, ...patterns);
const anonymous = (words, ...rules) =>
	span(String.raw`\b(?:${words})\b`, KEYWORD, String.raw`(?<=\})|(?=[,)\]>;])`, use("comments", ...rules));
/** A range or the bounds of an array; `none` is what may stand for no bounds. */
const bounds = (open, close, none) => ({
	match: `${open}(?:(${NUMBER})(\\.\\.)(${NUMBER})?|(\\.\\.)(${NUMBER})|(${NUMBER})${none})${close}`,
	captures: {
		0: { name: "meta.range.blink" },
		...Object.fromEntries([1, 3, 5, 6].map((at) => [at, { name: "constant.numeric.blink" }])),
		...Object.fromEntries([2, 4].map((at) => [at, { name: "keyword.operator.range.blink" }])),
	},
});
const quoted = (quote, kind) => ({
	name: `string.quoted.${kind}.blink`,
	begin: quote,
	end: quote,
	patterns: [{ match: String.raw`\\.` }],
});
const key = (keys, ...patterns) => span(String.raw`\b(?:${keys})\b`, FIELD, ITEM_END, ...patterns);

const grammar = {
	name: "Blink schema",
	scopeName: "source.blink",
	fileTypes: ["blink"],
	patterns: use("document"),
	repository: {
		document: {
			patterns: use("comments", "attribute", "option", "import", "export", "scope", "struct", "enum", "map", "set", "alias", "member", "strings"),
		},
		comments: {
			patterns: [
				{ name: "comment.block.blink", begin: String.raw`--\[(=*)\[`, end: String.raw`\]\1\]` },
				// With the line's end: what looks behind for a brace must not find one in a comment.
				one("comment.line.double-dash.blink", String.raw`--.*\n?`),
			],
		},
		strings: { patterns: [quoted('"', "double"), quoted("'", "single")] },
		attribute: {
			name: "meta.attribute.blink",
			...span(`@${WORD}`, "storage.modifier.attribute.blink", String.raw`\)|(?=[^\s("'-])`, use("comments", "strings")),
		},
		option: declared("option", "variable.other.option.blink", use("comments", "equals", "strings", "numbers"), ANY_CONSTANT),
		import: span(String.raw`\bimport\b`, KEYWORD, END, use("comments", "strings"), {
			begin: String.raw`\b(as)\b`,
			beginCaptures: { 1: { name: KEYWORD } },
			end: `(${WORD})|${NO_NAME}`,
			endCaptures: { 1: { name: SPACE } },
			patterns: use("comments"),
		}),
		export: one(KEYWORD, String.raw`\bexport\b`),
		scope: declared("scope", SPACE, use("comments"), braces(use("document"))),
		struct: declared("struct", TYPE, use("comments", "parameters", "fields", "suffix")),
		enum: declared("enum", TYPE, use("comments", "parameters", "equals", "strings", "labels", "reference", "suffix")),
		map: declared("map", TYPE, use("comments", "parameters", "equals", "map-body", "reference", "suffix")),
		set: declared("set", TYPE, use("comments", "parameters", "equals", "labels", "reference", "suffix")),
		alias: declared("type", TYPE, use("comments", "equals", "type")),
		member: {
			patterns: [declared("event|function", MEMBER, use("comments", "block")), declaration(OPENER, MEMBER, use("comments", "block"))],
		},
		parameters: closed("<", ">", "definition.parameters", "|(?=[{}=])", use("comments", "type")),
		fields: braces(
			use("comments"),
			span(String.raw`\.\.`, "keyword.operator.merge.blink", ITEM_END, name(REFERENCE, String.raw`${WORD}(?:\.+${WORD})*`), use("comments", "type")),
			span(String.raw`\b${WORD}\b`, PROPERTY, ITEM_END, use("comments", "colon", "type")),
			{ begin: String.raw`\[`, end: ITEM_END, patterns: [...use("comments", "strings", "colon"), { match: String.raw`\]` }, ...use("type")] },
			COMMA,
		),
		labels: braces(use("comments", "strings", "fields"), ANY_PROPERTY, COMMA),
		"map-body": braces(
			use("comments"),
			{ begin: String.raw`\[`, end: String.raw`\]|(?=\})`, patterns: use("comments", "type") },
			span(":", "punctuation.separator.key-value.blink", String.raw`(?=\})`, use("comments", "type")),
		),
		block: braces(
			use("comments"),
			key(spellings(WORD_KEYS), use("comments", "colon", "strings", "suffix", "numbers"), ANY_CONSTANT),
			key(
				spellings("Sync"),
				use("comments", "colon"),
				one(CONSTANT, String.raw`\bManual\b`),
				use("synced-class"),
				braces(use("comments", "synced-class"), COMMA),
			),
			key(spellings("Fields"), use("comments", "colon", "fields", "type")),
			key(spellings(KEYS), use("value")),
			span(String.raw`\b${WORD}\b`, PROPERTY, ITEM_END, use("value")),
			COMMA,
		),
		"synced-class": span(String.raw`\b${WORD}\b`, "support.class.blink", String.raw`(?<=\})|(?=[,}])`, use("comments", "labels")),
		value: {
			patterns: [...use("comments", "colon"), one(CONSTANT, String.raw`\b(?:true|false)\b`), ...use("type", "pack", "block", "strings")],
		},
		pack: closed(
			String.raw`\(`,
			String.raw`\)`,
			"section.parens",
			String.raw`|(?=\})`,
			use("comments"),
			one(PROPERTY, String.raw`\b${WORD}\b(?=\s*(?:--\[\[.*?\]\]\s*)*:)`),
			COMMA,
			use("colon", "type"),
		),
		type: { patterns: use("comments", "qualified", "anonymous", "primitive", "suffix", "class", "angles", "numbers", "reference") },
		qualified: one(REFERENCE, String.raw`\b${WORD}(?:\.+${WORD})+`),
		anonymous: { patterns: [anonymous("struct", "fields"), anonymous("enum|set", "strings", "labels"), anonymous("map", "map-body")] },
		primitive: one("support.type.primitive.blink", String.raw`\b(?:${alternatives(PRIMITIVES)}|Enum(?=\())\b`),
		class: {
			match: String.raw`(\()(${WORD})(\))`,
			captures: {
				0: { name: "support.class.blink" },
				1: { name: "punctuation.definition.class.begin.blink" },
				3: { name: "punctuation.definition.class.end.blink" },
			},
		},
		angles: closed(
			"<",
			">",
			"definition.arguments",
			"|(?=[}=])",
			use("comments"),
			one("storage.modifier.saturate.blink", String.raw`\bsaturate\b`),
			one("storage.modifier.scale.blink constant.numeric.blink", NUMBER),
			COMMA,
			use("type"),
		),
		suffix: {
			patterns: [bounds(String.raw`\(`, String.raw`\)`, ""), bounds(String.raw`\[`, String.raw`\]`, "|"), one("keyword.operator.optional.blink", String.raw`\?`)],
		},
		numbers: one("constant.numeric.blink", NUMBER),
		reference: { patterns: [...use("qualified"), one(REFERENCE, String.raw`\b${WORD}\b`), ...use("angles")] },
		equals: one("keyword.operator.assignment.blink", "="),
		colon: one("punctuation.separator.key-value.blink", ":"),
	},
};

const path = new URL("blink.tmLanguage.json", import.meta.url);
const made = `${JSON.stringify(grammar, null, 2)}\n`;
if (!process.argv.includes("--check")) {
	writeFileSync(path, made);
} else if (readFileSync(path, "utf8") !== made) {
	console.error("syntaxes/blink.tmLanguage.json is stale: `node syntaxes/make.mjs` makes it anew.");
	process.exitCode = 1;
}
