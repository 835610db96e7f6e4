// Write where TypeScript's checker leads each use of a name: node typescript_uses.js FOLDER USES.json
// A use is {path, offset (bytes), call, targets: [[path, line]], implementations: [[path, line]]};
// a target outside of FOLDER has the path "". Needs the package `typescript` (5.9).
const ts = require("typescript");
const fs = require("fs");
const path = require("path");

const root = path.resolve(process.argv[2]);
const files = ts.sys
  .readDirectory(root, [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"], ["**/node_modules", "**/dist"])
  .filter((file) => fs.statSync(file).size < 400_000 && !file.endsWith(".d.ts"));
const options = {
  ...{ allowJs: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.ReactJSX, noEmit: true },
  ...{ allowImportingTsExtensions: true, strict: true, experimentalDecorators: true },
};
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();
const nameOf = (declaration) => ts.getNameOfDeclaration(declaration) ?? declaration;

const isNotDeclaring = (node) =>
  ts.isPropertyAccessExpression(node) || ts.isImportOrExportSpecifier(node) || ts.isImportClause(node);
const isDeclared = (name) => !isNotDeclaring(name.parent) && nameOf(name.parent) === name;

function placesOf(declarations) {
  const places = (declarations ?? []).map((declaration) => {
    const source = declaration.getSourceFile();
    const relative = path.relative(root, source.fileName);
    if (relative.startsWith("..") || relative.includes("node_modules")) return ["", 0];
    return [relative, source.getLineAndCharacterOfPosition(nameOf(declaration).getStart()).line + 1];
  });
  return [...new Map(places.map((place) => [place.join(":"), place])).values()];
}

function symbolAt(name) {
  let symbol = checker.getSymbolAtLocation(name);
  if (ts.isShorthandPropertyAssignment(name.parent))
    symbol = checker.getShorthandAssignmentValueSymbol(name.parent);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol && symbol.name !== "unknown" ? symbol : undefined;
}

function calleeOf(name) {
  const access = name.parent;
  const callee = ts.isPropertyAccessExpression(access) && access.name === name ? access : name;
  const call = callee.parent;
  const isCall = ts.isCallExpression(call) || ts.isNewExpression(call);
  return isCall && call.expression === callee ? call : undefined;
}

// Types that a class or interface states as its bases, to find what implements a member.
const derived = new Map();
function noteBases(node) {
  for (const clause of node.heritageClauses ?? [])
    for (const type of clause.types) {
      let base = checker.getSymbolAtLocation(type.expression);
      if (base && base.flags & ts.SymbolFlags.Alias) base = checker.getAliasedSymbol(base);
      if (base) derived.set(base, [...(derived.get(base) ?? []), checker.getSymbolAtLocation(node.name ?? node)]);
    }
}

function implementationsOf(symbol) {
  const found = [];
  const types = [symbol.parent];
  const seen = new Set(types);
  for (let type = types.pop(); type; type = types.pop())
    for (const below of derived.get(type) ?? []) {
      if (!below || seen.has(below)) continue;
      seen.add(below);
      types.push(below);
      found.push(...(below.members?.get(symbol.escapedName)?.declarations ?? []));
    }
  return found;
}

const uses = [];
function visit(node, source, at) {
  const isUse = ts.isMemberName(node) && node.text && !isDeclared(node);
  if (isUse) {
    const symbol = symbolAt(node);
    const declarations = symbol?.declarations ?? [];
    if (declarations.length) {
      const start = node.getStart();
      at.bytes += Buffer.byteLength(source.text.slice(at.position, start));
      at.position = start;
      const call = calleeOf(node);
      const chosen = call && checker.getResolvedSignature(call)?.declaration;
      const isOwn = chosen && declarations.includes(chosen);
      uses.push({
        ...{ path: path.relative(root, source.fileName), offset: at.bytes, call: Boolean(call) },
        targets: placesOf(declarations),
        chosen: isOwn ? placesOf([chosen]) : [],
        implementations: placesOf(implementationsOf(symbol)),
      });
    }
  }
  ts.forEachChild(node, (child) => visit(child, source, at));
}

const sources = program.getSourceFiles().filter((source) => files.includes(source.fileName));
function each(node, action) {
  action(node);
  ts.forEachChild(node, (child) => each(child, action));
}
for (const source of sources)
  each(source, (node) => (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) && noteBases(node));
for (const source of sources) visit(source, source, { position: 0, bytes: 0 });
fs.writeFileSync(process.argv[3], JSON.stringify(uses));
console.log(`${uses.length} uses in ${sources.length} files`);
