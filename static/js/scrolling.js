// Keeps the end of the dialogue in view while the reader is there, and leaves them alone when they are not.
const NEAR_PX = 96;

export function stickToEnd(scroller, content, toEnd) {
  let atEnd = true;
  const look = () => {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
    toEnd.hidden = atEnd;
  };
  const follow = () => {
    if (atEnd) scroller.scrollTop = scroller.scrollHeight;
    look();
  };
  scroller.addEventListener("scroll", look, { passive: true });
  // What a reader opens is not scrolled away from under them.
  content.addEventListener("toggle", ({ target }) => { if (target.open) atEnd = false; }, { capture: true });
  const watcher = new ResizeObserver(follow);
  watcher.observe(content);
  watcher.observe(scroller);
  toEnd.addEventListener("click", () => {
    scroller.scrollTo({ top: scroller.scrollHeight, behavior: "smooth" });
  });
  if (!location.hash) scroller.scrollTop = scroller.scrollHeight;
}
