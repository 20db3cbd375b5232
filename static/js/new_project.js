// The form of a new project shows the guideline of the chosen kind, as long as nobody has changed it.
const form = document.getElementById("new-project");

function fit() {
  const field = form.elements.guideline;
  const kinds = [...form.querySelectorAll("[data-guideline-of]")];
  const words = (kind) => kind.content.textContent.trim();
  if (field.value.trim() && !kinds.some((kind) => words(kind) === field.value.trim())) return;
  const chosen = kinds.find((kind) => kind.dataset.guidelineOf === form.elements.kind.value);
  field.value = chosen ? words(chosen) : "";
}

if (form) {
  form.addEventListener("change", ({ target }) => { if (target.name === "kind") fit(); });
  window.addEventListener("pageshow", fit);
}
