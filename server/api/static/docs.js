// The API reference: search, and examples in the language that was chosen last.
const LANGUAGE = "docs.language";
const form = document.querySelector(".find");
const field = form.querySelector("input");
const result = form.querySelector("output");
const fold = document.querySelector(".calls details");
const wide = matchMedia("(min-width: 64rem)"); // as in docs.css
const pages = document.createElement("section"); // headings of the handbook that were found
pages.innerHTML = "<h3>Handbook</h3><ul></ul>";
form.parentNode.append(pages);
let index;
const calls = [...document.querySelectorAll(".calls li")].map((item) => ({
  item,
  link: item.querySelector("a"),
  text: `${item.textContent} ${item.querySelector("a").hash}`.toLowerCase(),
}));

function find() {
  const words = field.value.toLowerCase().split(/\s+/);
  const fits = (text) => words.every((word) => text.includes(word));
  let shown = calls.filter(({ text }) => fits(text));
  if (!shown.length && index) shown = calls.filter(({ text, link }) => fits(`${text} ${index.calls[link.hash.slice(1)]}`));
  for (const it of calls) it.item.hidden = !shown.includes(it);
  const headings = field.value && index ? index.pages.filter(([, text]) => fits(text.toLowerCase())) : [];
  pages.lastChild.replaceChildren(
    ...headings.map(([href, text]) => {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("a"), { href, textContent: text }));
      return item;
    }),
  );
  for (const group of document.querySelectorAll(".calls section")) group.hidden = !group.querySelector("li:not([hidden])");
  const found = shown.length;
  result.textContent = field.value ? (found === 1 ? "1 call" : `${found} calls`) : "";
  if (fold) fold.open = wide.matches || field.value !== "";
}

form.hidden = false;
field.addEventListener("input", find);
field.addEventListener(
  "focus",
  async () => {
    index = (await import("/docs/search.js")).default;
    find();
  },
  { once: true },
);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  document.querySelector(".calls li:not([hidden]) a")?.click();
});
find();
const current = document.querySelector("nav.calls [aria-current]");
if (wide.matches && current) current.closest("nav").scrollTop = current.offsetTop - form.offsetHeight - 8;

function choose(language) {
  for (const it of document.querySelectorAll("[data-language]")) it.open = it.dataset.language === language;
}

document.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-language] > summary")?.parentNode;
  if (!chosen || chosen.open) return;
  event.preventDefault();
  const before = chosen.getBoundingClientRect().top;
  choose(chosen.dataset.language);
  scrollBy(0, chosen.getBoundingClientRect().top - before);
  try {
    localStorage.setItem(LANGUAGE, chosen.dataset.language);
  } catch {} // no storage
});

try {
  const language = localStorage.getItem(LANGUAGE);
  if (document.querySelector(`[data-language="${CSS.escape(language)}"]`)) choose(language);
} catch {} // no storage
