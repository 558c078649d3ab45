// The settings: profile, notifications, tokens and apps.
import { html, useEffect } from "../ui/html.js";
import { recognise } from "../ui/session.js";
import { t } from "../ui/words.js";
import { useReturn } from "../ui/parts.js";
import { Account } from "./account.js";
import { Feed } from "./feed.js";
import { OneGame } from "./game.js";
import { Letters } from "./letters.js";
import { Notifications } from "./notifications.js";
import { Profile } from "./profile.js";
import { TimeOff } from "./time-off.js";
import { Tokens } from "./tokens.js";
import { Webhooks } from "./webhooks.js";

const SECTIONS = {
  profile: Profile,
  "time-off": TimeOff,
  notifications: Notifications,
  calendar: Feed,
  letters: Letters,
  tokens: Tokens,
  webhooks: Webhooks,
  account: Account,
};

export function Settings({ section = "profile", id, query }) {
  useReturn(() => recognise().catch(() => {}));
  useEffect(() => scrollTo(0, 0), [section, id]);
  const link = (name) =>
    html`<a href="#/settings/${name}" aria-current=${section === name ? "page" : null}>${t(`settings.${name}`)}</a>`;
  const Shown = SECTIONS[section] ?? Profile;
  return html`<h1>${t("settings")}</h1>
    <div class="settings">
      <nav aria-label=${t("settings")}>${Object.keys(SECTIONS).map(link)}</nav>
      <div key=${section}>${section === "game" && id
        ? html`<${OneGame} key=${id} id=${id} />`
        : html`<${Shown} query=${query} />`}</div>
    </div>`;
}
