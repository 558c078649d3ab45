// The layout of the constellations: a grid that makes them as large as the window allows.
/** @typedef {{width: number, height: number}} Room */
/** @typedef {{columns: number, rows: number, isWide: boolean, room: Room, height: number}} Fit */

const GAP = 6; // pixels between constellations, as in sternenhimmel.css
const HEAD = 36; // height of the line with the name and the coins
const SIDE = 92; // width of the name beside a wide sky
const LEAST = 168; // minimum height, so that touch targets have 24 pixels; the grid scrolls if necessary
const MOST = 1.5; // maximum aspect ratio of a sky

/**
 * @param {number} count
 * @param {Room} all
 * @returns {Fit}
 */
export function fit(count, { width, height }) {
  const ways = Array.from({ length: count }, (_, i) => {
    const columns = i + 1;
    const rows = Math.ceil(count / columns);
    const w = (width - GAP * (columns - 1)) / columns;
    const high = (height - GAP * (rows - 1)) / rows;
    const isWide = w - SIDE > high;
    const h = Math.max(high, isWide ? LEAST : LEAST + HEAD);
    const room = isWide ? { width: w - SIDE, height: h } : { width: w, height: h - HEAD };
    return { columns, rows, isWide, room, height: h * rows + GAP * (rows - 1) };
  });
  /** @type {(it: Fit) => [isSmall: boolean, isHigh: boolean, more: number]} */
  const faults = (it) => {
    const isHigh = it.height > height + 1;
    return [Math.min(it.room.width, it.room.height) < LEAST, isHigh, isHigh ? it.height : -worth(it.room)];
  };
  return ways.map((it) => ({ it, is: faults(it) })).sort(({ is: [a, b, c] }, { is: [x, y, z] }) =>
    Number(a) - Number(x) || Number(b) - Number(y) || c - z)[0].it;
}

/** @param {Room} room */
function worth({ width, height }) {
  const short = Math.min(width, height);
  return short + 0.1 * Math.min(MOST * short, Math.max(width, height));
}

/**
 * Return the horizontal and vertical stretch with which a square sky fills its space.
 * @param {Room} [room]
 * @returns {[x: number, y: number]}
 */
export function drawnOut({ width, height } = { width: 1, height: 1 }) {
  const longer = (/** @type {number} */ it) => Math.min(MOST, Math.max(1, it || 1));
  return [longer(width / height), longer(height / width)];
}
