// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// A list of tests, and a browser for them.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { decodePng } from "./png.mjs";

export const tests = [];
export function test(name, body) {
  tests.push({ name, body });
}

export function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const places = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [process.env.TESSERA_CHROMIUM ?? "", ...places].find((file) => file !== "" && existsSync(file));
}

// A page that is open, with what it complained about.
class Opened {
  constructor(page, context) {
    Object.assign(this, { page, context, complaints: [] });
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  ready() {
    return this.page.evaluate(() => window.tessera.ready);
  }

  state() {
    return this.page.evaluate(() => JSON.parse(JSON.stringify(window.tessera.settings)));
  }

  async set(patch) {
    await this.page.evaluate((values) => window.tessera.set(values), patch);
    await this.drawn();
  }

  async press(key) {
    await this.page.keyboard.press(key);
    await this.drawn();
  }

  // Two frames: one may have begun before the change.
  drawn() {
    return this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50)))),
    );
  }

  project(points) {
    return this.page.evaluate((list) => list.map((point) => window.tessera.project(point)), points);
  }

  async pick(x, y) {
    return (await this.picks([{ x, y }]))[0];
  }

  picks(places) {
    return this.page.evaluate((list) => list.map(({ x, y }) => window.tessera.pick(x, y)), places);
  }

  // The canvas alone, without what lies over it.
  async picture() {
    await this.drawn();
    const hidden = await this.page.addStyleTag({ content: "#stage > :not(canvas) { visibility: hidden !important; }" });
    const file = await this.page.locator("#canvas").screenshot();
    await hidden.evaluate((tag) => tag.remove());
    return decodePng(file);
  }

  text(id) {
    return this.page.locator(`#${id}`).innerText();
  }

  isHidden(id) {
    return this.page.locator(`#${id}`).isHidden();
  }

  close() {
    return this.context.close();
  }
}

export class Browser {
  static async start({ modules, viewer, chromium }) {
    const playwright = createRequire(path.join(path.resolve(modules), "here.js"))("playwright-core");
    const browser = await playwright.chromium.launch({
      executablePath: chromium,
      args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
    return Object.assign(new Browser(), {
      browser, viewer, folder: mkdtempSync(path.join(tmpdir(), "tessera-viewer-")), written: 0,
    });
  }

  // Writes a page and answers its address.
  write(html) {
    const file = path.join(this.folder, `page-${this.written++}.html`);
    writeFileSync(file, html);
    return pathToFileURL(file).href;
  }

  // What: a SceneWriter, or an address. Does not wait until the mesh is there.
  async visit(what, { width = 1280, height = 800, ...options } = {}) {
    const address = typeof what === "string" ? what : this.write(what.page(this.viewer));
    const context = await this.browser.newContext({ viewport: { width, height }, ...options });
    const opened = new Opened(await context.newPage(), context);
    await opened.page.goto(address);
    return opened;
  }

  async open(what, options) {
    const opened = await this.visit(what, options);
    await opened.ready();
    await opened.drawn();
    return opened;
  }

  async stop() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }
}
