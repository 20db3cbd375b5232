// Says how many runs are ticked, and sends them in the order in which they were ticked: the first is the baseline.
let ticked = [];

function tell() {
  const line = document.querySelector("[data-compared]");
  if (!line) return;
  const [first] = ticked;
  const name = first && document.getElementById(`run-${first}`)?.querySelector(".run-name strong")?.textContent;
  line.textContent = ticked.length ? `${ticked.length} ticked; baseline: ${name}` : "Tick two or more to compare; the one ticked first is the baseline";
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches('input[name="run"][form="compare"]')) return;
  ticked = ticked.filter((value) => value !== target.value);
  if (target.checked) ticked.push(target.value);
  tell();
});
document.addEventListener("submit", (event) => {
  if (event.target.id !== "compare" || !ticked.length) return;
  event.preventDefault();
  location.assign(`${event.target.action}?${ticked.map((value) => `run=${value}`).join("&")}`);
});
function readAnew() {
  ticked = [...document.querySelectorAll('input[name="run"][form="compare"]:checked')].map((tick) => tick.value);
  tell();
}

document.body.addEventListener("htmx:afterSettle", ({ target }) => { if (target.id === "evaluate") readAnew(); });
window.addEventListener("pageshow", readAnew);
