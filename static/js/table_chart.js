// Draws the table beside each frame as lines: a column is a line, a row a place on the axis. The tables tell the same alone.
import { load } from "./loading.js";

const PLACE_FOR_LABELS = 150;
const LONGEST_LABEL = 18;
const TONES = ["accent", "conflict", "supported", "ink-soft", "failed", "superseded"];
const DASHES = [[], [6, 4], [2, 3], [10, 4, 2, 4]];
const DAY = 86_400;
const day = new Intl.DateTimeFormat(document.documentElement.lang, { day: "numeric", month: "short" });
const DAYS = {
  incrs: [1, 2, 7, 14, 30, 90, 180, 365].map((days) => days * DAY),
  values: (_, splits) => splits.map((split) => day.format(split * 1000)),
  space: 64,
};
const wide = matchMedia("(min-width: 601px)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const charts = new Map();
const number = (text) => (text === undefined || text === "" ? null : Number(text));

function read(table) {
  const rows = [...table.tBodies[0].rows];
  const columns = [...table.tHead.rows[0].querySelectorAll("th[data-line]")];
  return {
    x: rows.map((row) => Number(row.dataset.x)),
    titles: rows.map((row) => row.cells[0].textContent.trim()),
    names: columns.map((column) => column.dataset.line),
    lines: columns.map((column) => rows.map((row) => number(row.cells[column.cellIndex].dataset.y))),
  };
}

class TableChart {
  constructor(frame) {
    this.frame = frame;
    this.watch = new ResizeObserver(() => this.plot?.setSize(this.size));
    this.watch.observe(frame);
    this.draw();
  }

  get size() {
    return { width: this.frame.clientWidth, height: this.frame.clientHeight };
  }

  remove() {
    this.watch.disconnect();
    this.plot?.destroy();
  }

  draw() {
    this.plot?.destroy();
    this.frame.replaceChildren();
    this.data = read(document.getElementById(this.frame.dataset.table));
    const tokens = getComputedStyle(this.frame);
    this.token = (name) => tokens.getPropertyValue(`--${name}`).trim();
    this.points = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.8125;
    this.plot = new window.uPlot(this.options(), [this.data.x, ...this.data.lines], this.frame);
  }

  options() {
    const { x, names } = this.data;
    const isTime = "time" in this.frame.dataset;
    const apart = isTime ? DAY / 2 : 0.5;
    const axis = {
      stroke: this.token("ink-soft"),
      font: `${this.points}px ${this.token("font-interface")}`,
      ticks: { show: false },
      grid: { stroke: this.token("line"), width: 1 },
    };
    const [low, high] = this.range();
    return {
      ...this.size,
      padding: [8, PLACE_FOR_LABELS, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: isTime, range: [x[0] - apart, x.at(-1) + apart] }, y: { range: [low, high] } },
      axes: [
        { ...axis, grid: { show: false }, size: 32, ...(isTime ? DAYS : { incrs: [1, 2, 5, 10, 20, 50, 100] }) },
        { ...axis, size: 44 },
      ],
      series: [
        {},
        ...names.map((_, place) => ({
          stroke: this.token(TONES[place % TONES.length]),
          dash: DASHES[Math.floor(place / TONES.length) % DASHES.length],
          width: 2,
          spanGaps: true,
          points: { show: true, size: 6, fill: this.token("paper") },
        })),
      ],
      hooks: { draw: [(plot) => this.label(plot)], setCursor: [(plot) => this.tell(plot)] },
    };
  }

  range() {
    const values = this.data.lines.flat().filter((value) => value !== null);
    const most = Math.max(1, ...values);
    return [Math.min(0, ...values) - most * 0.04, most * 1.04];
  }

  tell({ cursor }) {
    const readout = document.getElementById(this.frame.dataset.readout);
    if (!readout || cursor.idx === null || cursor.idx === undefined) return;
    const { titles, names, lines } = this.data;
    const said = names.map((name, place) => [name, lines[place][cursor.idx]]).filter(([, value]) => value !== null);
    readout.textContent = `${titles[cursor.idx]}: ${said.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(", ") || "nothing"}`;
  }

  // Each line is named at its end; names that would touch move apart.
  label(plot) {
    const ratio = window.uPlot.pxRatio;
    const apart = this.points * 1.4 * ratio;
    const ends = this.data.names.flatMap((name, place) => {
      const value = this.data.lines[place].findLast((one) => one !== null);
      const short = name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name;
      return value === undefined ? [] : [{ words: short, y: plot.valToPos(value, "y", true), tone: TONES[place % TONES.length] }];
    });
    ends.sort((one, other) => one.y - other.y);
    for (let place = 1; place < ends.length; place += 1) ends[place].y = Math.max(ends[place].y, ends[place - 1].y + apart);
    const over = ends.length ? ends.at(-1).y - (plot.bbox.top + plot.bbox.height) : 0;
    const { ctx } = plot;
    ctx.save();
    ctx.font = `600 ${this.points * ratio}px ${this.token("font-interface")}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { words, y, tone } of ends) {
      ctx.fillStyle = this.token(tone);
      ctx.fillText(words, plot.bbox.left + plot.bbox.width + 8 * ratio, y - Math.max(0, over));
    }
    ctx.restore();
  }
}

async function drawAll() {
  for (const [frame, chart] of charts) {
    if (frame.isConnected) continue;
    chart.remove();
    charts.delete(frame);
  }
  for (const frame of document.querySelectorAll(".chart-frame[data-table]")) {
    const part = frame.closest(".charted");
    if (!wide.matches || part.classList.contains("as-table") || charts.has(frame)) continue;
    try {
      if (!window.uPlot) await load(frame.dataset.scripts);
      if (frame.isConnected && !charts.has(frame)) charts.set(frame, new TableChart(frame));
      frame.dataset.drawn = "yes";
    } catch {
      part.classList.add("as-table");
    }
  }
}

document.body.addEventListener("htmx:afterSettle", drawAll);
wide.addEventListener("change", drawAll);
dark.addEventListener("change", () => charts.forEach((chart) => chart.draw()));
drawAll();
