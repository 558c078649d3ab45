// Adapts the page of a mailed link to the browser: its time zone, whether a player is signed in, and what they declined.
const KEY = "sternenpost.token";

const stored = (use) => {
  try {
    return use();
  } catch {
    return null; // storage is blocked
  }
};

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
for (const field of document.querySelectorAll("input[name=zone]")) field.value = timeZone ?? "";
const now = stored(() => sessionStorage.getItem(KEY) || localStorage.getItem(KEY)) ? "signed-in" : "signed-out";
for (const it of document.querySelectorAll("[data-when]")) it.hidden = it.dataset.when !== now;

// Only this browser remembers a declined invitation's address: the server forgets it.
const undo = document.querySelector("form.undo");
if (undo) {
  const { email, declined_at: at } = undo.elements;
  if (at.value) stored(() => localStorage.setItem(undo.action, JSON.stringify([email.value, at.value])));
  const declined = !at.value && stored(() => JSON.parse(localStorage.getItem(undo.action)));
  if (declined) {
    [email.value, at.value] = declined;
    undo.hidden = false;
    document.querySelector(".why").hidden = true;
  }
  undo.addEventListener("submit", () => stored(() => localStorage.removeItem(undo.action)));
}
