// The dashboard of a space: says when its memory has changed, moves in time, and keeps the reader's place while parts
// of the page are swapped. A part refreshes itself by hx-trigger="memory-changed from:body delay:500ms".
import { isBusy, placeIn, restorePlace } from "./keeping.js";
import { Socket } from "./socket.js";

const AGAIN_MS = 400;
const board = document.querySelector(".board");
const range = document.getElementById("as-of-range");
const form = document.getElementById("as-of-form");
const trouble = document.getElementById("board-trouble");
const state = () => document.getElementById("as-of-state");
const line = () => state().dataset.line.split(",").filter(Boolean);

// Live: a change while something is being typed or pressed is told once that is over.
let postponed = false;
let isPressed = false;
let timer = 0;

function changed() {
  if (isPressed || isBusy(board)) {
    postponed = true;
    return;
  }
  postponed = false;
  window.htmx.trigger(document.body, "memory-changed");
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(changed, AGAIN_MS);
}

const socket = new Socket(board.dataset.socket);
let wasLost = false;
socket.addEventListener("memory", changed);
socket.addEventListener("lost", () => { wasLost = true; });
socket.addEventListener("open", () => { if (wasLost) soon(); });
socket.addEventListener("gone", () => say("This memory is no longer yours to read: it was forgotten, or you were signed out. Reload to see."));
board.addEventListener("focusout", () => { if (postponed) soon(); });
board.addEventListener("pointerdown", () => { isPressed = true; });
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    isPressed = false;
    if (postponed) soon();
  });
}
// The line of rounds grows while a conversation goes on elsewhere. One change is often told twice, by the answer and by the
// socket: what comes while the line is being asked for is asked for once more afterwards, and breaks nothing off.
let isAsking = false;
let isOutdated = false;
async function lineRefresh() {
  isOutdated = isAsking;
  if (isAsking) return;
  isAsking = true;
  const url = location.pathname + location.search;
  try {
    await window.htmx.ajax("GET", url, { source: state(), target: "#as-of-state", select: "#as-of-state", swap: "outerHTML" });
  } finally {
    isAsking = false;
    if (isOutdated) lineRefresh();
  }
}
document.body.addEventListener("memory-changed", lineRefresh);

// Time: the range has a place for every stop and one more for now. Where the reader is going is in the address.
let goingTo = null;
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
});

function showPosition() {
  const stops = line().length;
  range.closest(".as-of").hidden = stops === 0;
  range.max = stops;
  range.value = state().dataset.position;
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
  say(event.detail.xhr.status === 404
    ? "This is no longer here: it was forgotten since. Reload the page to see what is left."
    : "The server could not show this. What is on the page is from before. Try again in a moment.");
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
