// The number of unread chat messages at the open table.
import { store } from "../ui/store.js";

export const unread = store(0);
