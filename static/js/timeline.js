// The page of the timeline: draws the chart of the scores from the page's own address, again whenever that has changed.
import { load } from "./loading.js";
import { ScoreChart } from "./timeline_chart.js";

const wide = matchMedia("(min-width: 601px)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const state = () => document.getElementById("timeline-state");
const frame = () => document.getElementById("timeline-chart");
let chart = null;
let drawn = "";
let draws = 0;

async function chartOf({ scripts }) {
  if (!window.uPlot) await load(scripts);
  // Another part of the page may have put a new frame in the place of the old one.
  if (chart?.frame !== frame()) {
    chart?.remove();
    chart = new ScoreChart(frame());
    chart.addEventListener("read", ({ detail }) => { document.getElementById("timeline-readout").textContent = detail; });
    chart.addEventListener("chosen", ({ detail }) => goTo(detail));
  }
  return chart;
}

async function draw() {
  const { src, scripts } = state()?.dataset ?? {};
  const isShown = wide.matches && !document.getElementById("timeline")?.classList.contains("as-table");
  if (!src || !scripts || !isShown || src === drawn) return;
  drawn = src;
  const number = (draws += 1);
  try {
    const [shown, answer] = await Promise.all([chartOf(state().dataset), fetch(src, { credentials: "same-origin" })]);
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const data = await answer.json();
    // Another address, or this one anew, was asked for while it was on its way.
    if (number !== draws) return;
    if (state()?.dataset.src !== src) {
      drawn = "";
      return;
    }
    shown.show(data);
    frame().dataset.drawn = src;
    document.getElementById("timeline-trouble").hidden = true;
  } catch {
    if (number !== draws) return;
    drawn = "";
    document.getElementById("timeline").classList.add("as-table");
    document.getElementById("timeline-trouble").hidden = false;
  }
}

function goTo({ round, before }) {
  const anchor = `round-${round}`;
  if (document.getElementById(anchor)) {
    location.hash = anchor;
    return;
  }
  const asked = new URLSearchParams(location.search);
  if (before) asked.set("before", before);
  else asked.delete("before");
  location.assign(`${location.pathname}?${asked}#${anchor}`);
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-redraw]")) return;
  document.getElementById("timeline").classList.remove("as-table");
  draw();
});
document.body.addEventListener("memory-changed", () => { drawn = ""; });
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (["dashboard", "timeline"].includes(event.target.id)) draw();
});
wide.addEventListener("change", draw);
dark.addEventListener("change", () => chart?.redraw());
draw();
