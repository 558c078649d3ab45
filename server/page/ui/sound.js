// Sounds of a table, synthesised by the browser. Off by default.
import { forGood } from "./local-storage.js";
import { store } from "./store.js";

const KEY = "sternenpost.sound";
/** @type {Record<string, number[]>} */
const NOTES = { moved: [660], turn: [660, 880], scored: [523, 659, 784] }; // hertz, in sequence
const EACH = 0.13; // seconds

export const isLoud = store(forGood.getItem(KEY) === "yes");

/** @type {AudioContext | undefined} */
let audio;

/** @param {boolean} wanted */
export function beLoud(wanted) {
  forGood.setItem(KEY, wanted ? "yes" : "");
  isLoud.set(wanted);
  sound("turn"); // as a preview
}

/** @param {keyof typeof NOTES} kind */
export function sound(kind) {
  if (!isLoud.get()) return;
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  NOTES[kind].forEach((frequency, i) => {
    const from = currentTime + i * EACH;
    const tone = new OscillatorNode(/** @type {AudioContext} */ (audio), { frequency });
    const volume = new GainNode(/** @type {AudioContext} */ (audio), { gain: 0 });
    volume.gain.setValueAtTime(0.12, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 2 * EACH);
    tone.connect(volume).connect(destination);
    tone.start(from);
    tone.stop(from + 2 * EACH);
  });
}
