// The list and the margin are columns where there is room, and drawers (popovers) where there is not.
const REMEMBERED = "hidden-columns";

export function drawer(panel, narrow) {
  const media = window.matchMedia(narrow);
  const toggles = [...document.querySelectorAll(`[data-toggle="${panel.id}"]`)];
  const isShown = () => (media.matches ? panel.matches(":popover-open") : !panel.hidden);
  const tell = () => toggles.forEach((toggle) => toggle.setAttribute("aria-expanded", String(isShown())));
  const fit = () => {
    if (media.matches) {
      panel.hidden = false;
      panel.setAttribute("popover", "auto");
    } else {
      panel.removeAttribute("popover");
      panel.hidden = hiddenColumns().includes(panel.id);
    }
    tell();
  };
  panel.addEventListener("toggle", tell);
  media.addEventListener("change", fit);
  for (const toggle of toggles) {
    toggle.addEventListener("click", () => {
      if (media.matches) {
        panel.togglePopover();
      } else {
        panel.hidden = !panel.hidden;
        const others = hiddenColumns().filter((id) => id !== panel.id);
        localStorage.setItem(REMEMBERED, [...others, ...(panel.hidden ? [panel.id] : [])].join(" "));
      }
      tell();
    });
  }
  fit();
}

function hiddenColumns() {
  return (localStorage.getItem(REMEMBERED) ?? "").split(" ").filter(Boolean);
}
