// CS of each reply with the mean of all, and the running DER, in the page's own tokens. What colour says of a reply, its shape says too.
const SIZE = 5;
const CROWDED = 150;
const PLACE_FOR_LABELS = 108;
const SAID = { entailment: "supported", neutral: "neutral", contradiction: "contradicted", pending: "is being scored" };
const figure = (value) => (value === null ? "–" : value.toFixed(2));

export class ScoreChart extends EventTarget {
  constructor(frame) {
    super();
    this.frame = frame;
    this.data = null;
    this.plot = null;
    this.watch = new ResizeObserver(() => this.plot?.setSize(this.size));
    this.watch.observe(frame);
    this.onClick = () => {
      const index = this.plot?.cursor.idx;
      if (index === null || index === undefined) return;
      this.dispatchEvent(new CustomEvent("chosen", { detail: { round: this.data.round[index], before: this.data.before[index] } }));
    };
    frame.addEventListener("click", this.onClick);
  }

  get size() {
    return { width: this.frame.clientWidth, height: this.frame.clientHeight };
  }

  show(data) {
    this.data = data;
    this.redraw();
    const last = data.place.length - 1;
    this.frame.setAttribute("aria-label", `Chart of ${data.place.length} replies, mean CS ${figure(data.mean)}: ${this.words(last)}. The table has the same.`);
  }

  remove() {
    this.watch.disconnect();
    this.frame.removeEventListener("click", this.onClick);
    this.plot?.destroy();
  }

  redraw() {
    if (!this.data) return;
    this.plot?.destroy();
    this.frame.replaceChildren();
    const tokens = getComputedStyle(this.frame);
    this.token = (name) => tokens.getPropertyValue(`--${name}`).trim();
    this.points = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.8125;
    this.plot = new window.uPlot(this.options(), [this.data.place, this.data.cs, this.data.der], this.frame);
  }

  options() {
    const { place } = this.data;
    const axis = {
      stroke: this.token("ink-soft"),
      font: `${this.points}px ${this.token("font-interface")}`,
      ticks: { show: false },
      grid: { stroke: this.token("line"), width: 1 },
    };
    return {
      ...this.size,
      padding: [SIZE + 3, PLACE_FOR_LABELS, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: [place[0] - 0.5, place.at(-1) + 0.5] }, y: { range: [-0.04, 1.04] } },
      axes: [
        { ...axis, grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], space: 36, size: 28 },
        { ...axis, splits: () => [0, 0.5, 1], values: (_, splits) => splits.map((value) => value.toFixed(1)), size: 36 },
      ],
      series: [
        {},
        { stroke: this.token("line-strong"), width: 1, points: { show: false } },
        { stroke: this.token("accent"), width: 2, points: { show: place.length === 1, size: 6, fill: this.token("accent") } },
      ],
      hooks: { draw: [(plot) => this.mark(plot), (plot) => this.label(plot)], setCursor: [(plot) => this.read(plot)] },
    };
  }

  words(index) {
    const { number, cs, der, scored, label } = this.data;
    const said = SAID[label[index]] ?? "not scored";
    return `round ${number[index]} ${said}${cs[index] === null ? "" : `, CS ${figure(cs[index])}`}, DER ${figure(der[index])} of ${scored[index]} scored`;
  }

  read({ cursor }) {
    if (cursor.idx === null || cursor.idx === undefined) return;
    const words = this.words(cursor.idx);
    this.dispatchEvent(new CustomEvent("read", { detail: words[0].toUpperCase() + words.slice(1) }));
  }

  // A check for what follows, a bar for what is neutral, a cross for what contradicts; small where they would touch.
  mark(plot) {
    const { ctx } = plot;
    const size = (this.data.place.length > CROWDED ? SIZE / 2 : SIZE) * window.uPlot.pxRatio;
    const shapes = {
      entailment: ["supported", [[-1, 0], [-0.3, 0.8], [1, -0.8]]],
      neutral: ["ink-soft", [[-0.8, 0], [0.8, 0]]],
      contradiction: ["failed", [[-0.8, -0.8], [0.8, 0.8], null, [0.8, -0.8], [-0.8, 0.8]]],
    };
    ctx.save();
    ctx.lineCap = "round";
    this.data.place.forEach((place, index) => {
      const [tone, strokes] = shapes[this.data.label[index]] ?? [];
      if (!tone) return;
      const x = plot.valToPos(place, "x", true);
      const y = plot.valToPos(this.data.cs[index], "y", true);
      for (const [color, width] of [[this.token("paper"), 5], [this.token(tone), 2]]) {
        ctx.strokeStyle = color;
        ctx.lineWidth = width * window.uPlot.pxRatio;
        ctx.beginPath();
        let isStart = true;
        for (const point of strokes) {
          if (point) ctx[isStart ? "moveTo" : "lineTo"](x + point[0] * size, y + point[1] * size);
          isStart = point === null;
        }
        ctx.stroke();
      }
    });
    ctx.restore();
  }

  // The mean of CS is a broken line, and is named at its end as DER is where it stands last: the figures above the chart. Two
  // names that would touch move apart.
  label(plot) {
    const ratio = window.uPlot.pxRatio;
    const { mean, der } = this.data;
    const ends = [["mean CS", mean, "ink-soft"], ["DER", der.findLast((one) => one !== null), "accent"]].flatMap(([name, value, tone]) => (
      value === null || value === undefined ? [] : [{ words: `${name} ${figure(value)}`, y: plot.valToPos(value, "y", true), tone }]
    ));
    if (mean !== null) this.level(plot, plot.valToPos(mean, "y", true));
    const apart = this.points * 1.4 * ratio;
    if (ends.length === 2 && Math.abs(ends[0].y - ends[1].y) < apart) {
      const middle = (ends[0].y + ends[1].y) / 2;
      const upper = ends[0].y <= ends[1].y ? 0 : 1;
      ends[upper].y = middle - apart / 2;
      ends[1 - upper].y = middle + apart / 2;
    }
    const { ctx } = plot;
    ctx.save();
    ctx.font = `600 ${this.points * ratio}px ${this.token("font-interface")}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { words, y, tone } of ends) {
      ctx.fillStyle = this.token(tone);
      ctx.fillText(words, plot.bbox.left + plot.bbox.width + 8 * ratio, y);
    }
    ctx.restore();
  }

  level({ ctx, bbox }, y) {
    ctx.save();
    ctx.strokeStyle = this.token("ink-soft");
    ctx.lineWidth = window.uPlot.pxRatio;
    ctx.setLineDash([4, 4].map((one) => one * window.uPlot.pxRatio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}
