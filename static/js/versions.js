// The versions of a message: the arrow keys step through them, and a switch, here or in another tab, changes only the rounds
// that differ.
import { announce } from "./announcer.js";

export function keepVersions(rounds, socket, stream) {
  let asked = 0;

  const sync = async () => {
    if (!("atEnd" in rounds.dataset)) return;
    const first = rounds.querySelector(".round[data-index]");
    const turn = ++asked;
    const answer = await fetch(`${rounds.dataset.url}?since=${first?.dataset.index ?? 0}`, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    if (turn === asked) settle(rounds, template.content);
    stream.resume();
  };

  socket.addEventListener("dialogue", sync);
  document.body.addEventListener("dialogue-changed", sync);

  rounds.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
    const versions = event.target.closest?.(".versions");
    if (!step || !versions) return;
    event.preventDefault();
    versions.querySelector(`[data-step="${step}"]`).click();
  });

  // Whoever steps through versions goes on where the round was.
  let stepped = null;
  document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const versions = document.activeElement?.closest(".versions");
    const round = versions?.closest(".round");
    stepped = versions && detail.target === round ? { index: round.dataset.index, step: document.activeElement.dataset.step } : null;
  });
  document.body.addEventListener("htmx:afterSettle", () => {
    if (!stepped) return;
    const versions = rounds.querySelector(`.round[data-index="${stepped.index}"] .versions`);
    versions?.querySelector(`[data-step="${stepped.step}"]`)?.focus();
    if (versions) announce(`Version ${versions.dataset.number} of ${versions.dataset.count}`);
    stepped = null;
  });
}

// Puts the rounds of the server in place; those that are there already stay as they are, open where a person reads them.
function settle(rounds, content) {
  const wanted = [...content.children].filter((element) => element.matches(".round"));
  const kept = new Set(wanted.map((round) => round.id));
  const unsent = [...rounds.querySelectorAll(".round.pending")];
  for (const present of rounds.querySelectorAll(".round[data-index]")) if (!kept.has(present.id)) present.remove();
  const fresh = [];
  for (const round of wanted) {
    const present = document.getElementById(round.id);
    if (!present) fresh.push(round);
    rounds.append(present ?? round);
  }
  rounds.append(...unsent);
  for (const round of fresh) window.htmx.process(round);
}
