// The dashboard of a space: says when its memory has changed, moves in time, and keeps the reader's place while parts
// of the page are swapped. The part marked data-live, one a page, asks for itself anew by hx-trigger="refresh".
import { isBusy, placeIn, restorePlace } from "./keeping.js";
import { Socket } from "./socket.js";

const AGAIN_MS = 500;
const board = document.querySelector(".board");
const range = document.getElementById("as-of-range");
const form = document.getElementById("as-of-form");
const trouble = document.getElementById("board-trouble");
const state = () => document.getElementById("as-of-state");
const line = () => state().dataset.line.split(",").filter(Boolean);

const socket = new Socket(board.dataset.socket);
let wasLost = false;
const changed = () => window.htmx.trigger(document.body, "memory-changed");
socket.addEventListener("memory", changed);
socket.addEventListener("lost", () => { wasLost = true; });
socket.addEventListener("open", () => { if (wasLost) changed(); });
socket.addEventListener("gone", () => say("This memory is no longer yours to read: it was forgotten, or you were signed out. Reload to see."));

// Live: after a change the page is asked for anew. That takes away what it swaps, so whatever the reader does goes before:
// it is not asked for while something is typed, pressed or on its way, breaks off when they ask for something meanwhile,
// and comes once that is over. One change is often told twice, by an answer and by the socket.
let isOutdated = false;
let isPressed = false;
let goingTo = null;
let touched = null;
let timer = 0;
// A field that only got its focus back holds nothing to lose.
const mustWait = () => isPressed || goingTo !== null || (isBusy(board) && document.activeElement === touched);

function tellLive(what) {
  const part = board.querySelector("[data-live]");
  if (part) window.htmx.trigger(part, what);
}

function soon() {
  isOutdated = true;
  timer ||= setTimeout(refresh, AGAIN_MS);
}

function refresh() {
  timer = 0;
  if (mustWait() || board.querySelector(".htmx-request")) return;
  tellLive("refresh");
  // What was just put there, or is still being loaded, does not listen yet.
  if (isOutdated) soon();
}

function nowThatItIsOver() {
  if (isOutdated) soon();
}

document.body.addEventListener("memory-changed", soon);
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (!event.detail.elt.matches("[data-live]")) tellLive("htmx:abort");
  else {
    isOutdated = mustWait() || board.querySelector(".htmx-request") !== null;
    if (isOutdated) event.preventDefault();
  }
});
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.elt.matches("[data-live]") || !mustWait()) return;
  detail.shouldSwap = false;
  isOutdated = true;
});
document.body.addEventListener("htmx:sendAbort", ({ detail }) => { if (detail.elt.matches("[data-live]")) soon(); });
document.body.addEventListener("htmx:afterRequest", nowThatItIsOver);
for (const kind of ["pointerdown", "keydown", "input"]) board.addEventListener(kind, ({ target }) => { touched = target; });
board.addEventListener("focusout", nowThatItIsOver);
board.addEventListener("pointerdown", () => { isPressed = true; });
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    isPressed = false;
    nowThatItIsOver();
  });
}

// Time: the range has a place for every stop and one more for now. Where the reader is going is in the address.
function goTo() {
  goingTo = line()[Number(range.value)] ?? "";
  window.htmx.trigger(form, "moved");
}
range.addEventListener("input", goTo);

document.body.addEventListener("htmx:configRequest", ({ detail }) => {
  // What asks for the page anew asks for the page as it stands, whatever has become of its address.
  if (detail.elt.matches("[data-here]")) detail.path = location.pathname + location.search;
  if (!detail.elt.closest(".as-of")) return;
  const asked = new URLSearchParams(location.search);
  const turn = detail.elt === form ? goingTo : new URL(detail.elt.href ?? location.href).searchParams.get("as_of");
  if (turn) asked.set("as_of", turn);
  else asked.delete("as_of");
  detail.path = location.pathname + (asked.size ? `?${asked}` : "");
  detail.parameters = {};
  if (detail.elt === form) goingTo = null;
});

function showPosition() {
  const stops = line().length;
  range.closest(".as-of").hidden = stops === 0;
  range.max = stops;
  if (goingTo === null) range.value = state().dataset.position;
  range.setAttribute("aria-valuetext", document.getElementById("as-of-said").textContent.trim().replace(/\s+/g, " "));
}
// Who moved the range before this page was ready goes there too.
function start() {
  if (range.value === state().dataset.position) showPosition();
  else goTo();
}
if (document.readyState === "complete") start();
else document.addEventListener("DOMContentLoaded", start);

// On a narrow page the tabs are scrolled, and the one that is shown may be out of sight.
function showTab() {
  const tabs = document.getElementById("tabs");
  const tab = tabs.querySelector("[aria-current]");
  if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
}
showTab();
document.body.addEventListener("htmx:oobAfterSwap", ({ target }) => { if (target.id === "tabs") showTab(); });

document.body.addEventListener("htmx:afterSettle", (event) => {
  trouble.hidden = true;
  if (event.target === state() || event.target.id === "dashboard") showPosition();
});

function say(words) {
  trouble.textContent = words;
  trouble.hidden = false;
}

document.body.addEventListener("htmx:responseError", (event) => {
  say({
    404: "This is no longer here: it was forgotten since. Reload the page to see what is left.",
    503: "The memory is away. What is on the page is from before. Try again in a moment.",
  }[event.detail.xhr.status] ?? "The server could not show this. What is on the page is from before. Try again in a moment.");
});
document.body.addEventListener("htmx:sendError", () => say("The server cannot be reached. What is on the page is from before. Try again in a moment."));

// Places: what was open and what had the focus is so again after a swap.
const places = new Map();
let wasOnSteps = false;
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  places.set(detail.target.id, placeIn(detail.target));
  wasOnSteps = Boolean(document.activeElement?.closest(".as-of-steps"));
});
document.body.addEventListener("htmx:afterSettle", (event) => {
  const place = places.get(event.target.id);
  places.delete(event.target.id);
  if (place) restorePlace(place);
  // The way to now is gone once one is there.
  if (wasOnSteps && document.activeElement === document.body) range.focus({ preventScroll: true });
});
