// The files of the page by the names that the import map gives them, each with a hash of what it holds.

/**
 * The address of a module such as `table/table.js`, of a style or a catalogue.
 * @param {string} name
 */
export const addressOf = (name) => ("resolve" in import.meta ? import.meta.resolve(`/page/${name}`) : `/page/${name}`);
