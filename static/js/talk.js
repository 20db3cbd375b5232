// The page of a conversation: wires the socket to the stream, the composer and the margin.
import { tieChoices } from "./choices.js";
import { Composer, growWithText, sendOnEnter } from "./composer.js";
import { drawer } from "./drawers.js";
import { keepMargin } from "./margin.js";
import "./claims.js";
import { stickToEnd } from "./scrolling.js";
import { Socket } from "./socket.js";
import { Stream } from "./stream.js";
import { keepVersions } from "./versions.js";

const page = document.querySelector(".talk");
const rounds = document.getElementById("rounds");
const margin = document.getElementById("margin");
const form = document.getElementById("composer");
const connection = document.getElementById("connection");
const LOST_SHOWN_AFTER_MS = 800;
const FIRST_IS_SENT = "first-message-sent";

drawer(document.getElementById("list"), "(max-width: 800px)");
drawer(margin, "(max-width: 1100px)");

const socket = new Socket(page.dataset.socket);
keepMargin(margin, socket);

if (rounds) {
  const stream = new Stream(rounds, socket);
  keepVersions(rounds, socket, stream);
  new Composer(form, rounds, socket, stream);
  if (sessionStorage.getItem(FIRST_IS_SENT)) stream.tellFirst();
  sessionStorage.removeItem(FIRST_IS_SENT);
  stickToEnd(document.getElementById("scroll"), rounds, document.getElementById("to-end"));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector(":popover-open, dialog[open]")) return;
    const stop = stream.live.at(0)?.querySelector("[data-stop]");
    if (!stop) return;
    event.preventDefault();
    stop.click();
  });
} else if (form) {
  growWithText(form.querySelector("textarea"));
  sendOnEnter(form.querySelector("textarea"));
  form.addEventListener("submit", () => sessionStorage.setItem(FIRST_IS_SENT, "yes"));
}

for (const choices of document.querySelectorAll("[data-choices]")) tieChoices(choices);

let lostTimer = 0;
socket.addEventListener("open", () => {
  clearTimeout(lostTimer);
  connection.hidden = true;
});
const reconnecting = connection.textContent;
socket.addEventListener("lost", ({ detail }) => {
  clearTimeout(lostTimer);
  connection.textContent = detail.isAway ? "The memory is away, trying again … Your words are kept." : reconnecting;
  lostTimer = setTimeout(() => { connection.hidden = false; }, LOST_SHOWN_AFTER_MS);
});
socket.addEventListener("gone", () => {
  connection.textContent = "This page is no longer yours to read: the conversation was deleted, or you were signed out. Reload to see.";
  connection.hidden = false;
});
// What a reply states was checked: its line asks for what came of it.
socket.addEventListener("checked", ({ detail }) => {
  const line = document.getElementById(`check-${detail.reply}`);
  if (line) window.htmx.trigger(line, "checked");
});
socket.addEventListener("conversation", () => window.htmx.trigger(document.body, "conversation-changed"));
document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
  const name = detail.target.id === "list-items" && detail.target.querySelector("[aria-current=page] .name");
  if (!name) return;
  document.querySelector(".dialogue-head h1").textContent = name.textContent;
  document.title = `${name.textContent} · D-SMART`;
});

// Forms that appear later (editing a message) behave like the composer.
document.body.addEventListener("htmx:load", (event) => {
  for (const field of event.target.querySelectorAll?.("textarea[data-grow]") ?? []) {
    growWithText(field);
    sendOnEnter(field);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }
});
