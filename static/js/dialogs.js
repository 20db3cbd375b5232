// Opens the dialog that a button names, and gives focus back to where it was (the browser does that on close).
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return null;
  dialog.showModal();
  return dialog;
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) {
    openDialog(opener.dataset.open);
    return;
  }
  // A click on the backdrop is a click on the dialog itself.
  if (event.target.matches("dialog[open]")) {
    const box = event.target.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) event.target.close();
  }
});
