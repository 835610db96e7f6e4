// Reads a JSON list of texts, writes the list of their o200k_base token counts.
const { encode } = require("gpt-tokenizer/encoding/o200k_base");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => encode(text, { disallowedSpecial: new Set() }).length)));
