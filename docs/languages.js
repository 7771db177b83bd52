// Colours for the book's own languages, which the highlighter of mdBook does not know, and a word above what the tool
// printed.
(() => {
	"use strict";
	const words = {
		sizes: "blinkblox size",
		changes: "blinkblox diff",
		bytes: "On the wire",
		output: "Printed",
		api: "Members",
		reader: "Generated",
	};
	for (const block of document.querySelectorAll("pre > code[class*='language-']")) {
		const [language, rest] = block.className.replace("language-", "").split(" ");
		const refused = language === "blink" && /^[EW]\d{4}$/.test(rest || "");
		const word = refused ? (rest[0] === "E" ? "Refused: " : "Warned of: ") + rest : words[language];
		if (word) {
			const label = document.createElement("div");
			label.textContent = word;
			label.style.cssText = "font-size: 0.75em; opacity: 0.6; padding: 0.2em 0 0 1em";
			block.parentElement.prepend(label);
		}
	}
	if (typeof hljs === "undefined") {
		return;
	}
	const number = { className: "number", begin: /\b\d+(\.\d+)?/ };
	const string = { className: "string", begin: /"/, end: /"/ };
	const comment = { className: "comment", begin: /--/, end: /$/ };
	hljs.registerLanguage("blink", () => ({
		keywords: {
			keyword: "type struct enum map set event function scope option export import as",
			type:
				"u8 u16 u24 u32 i8 i16 i24 i32 f16 f24 f32 f64 quat quat32 boolean string buffer vector CFrame Color3 BrickColor " +
				"DateTime DateTimeMillis Vector2 UDim UDim2 NumberRange ColorSequence TweenInfo Instance unknown Enum",
			literal: "true false",
		},
		contains: [comment, string, number, { className: "meta", begin: /@\w+/ }, { className: "attr", begin: /\w+(?=\s*:)/ }],
	}));
	hljs.registerLanguage("luau", () => ({
		keywords: {
			keyword:
				"and break continue do else elseif end export for function if in local nil not or repeat return then type until while",
			literal: "true false nil",
			built_in: "game script workspace task buffer string table math bit32 print warn error pcall require typeof",
		},
		contains: [comment, string, { className: "string", begin: /`/, end: /`/ }, { className: "string", begin: /'/, end: /'/ }, number],
	}));
	for (const block of document.querySelectorAll("code.language-blink, code.language-luau")) {
		// It was coloured by a guess.
		block.textContent = block.textContent;
		(hljs.highlightElement || hljs.highlightBlock)(block);
	}
})();
