// Addresses of the page's files, which contain a content hash and come from the import map.

/**
 * Return the address of a module such as `table/table.js`, a stylesheet or a catalogue.
 * @param {string} name
 */
export const addressOf = (name) => ("resolve" in import.meta ? import.meta.resolve(`/page/${name}`) : `/page/${name}`);
