// The sign behind a statement of a reply shows below it what the statement was held against, and hides it again.
document.addEventListener("click", ({ target }) => {
  const sign = target.closest?.(".claim-sign");
  if (!sign) return;
  const panel = document.getElementById(sign.getAttribute("aria-controls"));
  panel.hidden = !panel.hidden;
  sign.setAttribute("aria-expanded", String(!panel.hidden));
});
