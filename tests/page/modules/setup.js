// What modules of the page look at when they are loaded, where there is no browser. Catalogues come from the page.
import { readFile } from "node:fs/promises";

const value = { languages: ["en-GB"], onLine: true };
Object.defineProperty(globalThis, "navigator", { value, configurable: true });
Object.assign(globalThis, {
  window: globalThis,
  location: new URL("http://localhost/#/"),
  document: { querySelector: () => null, documentElement: {} },
  addEventListener() {},
  fetch: async (address) => {
    const { pathname } = new URL(address, "http://localhost/");
    return new Response(await readFile(new URL(`.${pathname}`, import.meta.url)));
  },
});
