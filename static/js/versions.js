// The versions of a message: the arrow keys step through them, and a switch, here or in another tab, changes only the rounds
// that differ.
import { announce } from "./announcer.js";

export function keepVersions(rounds, socket, stream) {
  let asked = 0;
  // Rounds that a request of this page is about to replace. What else differs is settled after it.
  let replacing = 0;
  let isStale = false;

  const sync = async () => {
    if (!("atEnd" in rounds.dataset)) return;
    if (replacing) {
      isStale = true;
      return;
    }
    const first = rounds.querySelector(".round[data-index]");
    const before = shown(rounds);
    const turn = ++asked;
    const answer = await fetch(`${rounds.dataset.url}?since=${first?.dataset.index ?? 0}`, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    if (turn !== asked) return;
    // A message that came meanwhile is not in an answer from before it.
    if (shown(rounds) !== before) {
      sync();
      return;
    }
    if (replacing) isStale = true;
    else {
      const step = stepOf(document.activeElement);
      settle(rounds, template.content);
      goOn(rounds, step);
    }
    stream.resume();
  };

  const ofRound = ({ detail }) => detail.target?.matches?.(".round") && rounds.contains(detail.elt);
  document.body.addEventListener("htmx:beforeRequest", (event) => { if (ofRound(event)) replacing += 1; });
  let step = null;
  document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const focused = document.activeElement;
    if (detail.target?.matches?.(".round") && detail.target.contains(focused)) step = stepOf(focused);
  });
  document.body.addEventListener("htmx:afterSettle", () => {
    if (!step || document.contains(step.element)) return;
    goOn(rounds, step);
    step = null;
  });
  document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!replacing || !detail.target?.matches?.(".round")) return;
    replacing -= 1;
    if (!replacing && isStale) {
      isStale = false;
      sync();
    }
  });

  socket.addEventListener("dialogue", sync);
  document.body.addEventListener("dialogue-changed", sync);

  rounds.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
    const versions = event.target.closest?.(".versions");
    if (!direction || !versions) return;
    event.preventDefault();
    versions.querySelector(`[data-step="${direction}"]`).click();
  });
}

function shown(rounds) {
  return [...rounds.querySelectorAll(".round[data-index]")].map((round) => round.id).join(" ");
}

function stepOf(element) {
  const direction = element?.dataset?.step;
  return direction ? { element, direction, index: element.closest(".round").dataset.index } : null;
}

// Whoever steps through versions goes on where the round was.
function goOn(rounds, step) {
  if (!step || document.contains(step.element)) return;
  const versions = rounds.querySelector(`.round[data-index="${step.index}"] .versions`);
  if (!versions) return;
  versions.querySelector(`[data-step="${step.direction}"]`).focus();
  announce(`Version ${versions.dataset.number} of ${versions.dataset.count}`);
}

// Puts the rounds of the server in place; those that are there already stay as they are, open where a person reads them.
function settle(rounds, content) {
  const wanted = [...content.children].filter((element) => element.matches(".round"));
  const kept = new Set(wanted.map((round) => round.id));
  for (const present of rounds.querySelectorAll(".round[data-index]")) if (!kept.has(present.id)) present.remove();
  let before = rounds.querySelector(".round");
  for (const round of wanted) {
    const present = document.getElementById(round.id);
    if (present) {
      before = present.nextElementSibling;
      continue;
    }
    rounds.insertBefore(round, before);
    window.htmx.process(round);
  }
}
