/**
 * They embed, override and isolate directions of text. One in a name changes the order of what stands beside the name,
 * even out of a `<bdi>`, which a U+2069 ends.
 */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Letters that are written from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Shows what would change directions as replacement characters. */
export function withVisibleControls(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** Returns a text for the middle of another one, whose order it does not change. */
export function isolated(text: string): string {
  const visible = withVisibleControls(text);
  return RIGHT_TO_LEFT.test(visible) ? `\u2068${visible}\u2069` : visible;
}
