// A form that asks where data come from shows only what belongs to what is chosen: of a new run, or of items to label.
const form = document.querySelector("form.new-run");

function fit() {
  const { source, kind } = Object.fromEntries(new FormData(form));
  for (const part of form.querySelectorAll("[data-source]")) part.hidden = !part.dataset.source.split(" ").includes(source);
  for (const part of form.querySelectorAll("[data-for-kinds]")) part.hidden = !part.dataset.forKinds.split(" ").includes(kind);
}

form.addEventListener("change", fit);
window.addEventListener("pageshow", fit);
fit();
