// The handbook: search in all of its pages, and Copy buttons for commands.
const COPIED = 2_000; // milliseconds for which a button shows it
const MOST = 30; // results shown

const form = document.querySelector(".find");
const [field, count, results] = ["input", "output", "ul"].map((name) => form.querySelector(name));
const SMALL = new Set(["a", "an", "the", "to", "of", "in", "on", "my", "how", "do", "i"]);
/** Words that the handbook has another word for. */
const CALLED = { cancel: "close", make: "play", pagination: "paginated", spectator: "public", sse: "stream", websocket: "stream" };
/** @type {{href: string, title: string, names: string[], words: string[]}[]} */
let index = [];

/** Return the words of a text. Placeholders such as {game_id} and {id} are the same word. */
const wordsOf = (text) => text.toLowerCase().replaceAll(/\{[^}]*\}/g, "{}").split(/[^\p{L}\p{N}{}/_-]+/u).filter(Boolean);
const singular = (word) => (word.length > 3 ? word.replace(/s$/, "") : word);

/** Return how well a word fits one of these words: the whole word, its beginning, or any part of it. */
function fit(wanted, words) {
  let best = 0;
  for (const word of words) {
    if (singular(word) === singular(wanted)) return 4;
    if (word.includes(wanted)) best = Math.max(best, word.startsWith(wanted) ? 2 : 1);
  }
  return best;
}

function find() {
  const typed = wordsOf(field.value);
  const words = (typed.every((it) => SMALL.has(it)) ? typed : typed.filter((it) => !SMALL.has(it))).map((it) => CALLED[it] ?? it);
  const ranked = index.map((it) => {
    const fits = words.map((word) => Math.max(4 * fit(word, it.names), fit(word, it.words)));
    return { ...it, worth: fits.reduce((sum, each) => sum + each, 0), known: fits.filter(Boolean).length };
  });
  const most = Math.max(...ranked.map((it) => it.known)); // if no place has all words, those with most of them
  const found = most > 0 ? ranked.filter((it) => it.known === most).sort((one, other) => other.worth - one.worth) : [];
  results.replaceChildren(...found.slice(0, MOST).map(({ href, title }) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("a"), { href, textContent: title }));
    return item;
  }));
  count.textContent = words.length && index.length ? (found.length === 1 ? "1 result" : `${found.length} results`) : "";
}

form.hidden = false;
field.addEventListener("input", find);
field.addEventListener("focus", async () => {
  const places = (await import("/docs/search.js")).default;
  index = places.map(([href, title, words]) => (
    { href, title, names: wordsOf(`${title} ${href.split("#")[1] ?? ""}`), words: words.split(" ") }
  ));
  find();
}, { once: true });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
results.addEventListener("click", () => { // the result may be on this page
  field.value = "";
  find();
});

for (const code of document.querySelectorAll("pre")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), COPIED);
  });
  const frame = Object.assign(document.createElement("div"), { className: "code" });
  code.replaceWith(frame);
  frame.append(code, button);
}
