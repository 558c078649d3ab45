// Elements, as the modules write them: by preact, and htm instead of JSX, so that nothing need be built.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.js";
import { htm } from "../vendor/htm.js";
import { h, render } from "../vendor/preact.js";

export const html = htm.bind(h);
export { render, useEffect, useLayoutEffect, useMemo, useRef, useState };
