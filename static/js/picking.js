// Keeps what is ticked in a list while the list is swapped for a newer one, and says how much it is.
const ticks = () => [...document.querySelectorAll("#list .pick input")];
let kept = new Set();

function tell() {
  const line = document.querySelector("[data-picked]");
  if (!line) return;
  const count = ticks().filter((tick) => tick.checked).length;
  line.textContent = count ? `${count} ticked` : "Tick what to forget";
}

document.addEventListener("change", (event) => { if (event.target.closest(".pick")) tell(); });
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "list") return;
  kept = new Set(ticks().filter((tick) => tick.checked).map((tick) => tick.value));
});
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "list") return;
  for (const tick of ticks()) tick.checked = kept.has(tick.value);
  tell();
});
window.addEventListener("pageshow", tell);
