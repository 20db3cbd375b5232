// The palette: type, choose with the arrow keys, go with Enter.
import { combobox } from "./combobox.js";
import { openDialog } from "./dialogs.js";

const dialog = document.getElementById("palette");
const field = document.getElementById("palette-query");

export function openPalette() {
  if (!openDialog("palette")) return;
  field.value = "";
  field.focus();
}

if (dialog) {
  dialog.addEventListener("toggle", () => { if (dialog.open) window.htmx.trigger(field, "palette-open"); });
  combobox(field, document.getElementById("palette-list"), { onEscape: () => dialog.close() });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
    }
  });
}
