// Single keys that act where nothing is being typed. A page offers an action by an element with data-shortcut.
import { openDialog } from "./dialogs.js";

export function isTyping(target) {
  return target.closest?.("input:not([type=range]), textarea, select, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    openDialog("shortcuts");
    event.preventDefault();
    return;
  }
  // A page that is all keys keeps them: a slip must not lead away from it.
  const page = document.querySelector("main[data-own-keys]") ?? document;
  const element = page.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
  if (!element) return;
  event.preventDefault();
  if (element.matches("a, button")) element.click();
  else element.focus();
});
