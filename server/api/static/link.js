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

// An invitation for a new account names the account that is signed in here, and lets it take the seat instead.
const [told, button] = document.querySelectorAll(".other");
const token = told && stored(() => sessionStorage.getItem(KEY) || localStorage.getItem(KEY));
if (token) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch("/v1/me", { headers });
  if (answer.ok) {
    const { email, name, guest } = await answer.json();
    told.querySelector("b").textContent = email ?? name;
    button.querySelector("b").textContent = name;
    told.hidden = false;
    button.hidden = guest; // guests cannot join tables of others
  }
  button.addEventListener("click", async () => {
    const { seats, seat, word, table } = button.dataset;
    const body = JSON.stringify({ seat: Number(seat), invitation: word });
    const taken = await fetch(seats, { method: "POST", headers, body });
    if (taken.ok) location.assign(table);
    else told.textContent = (await taken.json()).detail;
  });
}
