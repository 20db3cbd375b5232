// The search behind a reply: fetched when it is opened and again whenever a level comes; what was open in it stays open.
import { placeIn, restorePlace } from "./keeping.js";

const open = new Set();

export function refreshSearch(how) {
  if (how?.open) window.htmx.trigger(how.querySelector(".how-body"), "search");
}

// `toggle` does not bubble. Parts that a swap takes away do not fire it, so what was open before is known after.
document.addEventListener("toggle", ({ target }) => {
  if (target.matches(".how")) refreshSearch(target);
  else if (target.closest(".searches-of-reply")) {
    if (target.open) open.add(target.id);
    else open.delete(target.id);
  }
}, { capture: true });

let place = null;
const isSearch = (element) => element.matches?.(".how-body, .searches-of-reply");

document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isSearch(detail.target)) place = placeIn(detail.target);
});

document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (!place || !isSearch(detail.target)) return;
  restorePlace({ ...place, open });
  place = null;
});
