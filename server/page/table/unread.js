// The chat of the open table.
import { store } from "../ui/store.js";

export const unread = store(0); // number of unread messages
export const isChatOpen = store(false); // whether it lies over the table
export const isChatHidden = store(false); // whether the player hides it at this table
