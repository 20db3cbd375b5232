// The palette: type, choose with the arrow keys, go with Enter.
import { openDialog } from "./dialogs.js";

const dialog = document.getElementById("palette");
const field = document.getElementById("palette-query");
const list = document.getElementById("palette-list");

function choices() {
  return [...list.querySelectorAll('[role="option"]')];
}

function choose(index) {
  const options = choices();
  options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
  const chosen = options[index];
  if (!chosen) {
    field.removeAttribute("aria-activedescendant");
    return;
  }
  field.setAttribute("aria-activedescendant", chosen.id);
  chosen.scrollIntoView({ block: "nearest" });
}

export function openPalette() {
  if (!openDialog("palette")) return;
  field.value = "";
  field.focus();
}

if (dialog) {
  dialog.addEventListener("toggle", () => { if (dialog.open) window.htmx.trigger(field, "palette-open"); });
  list.addEventListener("htmx:afterSwap", () => choose(0));
  field.addEventListener("keydown", (event) => {
    const options = choices();
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") choose(Math.min(at + 1, options.length - 1));
    else if (event.key === "ArrowUp") choose(Math.max(at - 1, 0));
    else if (event.key === "Enter") options[at]?.querySelector("a").click();
    // A search field takes the first Escape to clear itself; here it closes.
    else if (event.key === "Escape") dialog.close();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
    }
  });
}
