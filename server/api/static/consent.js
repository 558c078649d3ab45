// Asks the player whether to authorise an app, and sends the answer with the token that the page stores.
const KEY = "sternenpost.token";
const [who, wrong, allow, deny, signIn] = ["who", "wrong", "allow", "deny", "sign-in"].map((id) => document.getElementById(id));
let player = null;

const token = () => {
  try {
    return sessionStorage.getItem(KEY) || localStorage.getItem(KEY);
  } catch {
    return null; // storage is blocked
  }
};
const headers = () => ({ "Content-Type": "application/json", ...(token() && { Authorization: `Bearer ${token()}` }) });

async function look() {
  const answer = token() && (await fetch("/v1/me", { headers: headers() }).catch(() => ({ status: 0 })));
  const found = answer?.ok ? await answer.json() : null;
  player = found?.guest ? null : found; // guests can't authorise apps
  allow.disabled = !player;
  signIn.hidden = !!player || answer?.status === 0;
  who.textContent = player
    ? who.dataset.you.replace("{name}", player.name).replace("{email}", player.email ?? "")
    : answer?.status === 0 ? who.dataset.away : who.dataset.nobody;
}

async function decide(isAllowed) {
  wrong.hidden = true;
  const body = JSON.stringify({ allow: isAllowed, player: player?.id });
  const answer = await fetch(location.pathname + location.search, { method: "POST", headers: headers(), body }).catch(() => null);
  const told = await answer?.json().catch(() => null);
  if (answer?.ok && told) return location.replace(told.redirect);
  wrong.textContent = told?.detail ?? told?.error_description ?? who.dataset.away;
  wrong.hidden = false;
  look();
}

allow.addEventListener("click", () => decide(true));
deny.addEventListener("click", () => decide(false));
deny.disabled = false; // in the HTML, the buttons are disabled so that no early click is lost
addEventListener("storage", look); // signed in or out in another window
addEventListener("focus", look);
look();
