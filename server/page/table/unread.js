// How many lines of the table that is looked at nobody has read.
import { store } from "../ui/store.js";

export const unread = store(0);
