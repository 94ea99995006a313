// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Makes one page out of page.html, style.css and src/:
//   node build.mjs --modules NODE_MODULES --out viewer.html
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { modules: { type: "string" }, out: { type: "string" } } });
if (!values.modules || !values.out) {
  console.error("usage: node build.mjs --modules NODE_MODULES --out FILE");
  process.exit(2);
}
const modules = path.resolve(values.modules);
// The packages are installed in the build folder, where imports from here do not look.
const esbuild = createRequire(path.join(modules, "here.js"))("esbuild");

async function bundle(file, more = {}) {
  const result = await esbuild.build({
    entryPoints: [path.join(here, file)],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    nodePaths: [modules],
    ...more,
  });
  return result.outputFiles[0].text.trim();
}

const script = await bundle("src/main.js", { format: "iife" });
const style = await bundle("style.css");
const three_licence = readFileSync(path.join(modules, "three", "LICENSE"), "utf8").trim();

const placeholder = "<!--TESSERA-SCENE-->";
// In a page, "</script" ends a script and "<!--" changes how it is read.
const inlined = `/* Contains three.js:\n${three_licence}\n*/\n${script}`
  .replaceAll("</script", "<\\/script")
  .replaceAll("<!--", "<\\!--");
const page = readFileSync(path.join(here, "page.html"), "utf8")
  .replace("/*TESSERA-STYLE*/", () => style)
  .replace("/*TESSERA-SCRIPT*/", () => inlined);
for (const mark of ["/*TESSERA-STYLE*/", "/*TESSERA-SCRIPT*/"]) {
  if (page.includes(mark)) throw new Error(`page.html has ${mark} twice`);
}
if (page.split(placeholder).length !== 2) throw new Error(`page.html needs ${placeholder} once`);
writeFileSync(values.out, page);
