// Keeps a reader's place while a part of the page is swapped for a newer one: what is open, and what has the focus.
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

export function isBusy(root) {
  const active = document.activeElement;
  return root.contains(active) && active.matches("input:not([type=range], [type=checkbox], [type=radio]), textarea, select");
}

export function placeIn(root) {
  const open = [...root.querySelectorAll("details[open][id]")].map((details) => details.id);
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const anchor = active?.closest("[id]");
  const within = anchor ? [...anchor.querySelectorAll(FOCUSABLE)].indexOf(active) : -1;
  return { open, anchor: anchor?.id, within };
}

export function restorePlace(place) {
  for (const id of place.open) {
    const details = document.getElementById(id);
    if (details) details.open = true;
  }
  if (!place.anchor || document.activeElement !== document.body) return;
  const anchor = document.getElementById(place.anchor);
  const element = place.within < 0 ? anchor : anchor?.querySelectorAll(FOCUSABLE)[place.within];
  element?.focus({ preventScroll: true });
}
