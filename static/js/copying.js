// Copies the text of the element that a button names, or of the code block that it stands in.
import { announce } from "./announcer.js";

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages that are not served securely have no clipboard; the old command still works there.
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

function sourceOf(button) {
  if (button.dataset.copy) return document.getElementById(button.dataset.copy);
  return button.closest(".code")?.querySelector("pre");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-code]");
  if (!button) return;
  const source = sourceOf(button);
  if (!source) return;
  try {
    await copy(source.dataset.source ?? source.textContent);
  } catch {
    announce("Your browser did not allow copying. Select the text and copy it by hand.");
    return;
  }
  announce("Copied");
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, 1500);
});
