// Settling by keys: take a side or choose a label, say why, Enter.
import { announce } from "./announcer.js";
import { Answering } from "./answering.js";
import { sendOnEnter } from "./composer.js";
import { isTyping } from "./shortcuts.js";

const form = document.querySelector("form[data-answering]");
const sides = [...document.querySelectorAll("[data-side]")];

if (form) {
  const { answer, reason } = form.elements;
  const answering = new Answering(form);
  if (answer.value) answering.fill(JSON.parse(answer.value));
  sendOnEnter(reason);
  answering.addEventListener("whole", () => reason.focus());
  for (const side of sides) side.querySelector("[data-take]").addEventListener("click", () => take(side));
  form.addEventListener("submit", (event) => {
    answer.value = JSON.stringify(answering.answer);
    if (!answering.check()) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const side = sides.find(({ dataset }) => dataset.side === event.key);
    if (side) take(side);
    else if (!answering.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });

  function take(side) {
    answering.fill(JSON.parse(side.dataset.answer));
    announce(`Taken from ${side.querySelector("h3").textContent}. Now say why.`);
    reason.focus();
  }
}
