// How the picture of the graph looks, from the page's own tokens. What colour says, a shape or a word says too.
const STRIKE = "\u0336";

export function struck(words) {
  return [...words].map((letter) => letter + STRIKE).join("");
}

function labelOf(edge) {
  const words = edge.data("label");
  return { holds: words, added: `+ ${words}`, superseded: `− ${struck(words)}`, past: struck(words) }[edge.data("state")];
}

export function styleOf(root) {
  const tokens = getComputedStyle(root);
  const token = (name) => tokens.getPropertyValue(`--${name}`).trim();
  const size = parseFloat(tokens.fontSize) * 0.8125;
  const font = token("font-interface");
  return [
    {
      selector: "node",
      style: {
        "label": (node) => (node.data("more") ? `${node.data("label")}\n+ ${node.data("more")}` : node.data("label")),
        "shape": "round-rectangle",
        "width": "label",
        "height": "label",
        "padding": "7px",
        "background-color": token("paper-raised"),
        "border-width": 1,
        "border-color": token("line-strong"),
        "color": token("ink"),
        "font-family": font,
        "font-size": size,
        "text-valign": "center",
        "text-wrap": "wrap",
        "text-max-width": "130px",
      },
    },
    { selector: "node[?is_speaker]", style: { "shape": "ellipse", "padding": "10px", "background-color": token("accent-wash") } },
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
        "text-background-padding": "2px",
        "text-rotation": "autorotate",
      },
    },
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
