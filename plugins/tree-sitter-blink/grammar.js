/**
 * The grammar of `.blink` schemas for tree-sitter. Source: language specification, 1 and 2.
 *
 * No word is reserved: a word is a keyword only where the grammar can go on with it. What the compiler refuses for its
 * meaning, or for its order, is read all the same.
 */

const list = (rule) => optional(seq(rule, repeat(seq(",", rule)), optional(",")));

/** What may stand in front of a type. */
const start = ($) => [repeat($.attribute), optional("export")];

const NUMBER = "-?([0-9]*\\.)?[0-9]+";
const BOUNDS = `((${NUMBER})(\\.\\.(${NUMBER})?)?|\\.\\.${NUMBER})`;
const WORD = "[A-Za-z_][A-Za-z0-9_]*";

module.exports = grammar({
	name: "blink",
	word: ($) => $.identifier,
	// Brackets of any level, and those that never close, take a scanner.
	externals: ($) => [$.comment],
	extras: ($) => [/[ \t\n\v\f\r]/, $.comment],

	rules: {
		document: ($) => repeat(choice($.option, $._declaration)),

		option: ($) =>
			seq(
				repeat($.attribute),
				"option",
				field("name", $.identifier),
				"=",
				field("value", choice($.identifier, $.boolean, $.string, $.number)),
			),
		attribute: ($) => seq(field("name", $.attribute_name), "(", $.string, ")"),
		attribute_name: () => new RegExp(`@${WORD}`),

		_declaration: ($) =>
			choice($.import, $.scope, $.member, $.alias, $.struct_declaration, $.enum_declaration, $.map_declaration, $.set_declaration),

		import: ($) => seq(repeat($.attribute), "import", field("path", $.string), optional(seq("as", field("name", $.identifier)))),
		scope: ($) => seq(repeat($.attribute), "scope", field("name", $.identifier), "{", repeat($._declaration), "}"),
		member: ($) =>
			seq(repeat($.attribute), field("kind", choice("event", "function", "entity", "table", "state")), field("name", $.identifier), field("body", $.block)),

		alias: ($) => seq(...start($), "type", field("name", $.identifier), "=", $.type),
		struct_declaration: ($) =>
			seq(...start($), "struct", field("name", $.identifier), optional($.parameters), $.struct_body, repeat($._suffix)),
		enum_declaration: ($) =>
			seq(...start($), "enum", field("name", $.identifier), optional($.parameters), "=", choice($._enum_body, $.type)),
		map_declaration: ($) =>
			seq(...start($), "map", field("name", $.identifier), optional($.parameters), "=", choice(seq($.map_body, repeat($._suffix)), $.type)),
		set_declaration: ($) =>
			seq(...start($), "set", field("name", $.identifier), optional($.parameters), "=", choice(seq($.labels, repeat($._suffix)), $.type)),
		_enum_body: ($) => seq(choice($.labels, seq(field("tag", $.string), $.variants)), repeat($._suffix)),

		parameters: ($) => seq("<", list(field("name", $.identifier)), ">"),

		type: ($) =>
			seq(choice($.primitive, $.reference, $.struct_type, $.enum_type, $.map_type, $.set_type), repeat($._suffix)),
		_suffix: ($) => choice("?", $.array),
		primitive: ($) =>
			seq(choice($.primitive_name, seq(alias("Enum", $.primitive_name), $.class)), optional($.class), optional($.arguments), optional($.range)),
		reference: ($) =>
			prec.right(seq(field("name", choice($.identifier, $.qualified, alias("Enum", $.identifier))), optional($.arguments), optional($.range))),
		struct_type: ($) => seq("struct", $.struct_body),
		enum_type: ($) => seq("enum", choice($.labels, seq(field("tag", $.string), $.variants))),
		map_type: ($) => seq("map", $.map_body),
		set_type: ($) => seq("set", $.labels),
		arguments: ($) => seq("<", list(choice($.type, $.number, $.modifier)), ">"),
		modifier: () => "saturate",

		struct_body: ($) => seq("{", list(choice($.field, $.merge)), "}"),
		field: ($) => seq($._field_name, ":", $.type),
		_field_name: ($) => choice(field("name", $.identifier), seq("[", field("name", $.string), "]")),
		merge: ($) => seq("..", $.reference),
		labels: ($) => seq("{", list(choice($.label, $.string)), "}"),
		label: ($) => $.identifier,
		variants: ($) => seq("{", list($.variant), "}"),
		variant: ($) => seq($._field_name, $.struct_body),
		map_body: ($) => seq("{", "[", field("key", $.type), "]", ":", field("value", $.type), "}"),

		block: ($) => seq("{", list($.entry), "}"),
		entry: ($) => seq(field("key", $.identifier), ":", field("value", choice($.boolean, $.number, $.block, $.pack, $.type, $.sync))),
		sync: ($) => choice($.synced_class, seq(optional(field("mode", $.identifier)), $.synced_classes)),
		synced_classes: ($) => seq("{", $.synced_class, repeat(seq(",", $.synced_class)), optional(","), "}"),
		synced_class: ($) => seq(field("class", $.identifier), $.labels),
		pack: ($) => seq("(", list($.element), ")"),
		element: ($) =>
			seq(
				optional(seq(field("name", choice($.identifier, ...["struct", "enum", "map", "set"].map((word) => alias(word, $.identifier)))), ":")),
				$.type,
			),

		boolean: () => choice("true", "false"),
		number: () => new RegExp(NUMBER),
		string: () => choice(/"([^"\\]|\\(.|\n))*"/, /'([^'\\]|\\(.|\n))*'/),
		class: () => new RegExp(`\\(${WORD}\\)`),
		range: () => new RegExp(`\\(${BOUNDS}\\)`),
		array: () => new RegExp(`\\[(${BOUNDS})?\\]`),
		identifier: () => new RegExp(WORD),
		qualified: () => new RegExp(`${WORD}(\\.+${WORD})+`),
		primitive_name: () =>
			choice(
				...["u8", "u16", "u24", "u32", "i8", "i16", "i24", "i32", "f16", "f24", "f32", "f64", "quat", "quat32", "boolean"],
				...["string", "buffer", "vector", "CFrame", "Color3", "BrickColor", "DateTime", "DateTimeMillis", "Vector2", "UDim"],
				...["UDim2", "NumberRange", "ColorSequence", "TweenInfo", "Instance", "unknown"],
			),
	},
});
