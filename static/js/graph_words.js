// How the words of a picture are broken into lines that fit, before anything is drawn.
const pen = document.createElement("canvas").getContext("2d");

export function writeAs(element) {
  const { fontFamily } = getComputedStyle(element);
  pen.font = `600 ${parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.8125}px ${fontFamily}`;
}

export const widthOf = (words) => Math.ceil(pen.measureText(words).width);

export function cutTo(width, words) {
  if (widthOf(words) <= width) return words;
  let kept = words;
  while (kept.length > 1 && widthOf(`${kept}…`) > width) kept = kept.slice(0, -1).trimEnd();
  return `${kept}…`;
}

export function linesOf(words, width, limit) {
  const lines = [""];
  for (const word of words.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (widthOf(longer) <= width || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const shown = lines.slice(0, limit);
  if (lines.length > limit) shown[limit - 1] = `${shown[limit - 1]} ${lines[limit]}`;
  return shown.map((line) => cutTo(width, line));
}
