// Whoever ticks or unticks a chat of an import means those that are ticked, rather than all.
document.addEventListener("change", (event) => {
  if (event.target.matches('[name="key"]')) event.target.form.elements.which.value = "chosen";
});
