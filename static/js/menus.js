// Closes an open menu on Escape, on a click elsewhere, and when another one or a dialog opens.
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  const menu = event.target.closest("details.menu");
  const opensDialog = menu && event.target.closest("[data-open]");
  // The dialog gives focus back to where it was when it opened.
  if (opensDialog) menu.querySelector("summary").focus();
  closeMenus(opensDialog ? null : menu);
}, { capture: true });

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });
