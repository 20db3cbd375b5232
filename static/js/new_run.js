// The form of a new run shows only what belongs to the chosen data and to what is measured.
const form = document.getElementById("new-run");

function fit() {
  const { source, kind } = Object.fromEntries(new FormData(form));
  for (const part of form.querySelectorAll("[data-source]")) part.hidden = part.dataset.source !== source;
  for (const part of form.querySelectorAll("[data-for-kinds]")) part.hidden = !part.dataset.forKinds.split(" ").includes(kind);
}

form.addEventListener("change", fit);
window.addEventListener("pageshow", fit);
fit();
