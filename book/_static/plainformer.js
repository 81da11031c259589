// Small things that a page can do without: nothing here is needed to read.
"use strict";

// On paper, what is folded is unfolded, and folded again afterwards.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.dataset.pfPrinted = "";
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-pf-printed]")) {
    delete fold.dataset.pfPrinted;
    fold.open = false;
  }
});
