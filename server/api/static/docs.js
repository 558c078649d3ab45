// The API reference: the list of calls, and examples in the language that was chosen last.
const LANGUAGE = "docs.language";
const calls = document.querySelector("nav.calls");
const wide = matchMedia("(min-width: 64rem)"); // as in docs.css
if (calls) calls.querySelector("details").open = wide.matches;

/** Mark the call at the page's address in the list of calls, and scroll it into view. */
function mark() {
  for (const it of calls.querySelectorAll("li a")) {
    if (it.href === location.href) it.setAttribute("aria-current", "location");
    else it.removeAttribute("aria-current");
  }
  const current = calls.querySelector("li [aria-current]") ?? calls.querySelector("[aria-current]");
  if (wide.matches && current) calls.scrollTop += current.getBoundingClientRect().top - calls.getBoundingClientRect().top - 48;
}

if (calls) {
  mark();
  addEventListener("hashchange", mark);
}

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
