// The handbook: search in all of its pages, and Copy buttons for commands.
const COPIED = 2_000; // milliseconds for which a button shows it
const MOST = 30; // results shown

const form = document.querySelector(".find");
const [field, count, results] = ["input", "output", "ul"].map((name) => form.querySelector(name));
/** @type {[href: string, title: string, words: string][]} */
let index = [];

function find() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
  const known = words.length ? index.filter((it) => fits(it.join(" "))) : [];
  const named = known.filter(([, title]) => fits(title));
  const found = [...named, ...known.filter((it) => !named.includes(it))];
  results.replaceChildren(...found.slice(0, MOST).map(([href, title]) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("a"), { href, textContent: title }));
    return item;
  }));
  count.textContent = words.length && index.length ? (found.length === 1 ? "1 result" : `${found.length} results`) : "";
}

form.hidden = false;
field.addEventListener("input", find);
field.addEventListener("focus", async () => {
  index = (await import("/docs/search.js")).default;
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
