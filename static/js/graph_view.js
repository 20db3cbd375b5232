// The window onto a picture: moved by dragging, made larger with Ctrl and the wheel or by two fingers, and led to what is to be seen.
const MOVED = 4;
const FAR = 0.15;
const LARGEST = 3;
const STEP = 1.25;
const MARGIN = 16;
// Smaller than this nobody reads what is written.
const LEGIBLE = 0.85;
const FITTED = 1.15;
const MOVE_MS = 200;
const still = matchMedia("(prefers-reduced-motion: reduce)");

const within = (low, value, high) => Math.max(low, Math.min(value, high));

export class View {
  #svg;
  #sheet;
  #at = { x: 0, y: 0, scale: 1 };
  #pointers = new Map();
  #travelled = 0;

  constructor(svg, sheet) {
    this.#svg = svg;
    this.#sheet = sheet;
    svg.addEventListener("pointerdown", (event) => this.#press(event));
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => this.#pointers.delete(event.pointerId));
    // What ends a drag is no click on what lies under it.
    svg.addEventListener("click", (event) => { if (this.#travelled > MOVED) event.stopImmediatePropagation(); }, { capture: true });
    // The wheel belongs to the page, unless a key says otherwise.
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      this.zoom(STEP ** (-event.deltaY / 100), event.clientX - box.x, event.clientY - box.y);
    }, { passive: false });
  }

  get size() {
    return { width: this.#svg.clientWidth, height: this.#svg.clientHeight };
  }

  // Shows a box of the picture, all of it if it can be read then, else as much as fits around the one that matters most.
  show(box, { around = box, whole = false, smooth = true } = {}) {
    const { width, height } = this.size;
    const fits = Math.min((width - 2 * MARGIN) / box.width, (height - 2 * MARGIN) / box.height);
    const scale = within(whole ? FAR : LEGIBLE, fits, FITTED);
    const along = (start, extent, centre, window) => {
      if (extent * scale <= window - 2 * MARGIN) return window / 2 - (start + extent / 2) * scale;
      return within(window - MARGIN - (start + extent) * scale, window / 2 - centre * scale, MARGIN - start * scale);
    };
    this.#go({
      scale,
      x: along(box.x, box.width, around.x + around.width / 2, width),
      y: along(box.y, box.height, around.y + around.height / 2, height),
    }, smooth);
  }

  // Whether a box is as narrow as what can be read at once.
  fits(box) {
    return box.width * LEGIBLE <= this.size.width - 2 * MARGIN;
  }

  // Moves no further than is needed to see a box.
  reveal(box) {
    if (this.sees(box)) return;
    const { x, y, scale } = this.#at;
    const { width, height } = this.size;
    const moved = (at, start, extent, window) => {
      const [first, last] = [start * scale + at, (start + extent) * scale + at];
      if (first < MARGIN) return at + MARGIN - first;
      return last > window - MARGIN ? at + window - MARGIN - last : at;
    };
    this.#go({ scale, x: moved(x, box.x, box.width, width), y: moved(y, box.y, box.height, height) }, true);
  }

  sees(box) {
    const { x, y, scale } = this.#at;
    const [left, top] = [box.x * scale + x, box.y * scale + y];
    const { width, height } = this.size;
    return left >= 0 && top >= 0 && left + box.width * scale <= width && top + box.height * scale <= height;
  }

  zoom(by, x = this.size.width / 2, y = this.size.height / 2) {
    const scale = within(FAR, this.#at.scale * by, LARGEST);
    const ratio = scale / this.#at.scale;
    this.#go({ scale, x: x - (x - this.#at.x) * ratio, y: y - (y - this.#at.y) * ratio }, false);
  }

  larger() { this.zoom(STEP); }

  smaller() { this.zoom(1 / STEP); }

  #go(at, smooth) {
    this.#at = at;
    this.#sheet.style.transition = smooth && !still.matches ? `transform ${MOVE_MS}ms ease-out` : "none";
    this.#sheet.style.transform = `translate(${at.x}px, ${at.y}px) scale(${at.scale})`;
  }

  #press(event) {
    if (!this.#pointers.size) this.#travelled = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#travelled += Math.abs(dx) + Math.abs(dy);
    this.#pointers.set(event.pointerId, now);
    if (this.#travelled > MOVED) this.#svg.setPointerCapture(event.pointerId);
    if (other) {
      const box = this.#svg.getBoundingClientRect();
      this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / Math.max(Math.hypot(before.x - other.x, before.y - other.y), 1), other.x - box.x, other.y - box.y);
    } else this.#go({ ...this.#at, x: this.#at.x + dx, y: this.#at.y + dy }, false);
  }
}
