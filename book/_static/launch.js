// The menu "Run": it closes as menus do, and it knows the reader's own JupyterHub.
//
// The hub's address is kept in this browser alone. What was kept is read as warily as what is typed.
"use strict";
{
  const KEY = "jupyterhub";
  const menu = document.querySelector(".pf-launch");
  const form = menu.querySelector(".pf-hub");

  /** Return the hub that a text names, as {hub}, or what to do about it, as {fault}. */
  function readHub(text) {
    const typed = text.trim();
    if (!typed) return { fault: "Type the address of your hub first." };
    // A host alone is enough; a port is no scheme (hub:8000).
    const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(typed) ? typed : `https://${typed}`;
    let url;
    try {
      url = new URL(whole);
    } catch {
      return { fault: "That is no address. Copy it from the address bar while your hub is open." };
    }
    const near = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
    if (url.protocol !== "https:" && !(near && url.protocol === "http:")) {
      return { fault: "The address of a hub begins with https://" };
    }
    if (url.username || url.password) {
      return { fault: "Leave out the name and the password: the hub asks for them itself." };
    }
    if (!near && !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(url.hostname)) {
      return { fault: "That names no hub. An address looks like https://hub.example.edu" };
    }
    // People copy where they are: …/hub/login?next=…, …/user/ada/lab.
    const path = url.pathname.replace(/\/(hub|user)(\/.*)?$/, "").replace(/\/+$/, "");
    return { hub: url.origin + path };
  }

  function kept() {
    try {
      return readHub(localStorage.getItem(KEY) ?? "").hub;
    } catch {
      return undefined; // storage is refused
    }
  }

  /** Show the way into a hub, or, without one, where to name it. */
  function show(hub) {
    const known = form.querySelector(".pf-hub-known");
    const link = known.querySelector("a");
    known.hidden = !hub;
    form.querySelector(".pf-hub-asked").hidden = Boolean(hub);
    if (!hub) return;
    link.href = `${hub}/hub/user-redirect/git-pull?${form.dataset.query}`;
    link.textContent = `Open in ${new URL(hub).host}`;
  }

  if (form) {
    const input = form.querySelector("input");
    const said = form.querySelector(".pf-hub-said");
    form.hidden = false;
    show(kept());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { hub, fault } = readHub(input.value);
      said.textContent = fault ?? "";
      input.setAttribute("aria-invalid", String(Boolean(fault)));
      if (fault) return input.focus();
      try {
        localStorage.setItem(KEY, hub);
      } catch {
        said.textContent = "This browser keeps nothing: the link lasts as long as the page.";
      }
      show(hub);
      form.querySelector(".pf-hub-known a").focus();
    });
    form.querySelector("button[type=button]").addEventListener("click", () => {
      input.value = kept() ?? "";
      show();
      input.select();
    });
  }

  const close = () => (menu.open = false);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    close();
    menu.querySelector("summary").focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) close();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) close();
  });
}
