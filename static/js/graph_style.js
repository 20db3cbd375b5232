// How the picture of the graph looks, from the page's own tokens. What colour says, a shape or a word says too.
const STRIKE = "\u0336";
const WIDEST = 150;
const LINES = 3;
const LINE_HEIGHT = 1.25;
const pen = document.createElement("canvas").getContext("2d");

export function struck(words) {
  return [...words].map((letter) => letter + STRIKE).join("");
}

function labelOf(edge) {
  const words = edge.data("label");
  return { holds: words, added: `+ ${words}`, superseded: `− ${struck(words)}`, past: struck(words) }[edge.data("state")];
}

// The label in short lines. Cytoscape could fit a thing to its label only after it has drawn it once, too late for edges.
function linesOf(node) {
  const lines = [""];
  for (const word of node.data("label").split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= WIDEST || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  if (lines.length > LINES) lines.splice(LINES, Infinity, "…");
  if (node.data("more")) lines.push(`+ ${node.data("more")}`);
  return lines.map((line) => {
    let shown = line;
    while (shown.length > 1 && pen.measureText(shown).width > WIDEST * 1.4) shown = `${shown.slice(0, -2)}…`;
    return shown;
  });
}

export function styleOf(root) {
  const tokens = getComputedStyle(root);
  const token = (name) => tokens.getPropertyValue(`--${name}`).trim();
  const size = parseFloat(tokens.fontSize) * 0.8125;
  const font = token("font-interface");
  pen.font = `600 ${size}px ${font}`;
  return [
    {
      selector: "node",
      style: {
        "label": (node) => linesOf(node).join("\n"),
        "shape": "round-rectangle",
        "width": (node) => Math.max(...linesOf(node).map((line) => pen.measureText(line).width)) + 2,
        "height": (node) => linesOf(node).length * size * LINE_HEIGHT,
        "padding": 7,
        "background-color": token("paper-raised"),
        "border-width": 1,
        "border-color": token("line-strong"),
        "color": token("ink"),
        "font-family": font,
        "font-size": size,
        "text-valign": "center",
        "text-wrap": "wrap",
        "text-max-width": 2 * WIDEST,
        "line-height": LINE_HEIGHT,
      },
    },
    { selector: "node[?is_speaker]", style: { "shape": "ellipse", "padding": 10, "background-color": token("accent-wash") } },
    { selector: "node[?is_root]", style: { "border-width": 2, "border-color": token("ink"), "font-weight": 600 } },
    { selector: "node[?is_value]", style: { "shape": "rectangle", "border-style": "dashed", "background-color": token("paper") } },
    {
      selector: "edge",
      style: {
        "label": labelOf,
        "curve-style": "bezier",
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.9,
        "width": 1.4,
        "line-color": token("line-strong"),
        "target-arrow-color": token("line-strong"),
        "color": token("ink-soft"),
        "font-family": font,
        "font-size": size * 0.92,
        "text-background-color": token("paper"),
        "text-background-opacity": 1,
        "text-background-padding": 2,
        "text-rotation": "autorotate",
      },
    },
    { selector: "edge[?is_mutual]", style: { "source-arrow-shape": "triangle", "source-arrow-color": token("line-strong") } },
    { selector: "edge[?is_place]", style: { "line-style": "dashed", "width": 1, "target-arrow-shape": "none" } },
    { selector: "edge[?is_denied]", style: { "line-style": "dashed", "target-arrow-shape": "tee" } },
    {
      selector: "edge[state = 'added']",
      style: { "width": 3, "line-color": token("supported"), "target-arrow-color": token("supported"), "color": token("supported"), "font-weight": 600 },
    },
    {
      selector: "edge[state = 'past'], edge[state = 'superseded']",
      style: { "opacity": 0.55, "line-style": "dotted", "line-color": token("superseded"), "target-arrow-color": token("superseded"), "color": token("superseded") },
    },
    { selector: "node.is-chosen", style: { "border-width": 3, "border-color": token("accent") } },
    {
      selector: "edge.is-chosen",
      style: { "width": 3.5, "opacity": 1, "line-color": token("accent"), "target-arrow-color": token("accent"), "color": token("accent") },
    },
  ];
}
