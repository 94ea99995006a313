// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Tests the page in a browser:
//   node run.mjs --modules NODE_MODULES --viewer viewer.html [--only WORDS]
//   node run.mjs --modules NODE_MODULES --page FILE.html     checks a page that the program wrote
// Needs chromium; draws with its software renderer.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Browser, findChromium, tests } from "./harness.mjs";
import { checkAnyPage } from "./any_page.mjs";

const { values } = parseArgs({
  options: {
    modules: { type: "string" }, viewer: { type: "string" },
    page: { type: "string", multiple: true }, only: { type: "string", default: "" },
  },
});
if (!values.modules || (!values.viewer && !values.page)) {
  console.error("usage: node run.mjs --modules NODE_MODULES --viewer FILE | --page FILE [--only WORDS]");
  process.exit(2);
}
const chromium = findChromium();
if (!chromium) {
  console.log("skipped: chromium not found (Debian: apt-get install chromium)");
  process.exit(0);
}

const wanted = [];
if (values.page) {
  for (const file of values.page) {
    const address = pathToFileURL(path.resolve(file)).href;
    wanted.push({ name: file, body: (browser) => checkAnyPage(browser, address) });
  }
} else {
  for (const file of ["data", "picking", "picture", "controls"]) await import(`./${file}_test.mjs`);
  wanted.push(...tests.filter(({ name }) => name.includes(values.only)));
}

const browser = await Browser.start({ ...values, chromium });
let failed = 0;
for (const { name, body } of wanted) {
  const begin = performance.now();
  try {
    await body(browser);
    console.log(`ok      ${name} (${Math.round(performance.now() - begin)} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${String(error.stack ?? error).replace(/^/gm, "        ")}`);
  }
}
await browser.stop();
console.log(failed > 0 ? `${failed} of ${wanted.length} failed` : `all ${wanted.length} passed`);
process.exit(failed > 0 || wanted.length === 0 ? 1 : 0);
